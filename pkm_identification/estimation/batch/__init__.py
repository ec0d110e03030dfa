"""Batch estimators: all equations at once."""
