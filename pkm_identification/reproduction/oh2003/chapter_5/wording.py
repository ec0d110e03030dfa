# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Ranges and what is found by trajectory, in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from pkm_identification.numerics.arrays import FloatArray


def find_ends(values: FloatArray) -> tuple[float, float]:
    """Return the least and the largest."""
    return float(values.min()), float(values.max())


def describe_range(values: FloatArray, digits: int = 3) -> str:
    """Return the least and the largest as a text."""
    return f"{np.min(values):.{digits}g} to {np.max(values):.{digits}g}"


def join_named(separator: str, runs: Mapping[str, Any], describe: Callable[[Any], str]) -> str:
    """Return what is said of each trajectory, after its name."""
    return separator.join(f"{name.upper()} {describe(one)}" for name, one in runs.items())
