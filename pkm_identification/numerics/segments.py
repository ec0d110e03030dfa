# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Uninterrupted stretches of samples: rows with one segment number."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .large_arrays import overlapping_blocks


def segment_slices(segment: NDArray[np.int64]) -> list[slice]:
    """Stretches of equal segment number, in order."""
    if len(segment) == 0:
        return []
    inner = [
        block.start + np.flatnonzero(segment[block][1:] != segment[block][:-1]) + 1
        for block in overlapping_blocks(len(segment))
    ]
    edges = np.concatenate([[0], *inner, [len(segment)]])
    return [slice(int(a), int(b)) for a, b in pairwise(edges)]
