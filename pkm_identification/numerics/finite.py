"""Whether numbers are finite, fast for arrays of a few."""

from __future__ import annotations

import math

from .arrays import FloatArray


def finite(*arrays: FloatArray | None) -> bool:
    """Whether every number of the arrays is finite (sums that overflow count as not); None holds none."""
    # sums of lists: for six numbers five times as fast as NumPy's
    return math.isfinite(sum(sum(array.ravel().tolist()) for array in arrays if array is not None))
