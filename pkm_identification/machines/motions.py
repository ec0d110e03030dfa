# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Motions of a machine and their states, from what the contract has: near by, accelerated, at rest, in rows."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

from .contract import Machine, Motion


def compute_nearby_motion(
    machine: Machine, motion: Motion, coordinate: FloatArray, rate: FloatArray, acceleration: FloatArray
) -> Motion:
    """Return the motion of drives (N, n) next to a motion, row by row.

    By the machine's own `compute_nearby_motion` where it has one that is quicker than closing all loops again.
    """
    own = getattr(machine, "compute_nearby_motion", None)
    if own is not None:
        return own(motion, coordinate, rate, acceleration)
    start = tuple(part[:1] for part in motion.state)
    return machine.compute_motion(coordinate, rate, acceleration, start)


def differentiate_by_drives(
    function: Callable[[Motion], FloatArray],
    machine: Machine,
    motion: Motion,
    value: FloatArray,
    part: int,
    step: FloatArray,
) -> FloatArray:
    """Return derivatives (N, m, n) of a function by the drives' coordinates, rates or accelerations (part 0, 1, 2).

    `value` (N, m) is that of the function at the motion itself, `step` (n,) of each drive's difference.
    """
    columns = []
    for drive in range(len(step)):
        moved = [motion.coordinate, motion.rate, motion.acceleration]
        moved[part] = moved[part].copy()
        moved[part][:, drive] += step[drive]
        nearby = compute_nearby_motion(machine, motion, *moved)
        columns.append((function(nearby) - value) / step[drive])
    return np.nan_to_num(np.stack(columns, axis=2))


def compute_accelerated_motion(machine: Machine, motion: Motion, acceleration: FloatArray) -> Motion:
    """Return the motions of one row's coordinates and rates with accelerations (K, n) of the drives.

    By the machine's own `compute_accelerated_motion` where it has one that closes no loops again.
    """
    own = getattr(machine, "compute_accelerated_motion", None)
    if own is not None:
        return own(motion, acceleration)
    coordinate, rate = (
        np.repeat(part, len(acceleration), axis=0) for part in (motion.coordinate, motion.rate)
    )
    return machine.compute_motion(coordinate, rate, acceleration, motion.state)


def compute_rest(machine: Machine, coordinate: FloatArray) -> Motion:
    """Return the motion at rest at drives' coordinates (N, n), each reached from home in home's assembly mode.

    By the machine's own `compute_rest` where it has one that proves the way.
    """
    own = getattr(machine, "compute_rest", None)
    if own is not None:
        return own(coordinate)
    still = np.zeros_like(coordinate)
    return machine.compute_motion(coordinate, still, still)


def split_states(rows: FloatArray, shapes: tuple[tuple[int, ...], ...]) -> tuple[FloatArray, ...]:
    """Return states in rows (N, S), each a `Tracker.row`, as the parts of a motion's state (N, ...)."""
    parts, count, start = [], len(rows), 0
    for shape in shapes:
        end = start + math.prod(shape)
        parts.append(rows[:, start:end].reshape(count, *shape))
        start = end
    return tuple(parts)


def join_states(motion: Motion) -> FloatArray:
    """Return the states of a motion in rows (N, S), each as a `Tracker.row`."""
    return np.concatenate([part.reshape(len(motion), -1) for part in motion.state], axis=1)


def mask_friction_rows(machine: Machine, mapping: FloatArray) -> FloatArray:
    """Return a copy of a mapping (B, P) whose rows of the drives' friction are zero."""
    rigid = np.array(mapping, dtype=float)
    rigid[machine.friction_rows[machine.friction_rows >= 0]] = 0.0
    return rigid


def mass_and_bias_of_regressors(
    machine: Machine, motion: Motion, values: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return mass (N, n, n) and bias (N, n) from n + 1 regressors: forces are affine in the drives' acceleration.

    Parameters
    ----------
    machine : Machine
    motion : Motion
        Its accelerations are not used.
    values : ndarray, shape (B,)
        Of the basis.
    """
    column, count = values[:, None], motion.coordinate.shape[1]
    start = tuple(part[:1] for part in motion.state)

    def forces(acceleration: FloatArray) -> FloatArray:
        moved = machine.compute_motion(motion.coordinate, motion.rate, acceleration, start)
        return machine.compute_regressor(moved, column)[:, :, 0]

    still = np.zeros_like(motion.rate)
    bias = forces(still)
    mass = [forces(still + unit) - bias for unit in np.eye(count)]
    return np.stack(mass, axis=2), bias
