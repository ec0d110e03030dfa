# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Integrating the closed machine over one control period.

Two time scales live in a hexapod with friction. Configuration, inertia and gravity change over tens of milliseconds;
friction bends within 2 mm/s, which makes strut rates decay in 0.05 ms (50 000 N s/m on a few kilograms). Hence: what
MuJoCo evaluates is taken at both ends of the period and interpolated linearly in between (predictor, then corrector:
the trapezoidal rule), while friction, end stops and drive forces are integrated with it in many small implicit
midpoint steps, stable for any friction. The usual law is piecewise linear in the strut rates, so Newton's method ends
after one or two 6 x 6 solutions; where a law jumps (the source's, by its viscous part), the step ends on either side.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pkm_identification.mechanisms.friction import friction_along, friction_slope
from pkm_identification.mechanisms.friction.law import TRANSITION, law_tuple
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.linear_systems import solve6
from pkm_identification.numerics.rows import copy_vector

NEWTON_ITERATIONS = 20
_SHORTEST, _LONGEST, _STIFFNESS, _DAMPING = range(4)  # rows of `StrutResistance.stops`
GAMMA = 1.0 - np.sqrt(0.5)  # both stages' implicit share: the value that makes the method L-stable


class StrutResistance(NamedTuple):
    """Friction and end stops of the struts.

    Attributes
    ----------
    law : ndarray
        `Friction.law_parameters`.
    coefficients : ndarray, shape (TERMS, 6)
        Of friction, followed by zeros.
    stops : ndarray, shape (4, 6)
        Shortest and longest length (m) of each strut, stiffness (N/m, 0: no stop) and damping (N s/m) of its end stops.
    """

    law: FloatArray
    coefficients: FloatArray
    stops: FloatArray


@kernel
def end_stop(rate, length, stops, i):
    """Force of strut i's end stops against the drive, and its slopes by rate and by length."""
    if stops[_STIFFNESS, i] > 0.0:
        shortest, longest = stops[_SHORTEST, i], stops[_LONGEST, i]
        beyond = length - longest if length > longest else min(0.0, length - shortest)
        push = stops[_STIFFNESS, i] * beyond + stops[_DAMPING, i] * rate
        if beyond * push > 0.0:  # a stop pushes back, it does not hold
            return push, stops[_DAMPING, i], stops[_STIFFNESS, i]
    return 0.0, 0.0, 0.0


@kernel
def strut_resistance(rate, length, law, coefficients, stops, i):
    """Friction and end-stop force against the drive of strut i, and its slopes by rate and by length.

    `law` is `Friction.law_parameters` as a tuple, `coefficients` and `stops` of
    a `StrutResistance`.
    """
    stop, stop_slope, stiffness = end_stop(rate, length, stops, i)
    force = friction_along(rate, law, coefficients, i) + stop
    slope = friction_slope(rate, law, coefficients, i) + stop_slope
    return force, slope, stiffness


class PlatformDynamics(NamedTuple):
    """u' = free + compliance (drive - resistance(jacobian u)) of a twist u, at one instant or at both of a period.

    Attributes
    ----------
    free : ndarray, shape (..., 6)
    compliance, jacobian : ndarray, shape (..., 6, 6)
        Acceleration per strut force, strut rates per twist.
    drive : ndarray, shape (..., 6)
        Drive forces, N.
    """

    free: FloatArray
    compliance: FloatArray
    jacobian: FloatArray
    drive: FloatArray


class Motion(NamedTuple):
    """What moves, in place: pose (7,) (place, quaternion w, x, y, z), twist (6,) and strut lengths (6,)."""

    pose: FloatArray
    twist: FloatArray
    length: FloatArray


@kernel
def present_motion(twist, length, now, struts, rate, resistance, acceleration):
    """Write strut rates, resistances (6,) and the platform's acceleration (6,) at one instant, by its dynamics."""
    law = law_tuple(struts.law, 0)
    for i in range(6):
        rate[i] = 0.0
        for k in range(6):
            rate[i] += now.jacobian[i, k] * twist[k]
        resistance[i] = strut_resistance(rate[i], length[i], law, struts.coefficients, struts.stops, i)[0]
    for i in range(6):
        acceleration[i] = now.free[i]
        for k in range(6):
            acceleration[i] += now.compliance[i, k] * (now.drive[k] - resistance[k])


class Stage(NamedTuple):
    """Of one implicit stage, (6,) each: twist, its change per second, strut rates."""

    twist: FloatArray
    change: FloatArray
    rate: FloatArray


class StageScratch(NamedTuple):
    """Room for Newton's method: matrices (6, 6) and vectors (6,)."""

    mobility: FloatArray
    matrix: FloatArray
    residual: FloatArray
    start: FloatArray
    net: FloatArray
    slope: FloatArray


@kernel
def stopped_at_bend(rate, new, bend):
    """The next rate of Newton's method: from one sliding branch it may jump to the other and back for ever."""
    return 0.0 if abs(rate) > bend and abs(new) > bend and new * rate < 0.0 else new


@kernel
def _solve_stage(known, length, h, dynamics, struts, stage, scratch):
    """Solve twist = known + h change(twist) for one implicit stage; rates, twist and change (6,) are written.

    change = smooth + compliance (drive - resistance(jacobian twist, length + h jacobian twist)) with the `dynamics`
    (`PlatformDynamics`); `stage` (`Stage`) is written, its rate holds the first guess.
    """
    law, coefficients, stops = law_tuple(struts.law, 0), struts.coefficients, struts.stops
    smooth, drive, comp, jac = dynamics.free, dynamics.drive, dynamics.compliance, dynamics.jacobian
    twist, rate, change = stage.twist, stage.rate, stage.change
    mobility, matrix, residual = scratch.mobility, scratch.matrix, scratch.residual
    start, net, slope = scratch.start, scratch.net, scratch.slope
    for i in range(6):
        start[i] = 0.0
        for k in range(6):
            start[i] += jac[i, k] * (known[k] + h * smooth[k])
            mobility[i, k] = 0.0
            for m in range(6):
                mobility[i, k] += jac[i, m] * comp[m, k]
    # in the strut rates: r = jac (known + h smooth) + h mobility (drive - resistance(r))
    for _ in range(NEWTON_ITERATIONS):
        for i in range(6):
            resistance, by_rate, by_length = strut_resistance(
                rate[i], length[i] + h * rate[i], law, coefficients, stops, i
            )
            net[i] = drive[i] - resistance
            slope[i] = by_rate + h * by_length
        largest, scale = 0.0, 1e-12
        for i in range(6):
            residual[i] = start[i] - rate[i]
            size = abs(start[i])
            for k in range(6):
                part = h * mobility[i, k] * net[k]
                residual[i] += part
                size += abs(part)
                matrix[i, k] = h * mobility[i, k] * slope[k]
            matrix[i, i] += 1.0
            largest = max(largest, abs(residual[i]))
            scale = max(scale, size)
        if largest <= 1e-13 * scale:
            break
        solve6(matrix, residual)
        for i in range(6):
            rate[i] = stopped_at_bend(rate[i], rate[i] + residual[i], law[TRANSITION])
    for i in range(6):
        change[i] = smooth[i]
        for k in range(6):
            change[i] += comp[i, k] * net[k]
        twist[i] = known[i] + h * change[i]


@kernel
def advance(motion, ends, struts, duration, steps):
    """Move a `Motion` on, in place, over one period in `steps` small steps.

    `ends` are the `PlatformDynamics` at the period's start and end, 2 of each. Lengths follow, for the end stops.
    `struts` is a `StrutResistance`.
    """
    pose, twist, length = motion.pose, motion.twist, motion.length
    free, compliance, jacobian, force = ends.free, ends.compliance, ends.jacobian, ends.drive
    h = duration / steps
    smooth, drive, known, rate, first_rate = np.empty((5, 6))
    stage, change, first, first_change = np.empty((4, 6))
    comp, jac = np.empty((6, 6)), np.empty((6, 6))
    reached = np.empty(6)
    dynamics, here = PlatformDynamics(smooth, comp, jac, drive), Stage(stage, change, rate)
    scratch = StageScratch(
        np.empty((6, 6)), np.empty((6, 6)), np.empty(6), np.empty(6), np.empty(6), np.empty(6)
    )
    for i in range(6):
        rate[i] = 0.0
        for k in range(6):
            rate[i] += jacobian[0, i, k] * twist[k]
    for n in range(steps):
        for s in range(2):
            t = (n + (GAMMA if s == 0 else 1.0)) / steps
            for i in range(6):
                smooth[i] = free[0, i] + t * (free[1, i] - free[0, i])
                drive[i] = force[0, i] + t * (force[1, i] - force[0, i])
                for j in range(6):
                    comp[i, j] = compliance[0, i, j] + t * (compliance[1, i, j] - compliance[0, i, j])
                    jac[i, j] = jacobian[0, i, j] + t * (jacobian[1, i, j] - jacobian[0, i, j])
                known[i] = twist[i]
                reached[i] = length[i]
                if s == 1:
                    known[i] += (1.0 - GAMMA) * h * first_change[i]
                    reached[i] += (1.0 - GAMMA) * h * first_rate[i]
            _solve_stage(known, reached, GAMMA * h, dynamics, struts, here, scratch)
            if s == 0:
                copy_vector(stage, first)
                copy_vector(change, first_change)
                copy_vector(rate, first_rate)
        for k in range(3):
            pose[k] += h * ((1.0 - GAMMA) * first[k] + GAMMA * stage[k])
        turn_pose(
            pose,
            (1.0 - GAMMA) * first[3] + GAMMA * stage[3],
            (1.0 - GAMMA) * first[4] + GAMMA * stage[4],
            (1.0 - GAMMA) * first[5] + GAMMA * stage[5],
            h,
        )
        for i in range(6):
            twist[i] = stage[i]
            length[i] = reached[i] + GAMMA * h * rate[i]


@kernel
def turn_pose(pose, wx, wy, wz, h):
    """Turn the pose's quaternion (w, x, y, z) by the rotation of a constant angular velocity in base axes."""
    speed = np.sqrt(wx * wx + wy * wy + wz * wz)
    half = 0.5 * h * speed
    c = np.cos(half)
    k = 0.5 * h if speed == 0.0 else np.sin(half) / speed
    x, y, z = k * wx, k * wy, k * wz
    a, b, d, e = pose[3], pose[4], pose[5], pose[6]
    pose[3] = c * a - x * b - y * d - z * e
    pose[4] = c * b + x * a + y * e - z * d
    pose[5] = c * d + y * a + z * b - x * e
    pose[6] = c * e + z * a + x * d - y * b
    norm = np.sqrt(pose[3] ** 2 + pose[4] ** 2 + pose[5] ** 2 + pose[6] ** 2)
    for i in range(3, 7):
        pose[i] /= norm
