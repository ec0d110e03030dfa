# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Integrating a closed mechanism over one period: `simulation.stepping` for any number of drives and rubbing axes.

What MuJoCo evaluates is taken at both ends of the period and interpolated linearly; friction, end stops and drive
forces are integrated with it in many small implicit steps (two stages, L-stable). The motion is that of the driven
coordinates; forces resist along R axes, the drives first and then what rubs in passive joints. A joint that turns any
way has three of them and resists against the direction in which it turns, (F / max(|W|, r_t) + c) W.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pkm_identification.mechanisms.friction import friction_along, friction_slope
from pkm_identification.mechanisms.friction.law import TRANSITION, law_tuple
from pkm_identification.mechanisms.multibody.kernels.linear import factorize, solve_factored
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel

from ..stepping import GAMMA, NEWTON_ITERATIONS, end_stop, stopped_at_bend

VISCOUS, COULOMB = 0, 1  # rows of a passive joint's coefficients, whose law is `coulomb`


class Resistance(NamedTuple):
    """Friction of R axes, and end stops of the n drives, which are the first of them.

    Attributes
    ----------
    laws : ndarray, shape (2, 4)
        `Friction.law_parameters` of the drives and of the passive joints.
    coefficients : ndarray, shape (TERMS, R)
        Of friction, followed by zeros.
    stops : ndarray, shape (4, n)
        Least and greatest coordinate, stiffness (0: no stop) and damping of each drive's end stops.
    triple : ndarray of int64, shape (R,)
        Of the axes of a passive joint that turns any way, the first of its three; -1 of others.
    """

    laws: FloatArray
    coefficients: FloatArray
    stops: FloatArray
    triple: NDArray[np.int64]


class Dynamics(NamedTuple):
    """s'' = free + compliance[:, :n] drive - compliance resistance(jacobian s').

    Attributes
    ----------
    free : ndarray, shape (..., n)
    compliance : ndarray, shape (..., n, R)
        Acceleration of the drives per force along an axis.
    jacobian : ndarray, shape (..., R, n)
        Rates of the axes per rate of the drives.
    """

    free: FloatArray
    compliance: FloatArray
    jacobian: FloatArray


@kernel
def resist(rate, place, resistance, force, slope, stiffness):
    """Write the forces (R,) against rates (R,) at drive coordinates (n,), and their slopes by rate and coordinate.

    Those of a joint that turns any way are its slopes as long as the direction in which it turns stays.
    """
    drives = place.shape[0]
    for i in range(rate.shape[0]):
        first = resistance.triple[i]
        if first >= 0:
            size = max(turning_speed(rate, first), resistance.laws[1, TRANSITION])
            slope[i] = resistance.coefficients[VISCOUS, i] + resistance.coefficients[COULOMB, i] / size
            force[i] = slope[i] * rate[i]
            stiffness[i] = 0.0
            continue
        law = law_tuple(resistance.laws[0 if i < drives else 1], 0)
        force[i] = friction_along(rate[i], law, resistance.coefficients, i)
        slope[i] = friction_slope(rate[i], law, resistance.coefficients, i)
        stiffness[i] = 0.0
        if i < drives:
            stop, damping, spring = end_stop(rate[i], place[i], resistance.stops, i)
            force[i] += stop
            slope[i] += damping
            stiffness[i] = spring


@kernel
def turning_speed(rate, first):
    """How fast a joint turns whose three axes begin with `first`, rad/s."""
    return np.sqrt(rate[first] ** 2 + rate[first + 1] ** 2 + rate[first + 2] ** 2)


@kernel
def couple_triples(rate, h, mobility, resistance, matrix):
    """Take off a stage's matrix (R, R) what `resist` has too much of: sliding, Coulomb friction does not grow.

    The derivative of F W / |W| is F (1 - W W^T / |W|^2) / |W|, of which the slopes are the first part.
    """
    axes = rate.shape[0]
    for k in range(axes):
        first = resistance.triple[k]
        if first < 0:
            continue
        size = turning_speed(rate, first)
        if size > resistance.laws[1, TRANSITION]:
            share = h * resistance.coefficients[COULOMB, k] * rate[k] / size**3
            for i in range(axes):
                for m in range(first, first + 3):
                    matrix[i, k] -= share * mobility[i, m] * rate[m]


@kernel
def stopped_triple(rate, change, first, bend):
    """Newton's step of a joint that turns any way, in place; it ends at rest where the joint would turn back.

    As `simulation.stepping.stopped_at_bend` along an axis.
    """
    before, onward = turning_speed(rate, first), 0.0
    for i in range(first, first + 3):
        onward += rate[i] * (rate[i] + change[i])
        rate[i] += change[i]
    if before > bend and onward < 0.0 and turning_speed(rate, first) > bend:
        for i in range(first, first + 3):
            rate[i] = 0.0


@kernel
def _solve_stage(known, place, h, dynamics, drive, resistance, rate, change):
    """Solve s' = known + h s''(s') for one stage; axis rates (R,), the first guess inside, and s'' are written."""
    axes, drives = dynamics.jacobian.shape
    free, compliance, jacobian = dynamics.free, dynamics.compliance, dynamics.jacobian
    force, slope, stiffness = np.empty((3, axes))
    mobility, matrix = np.empty((axes, axes)), np.empty((axes, axes))
    order, scales = np.empty(axes, dtype=np.int64), np.empty((2, axes))
    start, residual = np.empty((2, axes))
    reached = np.empty(drives)
    pushed = np.empty(drives)
    for i in range(drives):
        pushed[i] = free[i]
        for k in range(drives):
            pushed[i] += compliance[i, k] * drive[k]
    for i in range(axes):
        start[i] = 0.0
        for k in range(drives):
            start[i] += jacobian[i, k] * (known[k] + h * pushed[k])
        for k in range(axes):
            mobility[i, k] = 0.0
            for m in range(drives):
                mobility[i, k] += jacobian[i, m] * compliance[m, k]
    # in the axes' rates: r = jacobian (known + h pushed) - h mobility resistance(r)
    for _ in range(NEWTON_ITERATIONS):
        for i in range(drives):
            reached[i] = place[i] + h * rate[i]
        resist(rate, reached, resistance, force, slope, stiffness)
        largest, scale = 0.0, 1e-12
        for i in range(axes):
            residual[i] = start[i] - rate[i]
            size = abs(start[i])
            for k in range(axes):
                part = h * mobility[i, k] * force[k]
                residual[i] -= part
                size += abs(part)
                matrix[i, k] = h * mobility[i, k] * (slope[k] + h * stiffness[k])
            matrix[i, i] += 1.0
            largest = max(largest, abs(residual[i]))
            scale = max(scale, size)
        if largest <= 1e-13 * scale:
            break
        couple_triples(rate, h, mobility, resistance, matrix)
        scales[:] = 1.0  # rows and columns are rates alike
        factorize(matrix, order, scales)
        solve_factored(matrix, order, residual)
        for i in range(axes):
            bend = resistance.laws[0 if i < drives else 1, TRANSITION]
            if resistance.triple[i] < 0:
                rate[i] = stopped_at_bend(rate[i], rate[i] + residual[i], bend)
            elif resistance.triple[i] == i:
                stopped_triple(rate, residual, i, bend)
    for i in range(drives):
        change[i] = pushed[i]
        for k in range(axes):
            change[i] -= compliance[i, k] * force[k]


@kernel
def advance(place, speed, dynamics, drive, resistance, duration, steps):
    """Move drive coordinates and rates (n,) on, in place, over one period in `steps` small steps.

    `dynamics` (2, ...) and the drive forces (2, n) are those at the period's start and end.
    """
    axes, drives = dynamics.jacobian.shape[1:]
    h = duration / steps
    now = Dynamics(np.empty(drives), np.empty((drives, axes)), np.empty((axes, drives)))
    force, known, reached, change, first_change, first_rate = np.empty((6, drives))
    rate = np.zeros(axes)
    for i in range(axes):
        for k in range(drives):
            rate[i] += dynamics.jacobian[0, i, k] * speed[k]
    for n in range(steps):
        for s in range(2):
            t = (n + (GAMMA if s == 0 else 1.0)) / steps
            for i in range(drives):
                now.free[i] = dynamics.free[0, i] + t * (dynamics.free[1, i] - dynamics.free[0, i])
                force[i] = drive[0, i] + t * (drive[1, i] - drive[0, i])
                for k in range(axes):
                    begin, end = dynamics.compliance[0, i, k], dynamics.compliance[1, i, k]
                    now.compliance[i, k] = begin + t * (end - begin)
                    begin, end = dynamics.jacobian[0, k, i], dynamics.jacobian[1, k, i]
                    now.jacobian[k, i] = begin + t * (end - begin)
                known[i], reached[i] = speed[i], place[i]
                if s == 1:
                    known[i] += (1.0 - GAMMA) * h * first_change[i]
                    reached[i] += (1.0 - GAMMA) * h * first_rate[i]
            _solve_stage(known, reached, GAMMA * h, now, force, resistance, rate, change)
            if s == 0:
                for i in range(drives):
                    first_change[i] = change[i]
                    first_rate[i] = known[i] + GAMMA * h * change[i]
        for i in range(drives):
            speed[i] = known[i] + GAMMA * h * change[i]
            place[i] = reached[i] + GAMMA * h * speed[i]
