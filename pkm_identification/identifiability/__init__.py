"""Identifiability: what the data can show of the parameters."""

from .status import COMBINATION, IDENTIFIABLE, UNIDENTIFIABLE, Combination, Identifiability, assess

__all__ = ["COMBINATION", "IDENTIFIABLE", "UNIDENTIFIABLE", "Combination", "Identifiability", "assess"]
