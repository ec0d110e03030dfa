# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Noise that is not the same in all rows: how much of a known shape a residual holds besides what is even.

The residual of each output is normal with the variance a + theta g(k), g known for every row. The likelihood grows with
every step

    a <- a sum(r^2 / v^2) / sum(1 / v) ,   theta <- theta sum(g r^2 / v^2) / sum(g / v) ,   v = a + theta g ,

which keeps both positive (multiplicative updates of the Itakura-Saito divergence, Fevotte 2009). What spreads evenly
goes into a and is no evidence of theta.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

PASSES = 100


def compute_uneven_share(residual: FloatArray, shape: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return how much of the shape each output's variance holds, and the standard deviations of that.

    Parameters
    ----------
    residual : ndarray, shape (K, m)
    shape : ndarray, shape (K, m)
        The variance that one of it adds, in the square of the residual's unit; not negative.

    Returns
    -------
    ndarray, ndarray, shape (m,)
        0 and infinite where the shape is zero or the same in all rows, or the residual is zero.
    """
    share, std = np.zeros(residual.shape[1]), np.full(residual.shape[1], np.inf)
    if len(residual) == 0:
        return share, std
    told = np.nonzero((np.ptp(shape, axis=0) > 0.0) & np.any(residual, axis=0))[0]
    square, size = residual[:, told] ** 2, np.mean(shape[:, told], axis=0)
    power = np.mean(square, axis=0)
    # in units of the mean square and of the mean shape
    square, own = square / power, shape[:, told] / size
    even, uneven = np.full(len(told), 0.5), np.full(len(told), 0.5)
    for _ in range(PASSES):
        variance = even + uneven * own
        pull = square / variance**2
        even, uneven = (
            even * np.sum(pull, axis=0) / np.sum(1.0 / variance, axis=0),
            uneven * np.sum(own * pull, axis=0) / np.sum(own / variance, axis=0),
        )
    weight = (even + uneven * own) ** -2.0
    total, across, along = (np.sum(weight * own**power_of, axis=0) for power_of in (0, 1, 2))
    # of the inverse of the information, half of that matrix
    spread = np.sqrt(2.0 * total / (total * along - across**2))
    share[told], std[told] = uneven * power / size, spread * power / size
    return share, std
