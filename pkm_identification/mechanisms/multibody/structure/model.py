# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A mechanism's tree and rows as arrays of one arithmetic: what the kernels take.

Few arrays of many columns: every array costs a kernel's caller time, and every function between kernels the compiler's.
The columns' names are in `kernels.layout`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..description.records import Description
from ..kernels.codes import BALL, FIXED, PRISMATIC, ROTATES, VELOCITIES
from ..numbers.arithmetic import FLOAT64, Arithmetic
from .rows import Row, pad_tuple
from .tree import Tree


class Model(NamedTuple):
    """Frames, velocities, bodies and rows.

    Attributes
    ----------
    frame : ndarray of int64, shape (F, 6)
        Parent, kind, axis, sign, first coordinate and first velocity of each frame; the ground is the first.
    placement : ndarray, shape (F, 4, 3)
        Each in its parent before its motion: rotation, origin.
    velocity : ndarray of int64, shape (V, 3)
        The frame that each moves, whether it turns, the coordinate it is the rate of (-1 for a ball's).
    body : ndarray of int64, shape (B,)
        Frames of the bodies.
    gravity : ndarray, shape (3,)
    row : ndarray of int64, shape (R, 7)
        Kind, frames a and b, sequence of turns and place there.
    vector : ndarray, shape (R, 5, 3)
        Points in a and b, directions in a and b, three numbers.
    factor : ndarray, shape (R, V)
        Of combinations and levers.
    row_scale : ndarray, shape (R,)
        The mechanism's size in m for rows in m, 1 for others.
    velocity_scale : ndarray, shape (V,)
        What a unit of each velocity moves, in units of the mechanism's size: 1 / size for m/s, 1 for rad/s.
    """

    frame: Any
    placement: Any
    velocity: Any
    body: Any
    gravity: Any
    row: Any
    vector: Any
    factor: Any
    row_scale: Any
    velocity_scale: Any


def pack_mechanism(description: Description, tree: Tree, rows: list[Row], arithmetic: Arithmetic) -> Model:
    """Return the arrays of a mechanism in an arithmetic."""
    frames = tree.frames
    velocity = np.full((tree.velocities, 3), -1, dtype=np.int64)
    for k, frame in enumerate(frames):
        if frame.kind == FIXED:
            continue
        for i in range(VELOCITIES[frame.kind]):
            scalar = -1 if frame.kind == BALL else frame.coordinate + i
            velocity[frame.velocity + i] = k, frame.kind != PRISMATIC, scalar
    size = compute_model_size(tree)
    factor = arithmetic.zeros(len(rows), tree.velocities)
    for r, row in enumerate(rows):
        for joint, value in row.factors.items():
            factor[r, frames[tree.joint_frames[joint][0]].velocity] = arithmetic.number(value)
    vectors = [[*row.points, *row.directions, pad_tuple(row.numbers, 3)] for row in rows]
    return Model(
        frame=np.array(
            [(one.parent, one.kind, one.axis, one.sign, one.coordinate, one.velocity) for one in frames],
            dtype=np.int64,
        ),
        placement=arithmetic.array([[*frame.placement.rotation, frame.placement.origin] for frame in frames]),
        velocity=velocity,
        body=np.array([tree.body_frames[body.name] for body in description.bodies], dtype=np.int64),
        gravity=arithmetic.array(description.gravity),
        row=np.array([_pack_row_integers(row, tree) for row in rows], dtype=np.int64),
        vector=arithmetic.array(vectors),
        factor=factor,
        row_scale=arithmetic.array([size if row.unit == "m" else 1.0 for row in rows]),
        velocity_scale=arithmetic.array([1.0 if turns else 1.0 / size for turns in velocity[:, ROTATES]]),
    )


def compute_model_size(tree: Tree) -> float:
    """Return a length in m that makes metres and radians comparable: the largest offset of a frame in its parent."""
    origins = FLOAT64.array([frame.placement.origin for frame in tree.frames])
    return float(np.abs(origins).max()) or 1.0


def _pack_row_integers(row: Row, tree: Tree) -> list[int]:
    first, second = (tree.body_frames[body] for body in row.bodies)
    return [row.kind, first, second, *pad_tuple(row.turns, 4, 0)]
