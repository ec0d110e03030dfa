# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A fall of any machine from rest, with the drives off and without friction."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

from .contract import DEGRADED, Machine, Motion
from .motions import compute_nearby_motion, differentiate_by_drives

ACCURACY = 1e-10  # of a step, relative: below a count of any encoder, so that differences of falls are smooth
STEPS = 100  # of what is near to a fall: arms that swing at 30 rad/s turn by .05 rad in a step of .15 s
COORDINATE_STEP, RATE_STEP = 1e-5, 1e-3  # in large changes of a drive, and those per second, for differences


class FallSlopes(NamedTuple):
    """How a fall depends on values (N, n, P), on coordinates at its start (N, n, n) and on the time (N, n)."""

    values: FloatArray
    start: FloatArray
    time: FloatArray


def compute_fall(machine: Machine, values: FloatArray, start: Motion, time: FloatArray) -> FloatArray:
    """Return the drives' coordinates of a fall from rest with no force of the drives and no friction, (N, n).

    By the machine's own `compute_fall` where it has one that is quicker.

    Parameters
    ----------
    machine : Machine
    values : ndarray, shape (B,)
        Of the basis; only the ratios of inertial ones matter, friction is left out.
    start : Motion
        One row at rest: where it is released.
    time : ndarray, shape (N,)
        Increasing, in s since the release; at rest before 0.

    Returns
    -------
    ndarray, shape (N, n)
        m or rad; NaN from where the machine can go no further, or if no machine has such values.
    """
    own = getattr(machine, "compute_fall", None)
    if own is not None:
        return own(values, start, time)
    fallen = np.repeat(start.coordinate, len(time), axis=0)
    falling = time > 0.0
    if falling.any():
        solved = _integrate(machine, _leave_friction_out(machine, values), start, float(time[falling][-1]))
        fallen[falling] = np.nan
        reached = falling & (time <= solved.t[-1])
        fallen[reached] = solved.sol(time[reached])[: len(machine.drives)].T
    return fallen


def compute_fall_slopes(
    machine: Machine, values: FloatArray, mapping: FloatArray, start: Motion, time: FloatArray
) -> FallSlopes:
    """Return how the coordinates of `compute_fall` depend on values along a mapping (B, P), on the start and the time.

    One fall is integrated, and along it the differential equation of what is near to it, for all of them together:
    with forces tau of basis w, mass M and tau(q, q', q''; w) = 0

        M x'' + (d tau / d q') x' + (d tau / d q) x + d tau / d w = 0 .
    """
    from scipy.interpolate import CubicHermiteSpline

    count, end = len(machine.drives), max(float(time[-1]), 1e-12)
    basis = _leave_friction_out(machine, values)
    solved = _integrate(machine, basis, start, end)
    grid = np.linspace(0.0, solved.t[-1], 2 * STEPS + 1)
    along = solved.sol(grid).T
    coordinate, rate = along[:, :count], along[:, count:]
    coasting = machine.compute_motion(coordinate, rate, np.zeros_like(rate), start.state)
    mass, bias = machine.compute_mass_and_bias(coasting, basis)
    second = np.asarray(-np.linalg.solve(mass, bias[:, :, None])[:, :, 0], dtype=float)
    motion = compute_nearby_motion(machine, coasting, coordinate, rate, second)
    size = np.array([drive.size for drive in machine.drives])

    def compute_forces(moved: Motion) -> FloatArray:
        return machine.compute_forces(moved, basis)

    none = compute_forces(motion)
    by_coordinate, by_rate = (
        differentiate_by_drives(compute_forces, machine, motion, none, part, step)
        for part, step in enumerate((COORDINATE_STEP * size, RATE_STEP * size))
    )
    by_values = machine.compute_regressor(motion, _leave_friction_out(machine, mapping))
    pushed = np.concatenate([by_values, np.zeros((len(grid), count, count))], axis=2)
    way, way_rate = _follow_neighbours(mass, by_coordinate, by_rate, pushed, float(grid[1]))
    spline = CubicHermiteSpline(grid[::2], way, way_rate)
    slopes = np.zeros((len(time), count, pushed.shape[2]))
    slopes[:, :, -count:] = np.eye(count)
    falling = time > 0.0
    slopes[falling] = spline(time[falling], extrapolate=False)
    speed = np.where(falling[:, None], solved.sol(np.clip(time, 0.0, solved.t[-1]))[count:].T, 0.0)
    return FallSlopes(slopes[:, :, :-count], slopes[:, :, -count:], speed)


def _leave_friction_out(machine: Machine, values: FloatArray) -> FloatArray:
    """Return a copy of what is of a basis (B, ...) with friction's rows zero."""
    smooth = np.array(values, dtype=float)
    smooth[[entry.kind.friction for entry in machine.basis]] = 0.0
    return smooth


def _integrate(machine: Machine, values: FloatArray, start: Motion, end: float) -> Any:
    """Return SciPy's solution of a fall, as far as the machine can go: coordinates and rates (2n,) of the drives."""
    count, near = len(machine.drives), start.state

    def derive(_: float, state: FloatArray) -> FloatArray:
        nonlocal near
        coordinate, rate = state[None, :count], state[None, count:]
        motion = machine.compute_motion(coordinate, rate, np.zeros_like(rate), near)
        mass, bias = machine.compute_mass_and_bias(motion, values)
        if motion.status[0] > DEGRADED or not np.isfinite(mass).all() or not np.linalg.det(mass[0]):
            return np.full(2 * count, np.nan)
        near = motion.state
        return np.concatenate([rate[0], -np.linalg.solve(mass[0], bias[0])])

    started = np.concatenate([start.coordinate[0], np.zeros(count)])
    # here, because it would double the time of what needs no fall to start
    from scipy.integrate import solve_ivp

    return solve_ivp(derive, (0.0, end), started, "DOP853", rtol=ACCURACY, atol=ACCURACY, dense_output=True)


def _follow_neighbours(
    mass: FloatArray, by_coordinate: FloatArray, by_rate: FloatArray, pushed: FloatArray, half: float
) -> tuple[FloatArray, FloatArray]:
    """Return ways and rates (M, n, K) of what is near to a fall, after each step, by Runge's and Kutta's fourth order.

    Matrices (2 M - 1, n, ...) are those at the steps' ends and middles, `half` a step in s apart. The last n ways begin
    at 1.
    """
    nodes, count, width = pushed.shape
    inverse = np.linalg.inv(mass)
    way, rate = np.zeros((count, width)), np.zeros((count, width))
    way[:, -count:] = np.eye(count)

    def derive(k: int, way: FloatArray, rate: FloatArray) -> tuple[FloatArray, FloatArray]:
        return rate, -inverse[k] @ (by_coordinate[k] @ way + by_rate[k] @ rate + pushed[k])

    ways, rates = [way], [rate]
    for k in range(0, nodes - 1, 2):
        first = derive(k, way, rate)
        second = derive(k + 1, way + half * first[0], rate + half * first[1])
        third = derive(k + 1, way + half * second[0], rate + half * second[1])
        last = derive(k + 2, way + 2.0 * half * third[0], rate + 2.0 * half * third[1])
        parts = zip(first, second, third, last, strict=True)
        change = [half / 3.0 * (a + 2.0 * b + 2.0 * c + d) for a, b, c, d in parts]
        way, rate = way + change[0], rate + change[1]
        ways.append(way)
        rates.append(rate)
    return np.stack(ways), np.stack(rates)
