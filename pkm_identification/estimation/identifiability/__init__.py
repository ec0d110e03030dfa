"""Identifiability: what the data can show of the parameters."""

from .base_parameters import BaseParameters, base_parameters
from .status import (
    COMBINATION,
    IDENTIFIABLE,
    IN_DOUBT,
    UNIDENTIFIABLE,
    Combination,
    Identifiability,
    assess,
)

__all__ = [
    "COMBINATION",
    "IDENTIFIABLE",
    "IN_DOUBT",
    "UNIDENTIFIABLE",
    "BaseParameters",
    "Combination",
    "Identifiability",
    "assess",
    "base_parameters",
]
