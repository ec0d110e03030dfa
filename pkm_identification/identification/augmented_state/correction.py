# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Measurement updates of state and parameters: strut lengths, and additional sensors' readings."""

from __future__ import annotations

import numpy as np

from pkm_identification.estimation.filters.square_root import normalized_square
from pkm_identification.mechanisms.hexapod.dynamics.records import unpacked
from pkm_identification.mechanisms.hexapod.kinematics.jacobian import fill_jacobian
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.linear_systems import lower_cholesky, whiten

from .prediction import STATE, STATE_SPREAD, move
from .records import copied, one_state
from .triangular import carlson_update, gather

UPDATED, GATED, UNUSABLE = range(3)


@kernel
def shift_mean(estimate, change):
    """Add a correction (P + 12,) to parameters and state, in place."""
    values = estimate.values
    count = values.size
    for j in range(count):
        values[j] += change[j]
    move(copied(estimate.state), change[count:], 1.0, estimate.state)


@kernel
def use_readings(prediction, measured, noise, estimate):
    """Condition the prediction on readings (12,) with standard deviations `noise`; NaN readings are not there.

    Returns how many were used and the sum of their squared normalised innovations.
    """
    rows, expected = prediction.rows, prediction.expected
    used = 0
    innovation = np.empty(measured.size)
    for k in range(measured.size):
        if np.isfinite(measured[k]):
            for j in range(rows.shape[1]):
                rows[used, j] = rows[k, j] / noise[k]
            innovation[used] = (measured[k] - expected[k]) / noise[k]
            used += 1
    if used == 0:
        return 0, 0.0
    matrix, factor, scratch = np.empty((used, used)), np.empty((used, used)), np.empty(used)
    nis = normalized_square(rows[:used], innovation[:used], matrix, factor, scratch)
    change = np.zeros(prediction.wide.shape[0])
    carlson_update(prediction.wide, estimate.values.size, rows[:used], innovation[:used], change)
    shift_mean(estimate, change)
    return used, nis


@kernel
def close_prediction(wide, root, count):
    """Make the wide root of the prediction a triangular one; the parameters' rows are triangular already."""
    for i in range(root.shape[0]):
        for j in range(root.shape[0]):
            root[i, j] = wide[i, j] if j < count else 0.0
    lower = np.empty((STATE, STATE))
    gather(wide[count:, count:].copy(), lower)
    for i in range(STATE):
        for j in range(STATE):
            root[count + i, count + j] = lower[i, j]


@kernel
def use_lengths(model, length, noise, gate, estimate, pushed, tally):
    """Update by measured strut lengths (6,) with standard deviation `noise`: (NIS, status).

    `pushed` (12, 6) is the covariance of the predicted state with the force noise, in units of its standard deviation:
    what the innovation says of the force noise is added to `tally`.
    """
    geometry, root, state = unpacked(model.packed), estimate.root, estimate.state
    base, platform = geometry.base, geometry.platform
    count = estimate.values.size
    size = count + STATE
    jac, centre, seen = np.empty((6, 6)), np.empty(6), np.empty((2, 6))
    fill_jacobian(base, platform, state.position, state.rotation, jac, centre)
    rows, curvature = np.empty((6, size)), np.zeros((6, 6))
    shift, even, innovation = np.zeros(6), np.empty(6), np.empty(6)
    side_state = one_state()
    for i in range(size):
        for side in range(2):
            sign = STATE_SPREAD if side == 0 else -STATE_SPREAD
            move(state, root[count:, i], sign, side_state)
            fill_jacobian(base, platform, side_state.position, side_state.rotation, jac, seen[side])
        for k in range(6):
            rows[k, i] = (seen[0, k] - seen[1, k]) / (2.0 * STATE_SPREAD)
            even[k] = 0.5 * (seen[0, k] + seen[1, k]) - centre[k]
            shift[k] += even[k] / STATE_SPREAD**2
        for k in range(6):
            for m in range(6):
                curvature[k, m] += even[k] * even[m] / STATE_SPREAD**2
    for k in range(6):
        innovation[k] = length[k] - centre[k] - shift[k]
        curvature[k, k] += noise * noise
        for m in range(6):
            curvature[k, m] += shift[k] * shift[m]
    factor, matrix, scratch = np.zeros((6, 6)), np.empty((6, 6)), np.empty(6)
    if not lower_cholesky(curvature, factor):
        return np.inf, UNUSABLE
    whiten(factor, rows, innovation)
    nis = normalized_square(rows, innovation, matrix, factor, scratch)
    if not np.isfinite(nis):
        return np.inf, UNUSABLE
    if nis > gate:
        return nis, GATED
    # the force noise in the root's coordinates, then its covariance with the whitened innovation
    for c in range(6):
        for i in range(STATE):
            for k in range(i):
                pushed[i, c] -= root[count + i, count + k] * pushed[k, c]
            pushed[i, c] /= root[count + i, count + i]
        total, mean = 0.0, 0.0
        for k in range(6):
            value = 0.0
            for i in range(STATE):
                value += rows[k, count + i] * pushed[i, c]
            for m in range(k):
                value -= factor[k, m] * even[m]
            even[k] = value / factor[k, k]
            total += even[k] ** 2
            mean += even[k] * scratch[k]
        tally.seen[c] += mean * mean
        tally.expected[c] += total
    change = np.zeros(size)
    carlson_update(root, count, rows, innovation, change)
    shift_mean(estimate, change)
    return nis, UPDATED
