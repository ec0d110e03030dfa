"""Uninterrupted stretches of samples: rows with one segment number."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray


def segment_slices(segment: NDArray[np.int64]) -> list[slice]:
    """Stretches of equal segment number, in order."""
    if len(segment) == 0:
        return []
    edges = np.concatenate([[0], np.nonzero(np.diff(segment))[0] + 1, [len(segment)]])
    return [slice(int(a), int(b)) for a, b in pairwise(edges)]
