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
from pkm_identification.mechanisms.hexapod.kinematics.forward import turn
from pkm_identification.numerics.compiled import kernel

from .state_model import advance

STATE = 12
READINGS = 12  # specific force, angular rate, six strut forces
STATE_SPREAD = np.sqrt(3.0)
PARAMETER_SPREAD = 0.01


@kernel
def rotation_between(turned, rotation, vector):
    """Write the rotation vector (3,) with turned = exp([vector]) rotation, for angles well below pi."""
    sine = 0.0
    for a in range(3):
        b, c = (a + 1) % 3, (a + 2) % 3
        total = 0.0
        for k in range(3):
            total += turned[c, k] * rotation[b, k] - turned[b, k] * rotation[c, k]
        vector[a] = 0.5 * total
        sine += vector[a] ** 2
    sine = np.sqrt(sine)
    if sine > 1e-6:
        scale = np.arcsin(min(sine, 1.0)) / sine
        for a in range(3):
            vector[a] *= scale


@kernel
def move(position, rotation, twist, step, scale, moved_position, moved_rotation, moved_twist):
    """Write the state a step (12,) times `scale` away."""
    for k in range(3):
        moved_position[k] = position[k] + scale * step[k]
    turn(rotation, scale * step[3], scale * step[4], scale * step[5], moved_rotation)
    for k in range(6):
        moved_twist[k] = twist[k] + scale * step[6 + k]


@kernel
def advance_and_read(model, sensors, phi, force, guess, position, rotation, twist, readings, work):
    """Advance a state in place and write the mean `readings` (12,) over the period; False if there is no such state.

    `model` is `JointModel.arguments`, `sensors` `JointModel.sensors`, `work` (9, 6, 6). What sees accelerations is
    taken by the mean of its samples at both ends of the period, as the drive force is.
    """
    packed, period, substeps = model
    geometry = unpacked(packed)
    place, axes, with_imu, with_force, at_platform = sensors
    before_x, before_u = work[7, 0], work[7, 1]
    first, second, net = work[7, 2], work[7, 3], work[7, 4]
    before_r = np.empty((3, 3))
    for k in range(3):
        before_x[k] = position[k]
        for l in range(3):
            before_r[k, l] = rotation[k, l]
    for k in range(6):
        before_u[k] = twist[k]
    if not advance(geometry, period, substeps, phi, force, guess, position, rotation, twist, work):
        return False
    told = work[6]
    if with_imu:
        imu_reading(place, axes, geometry.gravity, before_r, before_u, told[1], first)
        imu_reading(place, axes, geometry.gravity, rotation, twist, told[2], second)
        for k in range(6):
            readings[k] = 0.5 * (first[k] + second[k])
    if with_force:
        for k in range(6):
            net[k] = force[0, k] - told[3, k]
        before = MotionSample(before_x, before_r, before_u, told[1])
        strut_force_reading(geometry, phi, at_platform, before, net, first)
        for k in range(6):
            net[k] = force[1, k] - told[4, k]
        after = MotionSample(position, rotation, twist, told[2])
        strut_force_reading(geometry, phi, at_platform, after, net, second)
        for k in range(6):
            readings[6 + k] = 0.5 * (first[k] + second[k])
    return True


@kernel
def predict(model, sensors, known, mapping, offset, spread, force, guess, values, root, position, rotation, twist,
            centred, point, wide, rows, expected):  # fmt: skip
    """Predict state, root and readings over one period; False where a sigma point has no acceleration.

    Parameters, with P values and n = P + 12:

    `known` (B,) + `mapping` (B, P) `values` (P,) is the basis, `offset` (12, P) `values` what is added to readings
    (biases of the IMU); `spread` (6,) is the standard deviation of the force noise in N; `root` (n, n) is lower
    triangular. The model is made linear around the estimate, or, when `centred`, around `point`: values (P,),
    position, rotation, twist and force noise (6,) known from elsewhere. Parameters then enter linearly: a curvature
    taken over the width of a prior would move states that are known.

    On return position, rotation and twist are the predicted mean, `wide` (n, 2 n + 13) the predicted root, not yet
    triangular, `rows` (12, 2 n + 13) the readings' in the same coordinates, `expected` (12,) the readings' mean,
    `guess` (6,) the mean's acceleration.
    """
    count = values.size
    size = count + STATE
    directions = size + 6
    at_values, at_x, at_r, at_u, at_force = point
    # where the estimate lies from the centre, in the root's coordinates
    away = np.zeros(directions)
    start_x, start_r, start_u, pushed = position.copy(), rotation.copy(), twist.copy(), force.copy()
    middle = values
    if centred:
        middle = at_values
        for j in range(count):
            away[j] = values[j] - at_values[j]
        rotation_between(rotation, at_r, away[count + 3 : count + 6])
        for k in range(3):
            away[count + k] = position[k] - at_x[k]
        for k in range(6):
            away[count + 6 + k] = twist[k] - at_u[k]
            away[size + k] = -at_force[k] / spread[k]
            pushed[0, k] += at_force[k]
            pushed[1, k] += at_force[k]
        for i in range(size):
            for k in range(i):
                away[i] -= root[i, k] * away[k]
            away[i] /= root[i, i]
        start_x[:], start_r[:, :], start_u[:] = at_x, at_r, at_u
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
    work = np.empty((9, 6, 6))
    centre = np.zeros(READINGS)
    position[:], rotation[:, :], twist[:] = start_x, start_r, start_u
    acceleration = np.empty(6)
    if not advance_and_read(
        model, sensors, phi, pushed, guess, position, rotation, twist, centre, work):  # fmt: skip
        return False
    for k in range(6):
        acceleration[k] = work[6, 0, k]
    wide[:, :] = 0.0
    rows[:, :] = 0.0
    tilt = np.empty(phi.size)
    x, r, u, readings = np.empty(3), np.empty((3, 3)), np.empty(6), np.zeros(READINGS)
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
            move(start_x, start_r, start_u, step, sign, x, r, u)
            if i >= size:
                for k in range(2):
                    pushed[k, i - size] += sign * spread[i - size]
            if not advance_and_read(model, sensors, tilt, pushed, guess, x, r, u, readings, work):
                return False
            if i >= size:
                for k in range(2):
                    pushed[k, i - size] -= sign * spread[i - size]
            for k in range(3):
                out[side, k] = x[k] - position[k]
            rotation_between(r, rotation, out[side, 3:6])
            for k in range(6):
                out[side, 6 + k] = u[k] - twist[k]
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
    move(position.copy(), rotation.copy(), twist.copy(), moved, 1.0, position, rotation, twist)
    for k in range(6):
        guess[k] = acceleration[k]
    return True
