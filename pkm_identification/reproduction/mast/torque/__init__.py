"""Torque of the table's axes: friction and inertia from it, and why position alone does not validate a model."""
