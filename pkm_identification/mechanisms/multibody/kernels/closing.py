# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Closing loops by Newton's method, and velocities and accelerations of a closed mechanism.

The unknowns are all coordinates of the tree; the equations are the loop constraints and as many tasks (drives,
outputs, a pose) as the mechanism has degrees of freedom. `chosen` lists their rows, the constraints first.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pkm_identification.numerics.compiled import kernel

from ..numbers.arithmetic import shared, sine
from .codes import (
    BALL,
    COORDINATE,
    DEGRADED,
    FAILED,
    FIXED,
    HOLDER,
    KIND,
    NO_SPIN,
    OK,
    OTHER_MODE,
    PARENT,
    ROTATES,
    SINGULAR,
    STATE,
    VELOCITY,
)
from .frames import move_frames, place_frames
from .linear import factorize, solve_factored
from .rows import compute_row_residual, fill_row, row_drift, row_value
from .vectors import column, dot

MOST_STEPS = 40
# Smallest over largest pivot below which a configuration is called degraded, and singular.
WEAK_PIVOT, NO_PIVOT = 1e-4, 1e-7


class ClosingLimits(NamedTuple):
    """When Newton's method is done, in numbers of the mechanism's arithmetic.

    Attributes
    ----------
    shift, turn : number
        Longest step, m and rad.
    last_step : number
        After a step shorter than this the next one is lost in rounding; m, rad.
    residual : number
        Of a closed loop, at most; m, rad.
    side : number
        Sign of the determinant at home; zero: any.
    """

    shift: Any
    turn: Any
    last_step: Any
    residual: Any
    side: Any


class ClosedSamples(NamedTuple):
    """Room for N samples as they are closed.

    Configurations (N, Q); status, iterations, residual (the largest row's, m or rad) and pivot (the smallest over the
    largest), (N,) each.
    """

    configuration: Any
    status: Any
    iterations: Any
    residual: Any
    pivot: Any


class Readings(NamedTuple):
    """Numbers of rows (n,), and room for their values, rates and second derivatives in N samples, (N, n) each.

    Where the latter two have no columns, values alone are written.
    """

    rows: Any
    value: Any
    first: Any
    second: Any


@shared
def fill_rows(model, chosen, q, state, axes, matrix):
    """Write the Jacobian (n, V) of the chosen rows."""
    for i in range(chosen.shape[0]):
        fill_row(model, chosen[i], q, state, axes, matrix, i)


@shared
def fill_scales(model, chosen, scales):
    """Write the units of rows and velocities (2, V) in which entries of the Jacobian are of the size 1."""
    for i in range(chosen.shape[0]):
        scales[0, i] = model.row_scale[chosen[i]]
        scales[1, i] = model.velocity_scale[i]


@shared
def advance(model, q, step):
    """Move coordinates by a step of the velocities; a ball's by Cayley's formula, its quaternion kept at length 1."""
    for f in range(model.frame.shape[0]):
        kind = model.frame[f, KIND]
        if kind == FIXED:
            continue
        k, v = model.frame[f, COORDINATE], model.frame[f, VELOCITY]
        if kind != BALL:
            q[k] = q[k] + step[v]
            if v + 1 < model.velocity.shape[0] and model.velocity[v + 1, HOLDER] == f:
                q[k + 1] = q[k + 1] + step[v + 1]
            continue
        a, b, c = step[v] / 2, step[v + 1] / 2, step[v + 2] / 2
        x, y, z, w = q[k], q[k + 1], q[k + 2], q[k + 3]
        p = x + a * w + c * y - b * z
        r = y + b * w + a * z - c * x
        s = z + c * w + b * x - a * y
        t = w - a * x - b * y - c * z
        size = (p * p + r * r + s * s + t * t) ** 0.5
        q[k], q[k + 1], q[k + 2], q[k + 3] = p / size, r / size, s / size, t / size


@shared
def _find_largest(values):
    """Return the largest size in a vector; not a number if one is none."""
    most = abs(values[0]) * 0
    for value in values:
        size = abs(value)
        if not size <= most:
            most = size
    return most


@shared
def _shorten(model, step, limits):
    """Scale a Newton step so that no coordinate moves further than the limits allow."""
    scale = limits.shift * 0 + 1
    for k in range(step.shape[0]):
        limit = limits.turn if model.velocity[k, ROTATES] else limits.shift
        if abs(step[k]) * scale > limit:
            scale = limit / abs(step[k])
    for k in range(step.shape[0]):
        step[k] = step[k] * scale
    return scale


@shared
def _take_spin_back(model, q, state, step):
    """Make a step of velocities one of coordinates where a ball hangs on a joint without spin.

    Such a joint's coordinates turn its body about its own axis s, too, by sin(t2) t1' that its velocities leave out;
    the ball must make up for it, or Newton's method converges slowly. In place.
    """
    for f in range(model.frame.shape[0]):
        if model.frame[f, KIND] != BALL:
            continue
        v, g = model.frame[f, VELOCITY], model.frame[f, PARENT]
        while g > 0:
            if model.frame[g, KIND] == NO_SPIN:
                turn = step[model.frame[g, VELOCITY]] * sine(q[model.frame[g, COORDINATE] + 1])
                along = column(state, g, 2)
                for i in range(3):
                    step[v + i] = step[v + i] - turn * dot(along, column(state, f, i))
            g = model.frame[g, PARENT]


@kernel
def close(model, chosen, task_count, target, wanted, start, limits, closed):
    """Close every sample of a batch, from the rows of `start` (one for all, or one each).

    Parameters
    ----------
    model : Model
    chosen : ndarray of int64, shape (V,)
    task_count : int
        How many of them, at the end, have targets.
    target : ndarray, shape (N, task_count)
    wanted : ndarray, shape (N, 3, 3)
        Rotations that TURN rows are to reach; one for all if there are none.
    start : ndarray, shape (1, Q) or (N, Q)
    limits : ClosingLimits
    closed : ClosedSamples
        Written.
    """
    q, status, iterations = closed.configuration, closed.status, closed.iterations
    residual, pivot = closed.residual, closed.pivot
    frames, velocities = model.frame.shape[0], model.velocity.shape[0]
    state = np.zeros((frames, STATE, 3), dtype=start.dtype)
    axes = np.zeros((velocities, 3), dtype=start.dtype)
    matrix = np.zeros((velocities, velocities), dtype=start.dtype)
    order = np.zeros(velocities, dtype=np.int64)
    scales = np.zeros((2, velocities), dtype=q.dtype)
    gap = np.zeros(velocities, dtype=start.dtype)
    # a start that all samples share is factored once
    shared_matrix = np.zeros((velocities, velocities), dtype=start.dtype)
    shared_order = np.zeros(velocities, dtype=np.int64)
    nothing = limits.shift * 0
    shared_pivot, shared_known = nothing, False
    for n in range(target.shape[0]):
        first = start[min(n, start.shape[0] - 1)]
        for k in range(first.shape[0]):
            q[n, k] = first[k]
        last = False
        status[n] = FAILED
        for iteration in range(MOST_STEPS + 1):
            place_frames(model, q[n], state, axes)
            for i in range(velocities):
                task = i - velocities + task_count
                aim = target[n, task] if task >= 0 else nothing
                gap[i] = -compute_row_residual(
                    model, chosen[i], q[n], state, aim, wanted, min(n, wanted.shape[0] - 1)
                )
            residual[n] = _find_largest(gap)
            iterations[n] = iteration
            if last or iteration == MOST_STEPS or not residual[n] < 1e15:
                break
            if iteration == 0 and shared_known:
                _copy_factors(shared_matrix, shared_order, matrix, order)
                pivot[n] = shared_pivot
            else:
                fill_rows(model, chosen, q[n], state, axes, matrix)
                fill_scales(model, chosen, scales)
                pivot[n] = factorize(matrix, order, scales)
                if iteration == 0 and start.shape[0] == 1:
                    _copy_factors(matrix, order, shared_matrix, shared_order)
                    shared_pivot, shared_known = pivot[n], True
            if pivot[n] == 0:
                break
            solve_factored(matrix, order, gap)
            _shorten(model, gap, limits)
            _take_spin_back(model, q[n], state, gap)
            advance(model, q[n], gap)
            last = _find_largest(gap) < limits.last_step
        if residual[n] <= limits.residual:
            status[n] = _assess_closure(pivot[n], limits.side)


@shared
def _copy_factors(matrix, order, to_matrix, to_order):
    """Copy a factored matrix and its order of rows."""
    for i in range(matrix.shape[0]):
        to_order[i] = order[i]
        for j in range(matrix.shape[1]):
            to_matrix[i, j] = matrix[i, j]


@shared
def _assess_closure(pivot, side):
    """Status of closed loops by their last pivot; beyond a singularity from home, the determinant's sign is another."""
    if abs(pivot) < NO_PIVOT:
        return SINGULAR
    if pivot * side < 0:
        return OTHER_MODE
    return OK if abs(pivot) > WEAK_PIVOT else DEGRADED


@kernel
def read_rows(model, rows, q, values, jacobian):
    """Write the values (N, n) of rows at configurations (N, Q), and their Jacobians (N, n, V) if there is room."""
    state = np.zeros((model.frame.shape[0], STATE, 3), dtype=q.dtype)
    axes = np.zeros((model.velocity.shape[0], 3), dtype=q.dtype)
    for n in range(q.shape[0]):
        place_frames(model, q[n], state, axes)
        for i in range(rows.shape[0]):
            values[n, i] = row_value(model, rows[i], q[n], state)
        if jacobian.shape[0] > 0:
            fill_rows(model, rows, q[n], state, axes, jacobian[n])


@kernel
def read_frames(model, q, state):
    """Write rotations and origins into the states (N, F, 8, 3) of the frames at configurations (N, Q)."""
    axes = np.zeros((model.velocity.shape[0], 3), dtype=q.dtype)
    for n in range(q.shape[0]):
        place_frames(model, q[n], state[n], axes)


@kernel
def read_rates(model, rows, q, v, a, first, second):
    """Write the rates and second derivatives (N, n) of rows in a motion of the tree."""
    frames, velocities = model.frame.shape[0], model.velocity.shape[0]
    state = np.zeros((frames, STATE, 3), dtype=q.dtype)
    axes, row = np.zeros((velocities, 3), dtype=q.dtype), np.zeros((1, velocities), dtype=q.dtype)
    still = v[0] * 0
    for n in range(q.shape[0]):
        place_frames(model, q[n], state, axes)
        move_frames(model, state, axes, v[n], still)
        _fill_rates(model, rows, q[n], v[n], a[n], state, axes, row, (first[n], second[n]))


@shared
def _fill_rates(model, rows, q, v, a, state, axes, row, written):
    """Write rates and second derivatives (n,) of rows; the state is that of the velocities with no acceleration."""
    first, second = written
    for i in range(first.shape[0]):
        fill_row(model, rows[i], q, state, axes, row, 0)
        rate, change = q[0] * 0, row_drift(model, rows[i], q, v, state)
        for k in range(v.shape[0]):
            rate = rate + row[0, k] * v[k]
            change = change + row[0, k] * a[k]
        first[i], second[i] = rate, change


@kernel
def compute_complete_motion(model, chosen, q, rate, change, v, a, pivot, readings):
    """Write velocities and accelerations (N, V) of the tree from the tasks' rates and second derivatives (N, tasks).

    Configurations are (N, Q), or one for all. The `Readings` are written, too.
    """
    rows, value, first, second = readings.rows, readings.value, readings.first, readings.second
    frames, velocities, tasks = model.frame.shape[0], model.velocity.shape[0], rate.shape[1]
    state = np.zeros((frames, STATE, 3), dtype=q.dtype)
    axes = np.zeros((velocities, 3), dtype=q.dtype)
    matrix = np.zeros((velocities, velocities), dtype=q.dtype)
    order = np.zeros(velocities, dtype=np.int64)
    scales = np.zeros((2, velocities), dtype=q.dtype)
    still, row = np.zeros(velocities, dtype=q.dtype), np.zeros((1, velocities), dtype=q.dtype)
    for k in range(velocities):
        still[k] = q[0, 0] * 0
    for n in range(rate.shape[0]):
        here = q[min(n, q.shape[0] - 1)]
        if n == 0 or q.shape[0] > 1:
            place_frames(model, here, state, axes)
            fill_rows(model, chosen, here, state, axes, matrix)
            fill_scales(model, chosen, scales)
            pivot[n] = factorize(matrix, order, scales)
        else:
            pivot[n] = pivot[0]
        for i in range(rows.shape[0]):
            value[n, i] = row_value(model, rows[i], here, state)
        if pivot[n] == 0:
            continue
        for i in range(velocities):
            task = i - velocities + tasks
            v[n, i] = rate[n, task] if task >= 0 else still[0]
        solve_factored(matrix, order, v[n])
        move_frames(model, state, axes, v[n], still)
        for i in range(velocities):
            task = i - velocities + tasks
            drift = row_drift(model, chosen[i], here, v[n], state)
            a[n, i] = (change[n, task] if task >= 0 else still[0]) - drift
        solve_factored(matrix, order, a[n])
        _fill_rates(model, rows, here, v[n], a[n], state, axes, row, (first[n], second[n]))
