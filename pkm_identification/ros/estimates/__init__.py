"""Estimates as messages and files: published, kept, restored."""
