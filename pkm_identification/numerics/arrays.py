# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The array type that annotations use, and the one kind of array that kernels are compiled for."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]


def contiguous(values: ArrayLike) -> FloatArray:
    """Return the values as a C-contiguous array that may be written, the same one where it is; else a copy.

    To Numba an array that cannot be written is of another type: kernels would be compiled once more for it.
    """
    array = np.ascontiguousarray(values, dtype=float)
    return array if array.flags.writeable else array.copy()
