"""Procedures of several estimations: staged, single struts, a fall with the drives off."""
