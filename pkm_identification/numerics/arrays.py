# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

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
