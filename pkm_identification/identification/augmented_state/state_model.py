# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""One sample period of the machine under measured strut forces: the process model of joint and dual estimation.

Platform coordinates, u = (v, w) at the platform frame's origin, base axes:

    M(x; w) u' = J^T (F - friction(J u; w)) - h(x, u; w) ,

with M and h of `dynamics.mass`, hence for any parameters w. M, h and J change over tens of milliseconds and are taken
once, in the middle of the period. Friction bends within 2 mm/s, a slope of some 10^4 N s/m: strut rates settle in less
than the period, so friction is integrated implicitly in a few substeps. In each the strut rates go linearly from r1 to
r2 and friction acts with its mean over that line,

    r2 = r1 + h (J M^-1 J^T) (F - mean friction(r1, r2)) - h J M^-1 bias ,

solved by Newton's method, which takes back half of a step that went over a bend and too far: stable for any slope and
well damped while it settles slower than in a hundredth of the substep; no kink is stepped over, and momentum is exact
for a linear rate. Friction of the joints is part of it, as the strut forces that do the same work. The drive force goes
linearly from one sample to the next.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.mechanisms.friction import friction_along, friction_slope
from pkm_identification.mechanisms.hexapod.dynamics.joint_friction import (
    fill_axes_of_struts,
    fill_mean_joint_forces,
)
from pkm_identification.mechanisms.hexapod.dynamics.mass import fill_mass
from pkm_identification.mechanisms.hexapod.dynamics.records import friction_coefficients, unpacked
from pkm_identification.mechanisms.hexapod.kinematics.jacobian import fill_jacobian
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.linear_systems import invert6, solve6, solve_positive6
from pkm_identification.numerics.rotation import turn

NEWTON_ITERATIONS = 8
NODES = 4  # places on the line of rates over which friction is averaged


@kernel
def _mean_friction(first, last, law, coefficients, strut):
    """Friction averaged while the rate goes linearly from `first` to `last`, and its derivative by `last`."""
    force, slope = 0.0, 0.0
    for n in range(NODES):
        part = (n + 0.5) / NODES
        rate = first + part * (last - first)
        force += friction_along(rate, law, coefficients, strut)
        slope += part * friction_slope(rate, law, coefficients, strut)
    return force / NODES, slope / NODES


@kernel
def advance(model, phi, force, guess, state, scratch, result):
    """Move one state on by one period, in place; False where the mass matrix is not positive definite.

    `force` (2, 6) are the strut forces at the period's ends, `guess` (6,) an acceleration near the present one; model,
    state, scratch and result as in `records`.
    """
    period, substeps = model.period, model.substeps
    geometry = unpacked(model.packed)
    law, coefficients = geometry.law, friction_coefficients(geometry, phi)
    position, rotation, twist = state.position, state.rotation, state.twist
    mass, jac, compliance, mobility, matrix = (
        scratch.mass, scratch.jacobian, scratch.compliance, scratch.mobility, scratch.matrix)  # fmt: skip
    bias, rate, last = scratch.bias, scratch.rate, scratch.last
    residual, slope, net = scratch.residual, scratch.slope, scratch.net
    rubbing, rubbing_slope, axes = scratch.rubbing, scratch.rubbing_slope, scratch.axes
    joints = geometry.joint_transition > 0.0
    middle, turned, speed = np.empty(3), np.empty((3, 3)), np.empty(6)
    half = 0.5 * period
    for k in range(6):
        speed[k] = twist[k] + half * guess[k]
    for k in range(3):
        middle[k] = position[k] + half * (twist[k] + 0.5 * half * guess[k])
    turn(
        rotation,
        half * (twist[3] + 0.5 * half * guess[3]),
        half * (twist[4] + 0.5 * half * guess[4]),
        half * (twist[5] + 0.5 * half * guess[5]),
        turned,
    )
    fill_mass(geometry, phi, middle, turned, speed, mass, bias, residual, slope)
    fill_jacobian(geometry.base, geometry.platform, middle, turned, jac, residual)
    columns = np.empty((6, 7))
    for i in range(6):
        for k in range(6):
            columns[i, k] = jac[k, i]
        columns[i, 6] = bias[i]
    if not solve_positive6(mass, columns):
        return False
    if joints:
        inverse = np.empty((6, 6))
        if not invert6(jac, inverse, np.empty((6, 6))):
            return False
        fill_axes_of_struts(geometry, middle, turned, inverse, axes)
    for i in range(6):
        bias[i] = columns[i, 6]
        for k in range(6):
            compliance[i, k] = columns[i, k]
            mobility[i, k] = 0.0
    for i in range(6):
        for m in range(6):
            for k in range(6):
                mobility[i, k] += jac[i, m] * compliance[m, k]
    for i in range(6):
        rate[i] = 0.0
        for k in range(6):
            rate[i] += jac[i, k] * twist[k]
        result.first_friction[i] = friction_along(rate[i], law, coefficients, i)
        rubbing[i] = 0.0
    if joints:
        fill_mean_joint_forces(geometry, phi, axes, rate, rate, 1, rubbing, rubbing_slope)
    for i in range(6):
        result.mean_acceleration[i] = 0.0
        result.first_acceleration[i] = -bias[i]
        for k in range(6):
            pushing = force[0, k] - result.first_friction[k] - rubbing[k]
            result.first_acceleration[i] += compliance[i, k] * pushing
    h = period / substeps
    # pose displacement in the period, in twist coordinates
    for k in range(6):
        speed[k] = 0.0
    gained = np.zeros(6)
    steady, newton = np.empty(6), np.zeros(6)
    drop = np.empty(6)
    for i in range(6):
        drop[i] = 0.0
        for k in range(6):
            drop[i] += jac[i, k] * bias[k]
        last[i] = rate[i]
        for k in range(6):
            last[i] += h * jac[i, k] * guess[k]
    for n in range(substeps):
        share = (n + 0.5) / substeps
        for i in range(6):
            steady[i] = force[0, i] + share * (force[1, i] - force[0, i])
        before = np.inf
        for _ in range(NEWTON_ITERATIONS):
            if joints:
                fill_mean_joint_forces(geometry, phi, axes, rate, last, NODES, rubbing, rubbing_slope)
            for i in range(6):
                friction, slope[i] = _mean_friction(rate[i], last[i], law, coefficients, i)
                net[i] = steady[i] - friction - rubbing[i]
            largest = 0.0
            for i in range(6):
                residual[i] = rate[i] - h * drop[i] - last[i]
                for k in range(6):
                    residual[i] += h * mobility[i, k] * net[k]
                    matrix[i, k] = h * mobility[i, k] * slope[k]
                    if joints:
                        for m in range(6):
                            matrix[i, k] += h * mobility[i, m] * rubbing_slope[m, k]
                matrix[i, i] += 1.0
                largest = max(largest, abs(residual[i]))
            if not largest > 1e-12:
                break
            if largest < before:
                before = largest
                solve6(matrix, residual)
                for i in range(6):
                    newton[i] = residual[i]
                    last[i] += newton[i]
            else:
                # over a bend and too far: back by half, or it would go to and fro for ever
                for i in range(6):
                    newton[i] *= 0.5
                    last[i] -= newton[i]
        for i in range(6):
            change = -h * bias[i]
            for k in range(6):
                change += h * compliance[i, k] * net[k]
            speed[i] += h * (twist[i] + gained[i] + 0.5 * change)
            gained[i] += change
        for i in range(6):
            change = last[i] - rate[i]
            rate[i] = last[i]
            last[i] += change
    for i in range(6):
        result.last_friction[i] = friction_along(rate[i], law, coefficients, i)
        result.last_rate[i] = rate[i]
        result.mean_acceleration[i] = gained[i] / period
    if joints:
        fill_mean_joint_forces(geometry, phi, axes, rate, rate, 1, rubbing, rubbing_slope)
    for i in range(6):
        result.last_acceleration[i] = -bias[i]
        for k in range(6):
            pushing = force[1, k] - result.last_friction[k] - rubbing[k]
            result.last_acceleration[i] += compliance[i, k] * pushing
    for k in range(3):
        position[k] += speed[k]
    turn(rotation, speed[3], speed[4], speed[5], turned)
    for i in range(3):
        for j in range(3):
            rotation[i, j] = turned[i, j]
    total = 0.0
    for k in range(6):
        twist[k] += gained[k]
        total += twist[k]
    return np.isfinite(total)
