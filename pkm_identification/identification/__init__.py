"""Offline: logs in, checked results out; one file for each kind of experiment."""
