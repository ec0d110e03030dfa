# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Forces of a closed mechanism whose joints are elsewhere, by the factors of the one that is known.

Of phi(q; p) = 0, A v = (0, s'), A a + drift = (0, s'') and A^T tau = Q, the generalised forces of the open tree, each
is evaluated with places p + dp and what has been found before, and what it misses is corrected by A as it was: one
step of Newton's method, whose error is of the second order. Nothing is factored but A, once for all places.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pkm_identification.numerics.compiled import kernel

from ..numbers.arithmetic import shared
from .closing import _take_spin_back, advance, fill_rows, fill_scales
from .codes import STATE
from .dynamics import _gather, _read_off
from .frames import move_frames, place_frames
from .linear import factorize, solve_factored, solve_transposed
from .rows import compute_row_residual, row_drift


class Shifts(NamedTuple):
    """Placements (K, F, 4, 3) and vectors of rows (K, R, 5, 3) of K models, and one that becomes each of them."""

    placement: Any
    vector: Any
    model: Any


class ShiftedSamples(NamedTuple):
    """Room for what K other places change.

    Forces less those of the known mechanism (N, drives, K); where there is room, configurations (K, N, Q) and
    velocities (K, N, V); pivots (N,).
    """

    force: Any
    configuration: Any
    velocity: Any
    pivot: Any


@shared
def _fill_tree_forces(model, w, load, state, axes, force, moment, tree):
    """Write the generalised forces (V,) of the open tree, of frames that are placed and moved."""
    _gather(model, w, load, state, force, moment)
    _read_off(model, state, axes, force, moment, tree)


@shared
def _find_rate_gaps(matrix, v, target, gap):
    """Write (0, target) - A v into a gap (V,)."""
    first = v.shape[0] - target.shape[0]
    for i in range(v.shape[0]):
        total = target[i - first] if i >= first else matrix[0, 0] * 0
        for k in range(v.shape[0]):
            total = total - matrix[i, k] * v[k]
        gap[i] = total


@kernel
def shift_forces(model, shifts, chosen, w, motion, drives, shifted):
    """Write what other places of joints change about the driven forces of a motion.

    Parameters
    ----------
    model : Model
    shifts : Shifts
    chosen : ndarray of int64, shape (V,)
        Constraints and then drives.
    w : ndarray, shape (B, 10)
        The bodies' parameters.
    motion : TreeMotion
    drives : tuple of ndarray, shape (N, n)
        Coordinates, rates and accelerations of the drives.
    shifted : ShiftedSamples
        Written; not where the pivot is zero.
    """
    q, v, a = motion.configuration, motion.velocity, motion.acceleration
    coordinate, rate, acceleration = drives
    frames, velocities, count = model.frame.shape[0], model.velocity.shape[0], coordinate.shape[1]
    state, axes = np.zeros((frames, STATE, 3)), np.zeros((velocities, 3))
    matrix, moved = np.zeros((velocities, velocities)), np.zeros((velocities, velocities))
    order, scales = np.zeros(velocities, dtype=np.int64), np.zeros((2, velocities))
    force, moment = np.zeros((frames, 3)), np.zeros((frames, 3))
    load, wanted = np.zeros((model.body.shape[0], 6)), np.zeros((1, 3, 3))
    along, tree, gap, missed, slipped, pulled = np.zeros((6, velocities))
    still, speed, change = np.zeros((3, velocities))
    place, other = np.zeros(q.shape[1]), shifts.model
    for n in range(q.shape[0]):
        place_frames(model, q[n], state, axes)
        fill_rows(model, chosen, q[n], state, axes, matrix)
        # what the known motion itself leaves of its equations is no change
        _find_rate_gaps(matrix, v[n], rate[n], slipped)
        _find_rate_gaps(matrix, a[n], acceleration[n], pulled)
        move_frames(model, state, axes, v[n], still)
        for i in range(velocities):
            pulled[i] = pulled[i] - row_drift(model, chosen[i], q[n], v[n], state)
        move_frames(model, state, axes, v[n], a[n])
        _fill_tree_forces(model, w, load, state, axes, force, moment, along)
        fill_scales(model, chosen, scales)
        shifted.pivot[n] = factorize(matrix, order, scales)
        if shifted.pivot[n] == 0:
            continue
        solve_transposed(matrix, order, along)
        for i in range(velocities):
            aim = coordinate[n, i - velocities + count] if i >= velocities - count else 0.0
            missed[i] = compute_row_residual(model, chosen[i], q[n], state, aim, wanted, 0)
        for s in range(shifts.placement.shape[0]):
            other.placement[:], other.vector[:] = shifts.placement[s], shifts.vector[s]
            place[:] = q[n]
            place_frames(other, place, state, axes)
            for i in range(velocities):
                aim = coordinate[n, i - velocities + count] if i >= velocities - count else 0.0
                gap[i] = missed[i] - compute_row_residual(other, chosen[i], place, state, aim, wanted, 0)
            solve_factored(matrix, order, gap)
            _take_spin_back(other, place, state, gap)
            advance(other, place, gap)
            place_frames(other, place, state, axes)
            fill_rows(other, chosen, place, state, axes, moved)
            _find_rate_gaps(moved, v[n], rate[n], gap)
            for i in range(velocities):
                gap[i] = gap[i] - slipped[i]
            solve_factored(matrix, order, gap)
            for k in range(velocities):
                speed[k] = v[n, k] + gap[k]
            move_frames(other, state, axes, speed, still)
            _find_rate_gaps(moved, a[n], acceleration[n], gap)
            for i in range(velocities):
                gap[i] = gap[i] - row_drift(other, chosen[i], place, speed, state) - pulled[i]
            solve_factored(matrix, order, gap)
            for k in range(velocities):
                change[k] = a[n, k] + gap[k]
            move_frames(other, state, axes, speed, change)
            _fill_tree_forces(other, w, load, state, axes, force, moment, tree)
            for k in range(velocities):
                for i in range(velocities):
                    tree[k] -= moved[i, k] * along[i]
            solve_transposed(matrix, order, tree)
            for i in range(count):
                shifted.force[n, i, s] = tree[velocities - count + i]
            if shifted.configuration.shape[0]:
                shifted.configuration[s, n], shifted.velocity[s, n] = place, speed
