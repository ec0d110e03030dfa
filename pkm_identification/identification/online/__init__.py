"""Estimation beside a running machine."""
