# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""By which factor an output is what a model says: sign and unit, which leave no residual."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pkm_identification.numerics.arrays import FloatArray

from .evidence import Base

WIDE = 1e6  # prior of each coefficient, in typical outputs: whatever the unit is


def compute_output_factor(
    expected: FloatArray, free: FloatArray, output: FloatArray, floor: FloatArray, segment: NDArray[np.int64]
) -> tuple[float, float]:
    """Factor of what is expected in an output, and its standard deviation.

    Parameters
    ----------
    expected : ndarray, shape (K, m)
        What values that are wrong by no more than tens of percent make of the output.
    free : ndarray, shape (K, m, q)
        Columns of what is not known beforehand.
    output : ndarray, shape (K, m)
    floor : ndarray, shape (m,)
        Standard deviation of the noise of each output.
    segment : ndarray of int64, shape (K,)
    """
    columns = np.concatenate([expected[:, :, None], free], axis=2)
    size = np.sqrt(np.mean(columns**2, axis=(0, 1))) + 1e-300
    wide = WIDE * (np.sqrt(np.mean(output**2)) + 1e-300) / size
    fit = Base.of(columns * wide, output, floor, segment)
    inverse = np.linalg.inv(fit.triangle)
    std = wide[0] * np.sqrt((inverse @ inverse.T)[0, 0] * fit.pure_error)
    return float(wide[0] * fit.solution[0]), float(std)
