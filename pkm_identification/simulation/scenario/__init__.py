"""Scenarios of a simulated machine: files that say what happens when."""

from .file import Event, Scenario

__all__ = ["Event", "Scenario"]
