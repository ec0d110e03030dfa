# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""How many independent values a residual that is correlated in time holds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.segments import segment_slices

LEAST_CORRELATION = 0.05  # where the sum over the autocorrelation ends


def correlation_time(residual: FloatArray, segment: NDArray[np.int64]) -> float:
    """Return rows per independent row: 1 + 2 sum of the autocorrelation, up to its first value below LEAST_CORRELATION.

    Parameters
    ----------
    residual : ndarray, shape (K, m)
        Of successive equations, each output in units of its noise.
    segment : ndarray of int64, shape (K,)
        Nothing is correlated across a change of it.

    Returns
    -------
    float
        At least 1; 1 for white noise.
    """
    power = float(np.sum(residual**2))
    if power == 0.0 or len(residual) < 3:
        return 1.0
    longest = len(residual) // 4
    together = np.zeros(longest + 1)
    for part in segment_slices(segment):
        size = fast_length(2 * (part.stop - part.start))
        spectrum = np.fft.rfft(residual[part], size, axis=0)
        products = np.fft.irfft(np.sum(np.abs(spectrum) ** 2, axis=1), size)
        count = min(longest + 1, part.stop - part.start)
        together[:count] += products[:count]
    correlation = together[1:] / power
    ends = np.nonzero(correlation < LEAST_CORRELATION)[0]
    return 1.0 + 2.0 * float(np.sum(correlation[: ends[0] if len(ends) else longest]))


def fast_length(least: int) -> int:
    """The smallest number of at least so many that has no prime factor above 5: Fourier transforms of it are fast."""
    best = 1 << max(least - 1, 0).bit_length()
    fives = 1
    while fives < best:
        odd = fives
        while odd < best:
            twos = (-(-least // odd) - 1).bit_length()
            best = min(best, odd << twos)
            odd *= 3
        fives *= 5
    return best
