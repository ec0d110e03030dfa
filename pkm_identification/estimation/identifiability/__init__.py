# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

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
