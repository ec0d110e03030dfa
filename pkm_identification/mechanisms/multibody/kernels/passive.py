# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Friction of passive joints along a closed mechanism's driven coordinates, per unit of its coefficients."""

from __future__ import annotations

import numpy as np

from pkm_identification.numerics.compiled import compile_inline, kernel

from .closing import fill_rows, fill_scales
from .dynamics import _allocate_room, _fill_gain
from .frames import place_frames
from .linear import factorize


@compile_inline
def _compute_axis_rate(axis_rows, axis, velocities, motion):
    """Rate of an axis in a motion (V,) of the tree; axes beyond the tree's own have theirs by rows (R, V)."""
    if axis < velocities:
        return motion[axis]
    rate = 0.0
    for k in range(velocities):
        rate += axis_rows[axis - velocities, k] * motion[k]
    return rate


@kernel
def fill_passive_columns(model, chosen, drives, rubbing, samples, passive, columns, pivot):
    """Write driven forces (N, drives, 2 J) per unit of the Coulomb, then of the viscous coefficient of J joints.

    Parameters
    ----------
    model : Model
    chosen : ndarray of int64, shape (V,)
        Constraints and then drives.
    drives : int
    rubbing : ndarray of int64, shape (R,)
        Rows whose rates are those of axes that are no velocities of the tree.
    samples : tuple of ndarray, shapes (N, Q) and (N, V)
        Configurations and velocities.
    passive : tuple
        Joint of each of V + R axes (-1: of none), first axes of joints that turn any way, and the transition rate.
    columns, pivot : ndarray
        Results; zeros where the pivot is zero.
    """
    q, v = samples
    owner, triples, transition = passive
    velocities, joints = model.velocity.shape[0], columns.shape[2] // 2
    state, axes, unit, matrix, gain, order, scales, _, _ = _allocate_room(model, drives, q)
    axis_rows = np.zeros((rubbing.size, velocities))
    rates, size = np.zeros(owner.size), np.zeros(owner.size)
    columns[:] = 0.0
    for n in range(q.shape[0]):
        place_frames(model, q[n], state, axes)
        fill_rows(model, chosen, q[n], state, axes, matrix)
        fill_scales(model, chosen, scales)
        pivot[n] = factorize(matrix, order, scales)
        if pivot[n] == 0.0:
            continue
        _fill_gain(matrix, order, drives, unit, gain)
        fill_rows(model, rubbing, q[n], state, axes, axis_rows)
        for k in range(owner.size):
            rates[k] = _compute_axis_rate(axis_rows, k, velocities, v[n])
            size[k] = abs(rates[k])
        for first in triples:
            turning = np.sqrt(rates[first] ** 2 + rates[first + 1] ** 2 + rates[first + 2] ** 2)
            for k in range(first, first + 3):
                size[k] = turning
        for k in range(owner.size):
            joint = owner[k]
            if joint < 0:
                continue
            side = rates[k] / max(size[k], transition)
            for i in range(drives):
                moved = _compute_axis_rate(axis_rows, k, velocities, gain[:, i])
                columns[n, i, joint] += side * moved
                columns[n, i, joints + joint] += rates[k] * moved
