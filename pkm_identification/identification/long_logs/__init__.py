"""Logs of hours: taken in stretches that fit into memory, and judged by an excerpt."""
