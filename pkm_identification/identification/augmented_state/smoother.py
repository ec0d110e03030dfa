# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Smoothing of the state by samples after it: the backward recursion of Rauch, Tung and Striebel (AIAA J. 3, 1965)."""

from __future__ import annotations

import numpy as np

from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.rotation import rotation_between

from .prediction import STATE, move
from .records import copied, state_at


@kernel
def _divide(root, matrix):
    """Replace `matrix` (r, 12) by matrix (root root^T)^-1, root lower triangular."""
    for a in range(matrix.shape[0]):
        for i in range(STATE):
            for k in range(i):
                matrix[a, i] -= root[i, k] * matrix[a, k]
            matrix[a, i] /= root[i, i]
        for i in range(STATE - 1, -1, -1):
            for k in range(i + 1, STATE):
                matrix[a, i] -= root[k, i] * matrix[a, k]
            matrix[a, i] /= root[i, i]


@kernel
def smooth(kept, spread, states, std, noise, noise_variance):
    """Go back over a filtered stretch of a log; filtered states become smoothed ones in place.

    Parameters
    ----------
    kept : Kept
    spread : ndarray, shape (6,)
        Standard deviation of the force noise, N.
    states : State
        Of N filtered samples.
    std : ndarray, shape (N, 12)
        Their standard deviations.
    noise, noise_variance : ndarray, shape (N, 6)
        Written: force noise of the period that begins at each sample, and its remaining variance; N, N^2.
    """
    prior, prior_root, columns, root = kept.prior, kept.prior_root, kept.columns, kept.root
    position, rotation, twist = states.position, states.rotation, states.twist
    last = position.shape[0] - 1
    covariance = root[last] @ root[last].T
    noise[last] = 0.0
    noise_variance[last] = spread**2
    away, gains = np.empty(STATE), np.empty((18, STATE))
    for n in range(last - 1, -1, -1):
        filtered = root[n] @ root[n].T
        if kept.fresh[n + 1]:
            noise[n] = 0.0
            noise_variance[n] = spread**2
            covariance = filtered
            continue
        for k in range(3):
            away[k] = position[n + 1, k] - prior.position[n + 1, k]
        rotation_between(rotation[n + 1], prior.rotation[n + 1], away[3:6])
        for k in range(6):
            away[6 + k] = twist[n + 1, k] - prior.twist[n + 1, k]
        for k in range(STATE):
            for i in range(STATE):
                total = 0.0
                for j in range(i + 1):
                    total += root[n, i, j] * columns[n + 1, k, j]
                gains[i, k] = total
            for c in range(6):
                gains[12 + c, k] = spread[c] * columns[n + 1, k, 12 + c]
        _divide(prior_root[n + 1], gains)
        step = gains @ away
        change = covariance - prior_root[n + 1] @ prior_root[n + 1].T
        spoilt = gains @ change
        for c in range(6):
            noise[n, c] = step[12 + c]
            total = spread[c] ** 2
            for k in range(STATE):
                total += spoilt[12 + c, k] * gains[12 + c, k]
            noise_variance[n, c] = total
        state = state_at(states, n)
        move(copied(state), step[:STATE], 1.0, state)
        covariance = filtered + spoilt[:STATE] @ gains[:STATE].T
        for k in range(STATE):
            std[n, k] = np.sqrt(max(covariance[k, k], 0.0))
