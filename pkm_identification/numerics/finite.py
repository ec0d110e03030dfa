# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Whether numbers are finite, fast for arrays of a few."""

from __future__ import annotations

import math

import numpy as np

from .arrays import FloatArray
from .compiled import kernel


def finite(*arrays: FloatArray | None) -> bool:
    """Return whether every number of the arrays is finite (sums that overflow count as not); None holds none."""
    # sums of lists: for six numbers five times as fast as NumPy's
    return math.isfinite(sum(sum(array.ravel().tolist()) for array in arrays if array is not None))


def finite_or_none(value: float | None) -> float | None:
    """A number as JSON can hold it: None where it is not finite."""
    return float(value) if value is not None and math.isfinite(value) else None


@kernel
def _is_finite(a, b, c, d, e):
    total = 0.0
    for value in a.flat:
        total += value
    for value in b.flat:
        total += value
    for value in c.flat:
        total += value
    for value in d.flat:
        total += value
    for value in e.flat:
        total += value
    return np.isfinite(total)


def finite_sample(
    position: FloatArray,
    first: FloatArray,
    second: FloatArray,
    force: FloatArray | None,
    rotation: FloatArray | None = None,
) -> bool:
    """Return the same for a sample of a stream, in a third of the time: place, its derivatives, forces, orientation."""
    return _is_finite(
        position,
        first,
        second,
        position if force is None else force,
        position if rotation is None else rotation,
    )
