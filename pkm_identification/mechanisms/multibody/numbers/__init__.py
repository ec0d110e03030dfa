"""Exact numbers, and the arithmetics they are evaluated in."""
