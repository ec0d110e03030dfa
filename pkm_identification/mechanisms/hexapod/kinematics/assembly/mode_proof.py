# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Which poses are proved to belong to one assembly mode, row by row of a batch.

From an anchor, a pose whose derivative is kept, every set of lengths with a short Newton step (eta K <= 0.45, see
`study`) has exactly one root near by, and it is joined to the anchor without a singularity: for a machine
sampled at its drive's rate one matrix-vector product per row proves the mode. Where that is not enough the
root is followed from the row before, then from home.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.linear_systems import invert8
from pkm_identification.numerics.rotation import fill_quaternion
from pkm_identification.numerics.rows import copy_vector

from ..records import Pose
from .path_tracking import STEP, follow, machine_quadrics, path_work
from .study_quadrics import curvature, derivative


@kernel
def _compute_study_coordinates(position, rotation, scale, z):
    """Study coordinates of one pose."""
    quaternion = np.empty(4)
    fill_quaternion(rotation, quaternion)
    x, y, q, w = quaternion[0], quaternion[1], quaternion[2], quaternion[3]
    h = 0.5 / scale
    a, b, c = h * position[0], h * position[1], h * position[2]
    z[0], z[1], z[2], z[3] = w, x, y, q
    z[4] = -(a * x + b * y + c * q)
    z[5] = a * w + b * q - c * y
    z[6] = b * w + c * x - a * q
    z[7] = c * w + a * y - b * x


@kernel
def _compute_distance(z, other):
    """Between two poses: z and -z are one."""
    minus, plus = 0.0, 0.0
    for k in range(8):
        minus += (z[k] - other[k]) ** 2
        plus += (z[k] + other[k]) ** 2
    return np.sqrt(min(minus, plus))


@kernel
def _fill_constant(length, scale, constant):
    for i in range(6):
        constant[i] = (length[i] / scale) ** 2
    constant[6] = 1.0
    constant[7] = 0.0


@kernel
def _build_anchor(form, gram, z, matrix, inverse, work, value):
    """Return derivative at z and F(z) without the constants; the curvature there, inf when singular."""
    derivative(form, z, matrix)
    if not invert8(matrix, inverse, work):
        return np.inf
    for i in range(8):
        value[i] = 0.0
        for j in range(8):
            value[i] += 0.5 * matrix[i, j] * z[j]
    return curvature(inverse, gram)


@kernel
def _is_near(z, anchor, inverse, value, constant, bound):
    """Return whether z is the one root near the anchor that the anchor proves for these constants."""
    square = 0.0
    for k in range(8):
        total = 0.0
        for i in range(8):
            total += inverse[k, i] * (constant[i] - value[i])
        square += total * total
    h = np.sqrt(square) * bound
    return h <= STEP and _compute_distance(z, anchor) * bound <= 1.0 + np.sqrt(1.0 - 2.0 * h)


class Home(NamedTuple):
    """The root (8,) of the pose at home and its constants (8,)."""

    root: FloatArray
    constant: FloatArray


@kernel
def _prove(quadrics, lengths, poses, posed, start, home, joined):
    form, gram, scale = quadrics.form, quadrics.gram, quadrics.scale
    position, rotation, home_constant = poses.position, poses.rotation, home.constant
    matrix, inverse, work = np.empty((8, 8)), np.empty((8, 8)), np.empty((8, 8))
    path, value = path_work(), np.empty(8)
    z, before, end, anchor = np.empty(8), start.copy(), np.empty(8), start.copy()
    constant, constant_before = np.empty(8), np.empty(8)
    bound = _build_anchor(form, gram, anchor, matrix, inverse, work, value)
    copy_vector(value, constant_before)
    chain = True
    for n in range(len(lengths)):
        joined[n] = False
        if not posed[n]:
            # the search for the next row starts from home
            copy_vector(home.root, anchor)
            copy_vector(home.root, before)
            copy_vector(home_constant, constant_before)
            bound = _build_anchor(form, gram, anchor, matrix, inverse, work, value)
            chain = True
            continue
        _compute_study_coordinates(position[n], rotation[n], scale, z)
        _fill_constant(lengths[n], scale, constant)
        if chain:
            joined[n] = _is_near(z, anchor, inverse, value, constant, bound)
            if not joined[n]:
                copy_vector(before, anchor)
                bound = _build_anchor(form, gram, anchor, matrix, inverse, work, value)
                joined[n] = _is_near(z, anchor, inverse, value, constant, bound)
        if not joined[n]:
            # the row's own anchor tells whether a path ends in this very root
            copy_vector(z, anchor)
            bound = _build_anchor(form, gram, anchor, matrix, inverse, work, value)
            for origin in range(2):
                if not joined[n] and (origin == 1 or chain):
                    copy_vector(before if origin == 0 else home.root, end)
                    begin = constant_before if origin == 0 else home_constant
                    reached, _ = follow(form, gram, end, begin, constant, path)
                    joined[n] = reached == 1.0 and _compute_distance(end, z) * bound <= 1.0
        chain = joined[n]
        copy_vector(z, before)
        copy_vector(constant, constant_before)


def joined_to_start(
    machine: Machine,
    length: FloatArray,
    position: FloatArray,
    rotation: FloatArray,
    start: tuple[FloatArray, FloatArray] | None = None,
) -> NDArray[np.bool_]:
    """Return which poses of a batch are proved to be of the assembly mode the batch started in.

    A row is proved when a path of lengths, straight in their squares, joins its pose without a singularity to the
    row before, or to home. A pose that is not proved may be right all the same; a pose in another mode is never
    proved.

    Parameters
    ----------
    machine : Machine
    length : ndarray, shape (N, 6)
        m.
    position, rotation : ndarray, shapes (N, 3) and (N, 3, 3)
        Poses with these lengths, to the accuracy of `forward_kinematics`; NaN where there is none.
    start : tuple of position (3,) and rotation (3, 3), optional
        Where the first row's search started; home if not given.

    Returns
    -------
    ndarray of bool, shape (N,)
        False where the pose is NaN.
    """
    system = machine_quadrics(machine)
    x, turned = start if start is not None else (machine.home_position, machine.home_rotation)
    begin, home = np.empty(8), np.empty(8)
    _compute_study_coordinates(
        np.asarray(x, dtype=float), np.asarray(turned, dtype=float), system.scale, begin
    )
    _compute_study_coordinates(machine.home_position, machine.home_rotation, system.scale, home)
    joined = np.empty(len(length), dtype=np.bool_)
    at_home = Home(home, 0.5 * (system.form @ home) @ home)
    _prove(system, length, Pose(position, rotation), ~np.isnan(position[:, 0]), begin, at_home, joined)
    return joined
