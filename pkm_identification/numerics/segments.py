# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Uninterrupted segments of samples: rows with one segment number."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .large_arrays import overlapping_blocks


def segment_slices(segment: NDArray[np.int64]) -> list[slice]:
    """Segments of equal segment number, in order."""
    if len(segment) == 0:
        return []
    inner = [
        block.start + np.flatnonzero(segment[block][1:] != segment[block][:-1]) + 1
        for block in overlapping_blocks(len(segment))
    ]
    edges = np.concatenate([[0], *inner, [len(segment)]])
    return [slice(int(a), int(b)) for a, b in pairwise(edges)]
