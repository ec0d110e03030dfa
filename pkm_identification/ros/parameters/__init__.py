"""Declared parameters of the nodes, their file and their page."""
