"""Logs or a stream and a machine in, a validated model out."""
