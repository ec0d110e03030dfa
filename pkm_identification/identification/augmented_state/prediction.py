# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The unscented time update of state and parameters over one sample period.

Directions of the root come in pairs of sigma points +- gamma. With e and h the even and odd parts of what a pair
becomes (as in `estimation.unscented`), the prediction's covariance is

    H H^T + sum e e^T / gamma^2 + delta delta^T ,   delta = sum e / gamma^2    (alpha = 1, beta = 2),

every term a column of one wide root: no weight is negative and nothing is subtracted. gamma may differ from direction
to direction (weights 1 / (2 gamma^2) match the same two moments). State and force noise get sqrt(3), so that the
bend of the friction law is averaged over what is not known of the rate; parameters get 0.01, so that a prior as wide as
the parameter itself sends no sigma point to a negative mass.

The state's twelve coordinates are position, a rotation vector in base axes that turns the mean orientation, and the
twist: no representation of orientation ever gets near a singularity.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.mechanisms.hexapod.dynamics.readings import imu_reading, strut_force_reading
from pkm_identification.mechanisms.hexapod.dynamics.records import MotionSample, unpacked
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.rotation import rotation_between, turn

from .records import assign, copied, one_state, step_result, step_scratch
from .state_model import advance

STATE = 12
READINGS = 12  # specific force, angular rate, six strut forces
STATE_SPREAD = np.sqrt(3.0)
PARAMETER_SPREAD = 0.01


@kernel
def move(state, step, scale, moved):
    """Write the state a step (12,) times `scale` away to `moved`, another one."""
    for k in range(3):
        moved.position[k] = state.position[k] + scale * step[k]
    turn(state.rotation, scale * step[3], scale * step[4], scale * step[5], moved.rotation)
    for k in range(6):
        moved.twist[k] = state.twist[k] + scale * step[6 + k]


@kernel
def advance_and_read(model, sensors, phi, force, guess, state, readings, scratch, result):
    """Advance a state in place and write the mean `readings` (12,) over the period; False if there is no such state.

    What sees accelerations is taken by the mean of its samples at both ends of the period, as the drive force is.
    """
    before, first, second, net = scratch.before, scratch.first, scratch.second, scratch.net
    geometry = unpacked(model.packed)
    for k in range(3):
        before.position[k] = state.position[k]
        for l in range(3):
            before.rotation[k, l] = state.rotation[k, l]
    for k in range(6):
        before.twist[k] = state.twist[k]
    if not advance(model, phi, force, guess, state, scratch, result):
        return False
    if sensors.with_imu:
        place, axes, gravity = sensors.place, sensors.axes, geometry.gravity
        imu_reading(place, axes, gravity, before.rotation, before.twist, result.first_acceleration, first)
        imu_reading(place, axes, gravity, state.rotation, state.twist, result.last_acceleration, second)
        for k in range(6):
            readings[k] = 0.5 * (first[k] + second[k])
    if sensors.with_force:
        for k in range(6):
            net[k] = force[0, k] - result.first_friction[k]
        started = MotionSample(before.position, before.rotation, before.twist, result.first_acceleration)
        strut_force_reading(geometry, phi, sensors.at_platform, started, net, first)
        for k in range(6):
            net[k] = force[1, k] - result.last_friction[k]
        ended = MotionSample(state.position, state.rotation, state.twist, result.last_acceleration)
        strut_force_reading(geometry, phi, sensors.at_platform, ended, net, second)
        for k in range(6):
            readings[6 + k] = 0.5 * (first[k] + second[k])
    return True


@kernel
def predict(machine, unknowns, spread, force, guess, estimate, centred, point, prediction):
    """Predict state, root and readings over one period; False where a sigma point has no acceleration.

    `machine` is a `FilteredMachine`, `spread` (6,) the standard deviation of the force noise in N, `guess` (6,) an
    acceleration near the present one. The model is made linear around the estimate, or, when `centred`, around `point`,
    known from elsewhere. Parameters then enter linearly: a curvature taken over the width of a prior would move states
    that are known.

    On return the estimate's state is the predicted mean, `prediction` its root, not yet triangular, and the readings',
    `guess` the mean's acceleration.
    """
    model, sensors = machine.model, machine.sensors
    known, mapping, offset = unknowns.known, unknowns.mapping, unknowns.offset
    values, root, state = estimate.values, estimate.root, estimate.state
    wide, rows, expected = prediction.wide, prediction.rows, prediction.expected
    count = values.size
    size = count + STATE
    directions = size + 6
    # where the estimate lies from the centre, in the root's coordinates
    away = np.zeros(directions)
    begin, pushed = copied(state), force.copy()
    middle = values
    if centred:
        middle = point.values
        for j in range(count):
            away[j] = values[j] - middle[j]
        rotation_between(state.rotation, point.state.rotation, away[count + 3 : count + 6])
        for k in range(3):
            away[count + k] = state.position[k] - point.state.position[k]
        for k in range(6):
            away[count + 6 + k] = state.twist[k] - point.state.twist[k]
            away[size + k] = -point.force[k] / spread[k]
            pushed[0, k] += point.force[k]
            pushed[1, k] += point.force[k]
        for i in range(size):
            for k in range(i):
                away[i] -= root[i, k] * away[k]
            away[i] /= root[i, i]
        assign(begin, point.state)
    phi = known.copy()
    tilts, biases = np.zeros((known.size, count)), np.zeros((READINGS, count))
    for j in range(count):
        for k in range(known.size):
            phi[k] += mapping[k, j] * middle[j]
            if mapping[k, j] != 0.0:
                for i in range(j + 1):
                    tilts[k, i] += mapping[k, j] * root[j, i]
        for k in range(READINGS):
            if offset[k, j] != 0.0:
                for i in range(j + 1):
                    biases[k, i] += offset[k, j] * root[j, i]
    scratch, result = step_scratch(), step_result()
    centre = np.zeros(READINGS)
    assign(state, begin)
    if not advance_and_read(model, sensors, phi, pushed, guess, state, centre, scratch, result):
        return False
    acceleration = result.mean_acceleration.copy()
    wide[:, :] = 0.0
    rows[:, :] = 0.0
    tilt = np.empty(phi.size)
    side_state, readings = one_state(), np.zeros(READINGS)
    out = np.empty((2, STATE + READINGS))
    shift, moved = np.zeros(STATE + READINGS), np.zeros(STATE + READINGS)
    step = np.zeros(STATE)
    for i in range(directions):
        gamma = PARAMETER_SPREAD if i < count else STATE_SPREAD
        for k in range(STATE):
            step[k] = root[count + k, i] if i < size else 0.0
        for side in range(2):
            sign = gamma if side == 0 else -gamma
            for k in range(phi.size):
                tilt[k] = phi[k] + (sign * tilts[k, i] if i < count else 0.0)
            move(begin, step, sign, side_state)
            if i >= size:
                for k in range(2):
                    pushed[k, i - size] += sign * spread[i - size]
            if not advance_and_read(
                model, sensors, tilt, pushed, guess, side_state, readings, scratch, result
            ):
                return False
            if i >= size:
                for k in range(2):
                    pushed[k, i - size] -= sign * spread[i - size]
            for k in range(3):
                out[side, k] = side_state.position[k] - state.position[k]
            rotation_between(side_state.rotation, state.rotation, out[side, 3:6])
            for k in range(6):
                out[side, 6 + k] = side_state.twist[k] - state.twist[k]
            for k in range(READINGS):
                out[side, STATE + k] = readings[k] - centre[k]
                if i < count:
                    out[side, STATE + k] += sign * biases[k, i]
        for k in range(STATE + READINGS):
            odd = (out[0, k] - out[1, k]) / (2.0 * gamma)
            even = 0.5 * (out[0, k] + out[1, k]) / gamma
            if centred and i < count:
                even = 0.0
            shift[k] += even / gamma
            moved[k] += odd * away[i]
            if k < STATE:
                wide[count + k, i] = odd
                wide[count + k, directions + i] = even
            else:
                rows[k - STATE, i] = odd
                rows[k - STATE, directions + i] = even
    for j in range(count):
        for i in range(j + 1):
            wide[j, i] = root[j, i]
    for k in range(STATE):
        wide[count + k, 2 * directions] = shift[k]
    for k in range(READINGS):
        rows[k, 2 * directions] = shift[STATE + k]
        expected[k] = centre[k] + shift[STATE + k] + moved[STATE + k]
        for j in range(count):
            expected[k] += offset[k, j] * middle[j]
    for k in range(STATE):
        moved[k] += shift[k]
    move(copied(state), moved, 1.0, state)
    for k in range(6):
        guess[k] = acceleration[k]
    return True
