# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Friction of passive joints: along the tree's velocities, and along the rates of joints next to them.

Along one coordinate F clip(r / r_t, -1, 1) + c r; where a joint turns any way, against the direction in which it does,
(F / max(|W|, r_t) + c) W (`hexapod.dynamics.joint_friction`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pkm_identification.numerics.arrays import FloatArray

from ...friction import Friction
from ..description.records import Description
from ..kernels.codes import VELOCITIES
from ..numbers.arithmetic import FLOAT64
from .rows import TURNS_ANY_WAY, Row
from .tree import Tree


@dataclass(frozen=True)
class PassiveFriction:
    """Friction of V + R axes: the tree's velocities, then the `rubbing` rows.

    Attributes
    ----------
    friction : Friction
        Law `coulomb`, each axis with its joint's coefficients.
    joint : tuple of str
        Whose axis it is; empty where it is no axis of a joint that rubs.
    triples : ndarray of int64, shape (T,)
        First of three axes, at right angles, of each joint that turns any way.
    """

    friction: Friction
    joint: tuple[str, ...]
    triples: NDArray[np.int64]

    @cached_property
    def owner(self) -> NDArray[np.int64]:
        """Which of `names` each axis is of, (A,); -1: none."""
        return np.array([self.names.index(name) if name else -1 for name in self.joint], dtype=np.int64)

    @property
    def names(self) -> tuple[str, ...]:
        """The joints that rub, in the order of their first axes."""
        return tuple(dict.fromkeys(name for name in self.joint if name))

    def unit(self, rates: FloatArray) -> FloatArray:
        """What a unit of each axis' Coulomb coefficient resists with, shape (..., A) as the rates of the axes."""
        size = np.abs(rates)
        for k in self.triples:
            size[..., k : k + 3] = np.linalg.norm(rates[..., k : k + 3], axis=-1, keepdims=True)
        return rates / np.maximum(size, self.friction.transition_rate)

    def force(self, rates: FloatArray) -> FloatArray:
        """Return what friction along each axis needs, shape (..., A) as the rates of the axes."""
        return self.friction.coulomb * self.unit(rates) + self.friction.viscous * rates


def passive_friction(description: Description, tree: Tree, rubbing: Sequence[Row]) -> PassiveFriction | None:
    """Friction of V + R axes, each with its joint's coefficients; None if no joint has any.

    Parameters
    ----------
    description : Description
    tree : Tree
        Its V velocities are the first axes.
    rubbing : sequence of Row
        Rates of joints that are no velocities of the tree (`rows.rubbing_rows`): the other axes.
    """
    joints = {joint.name: joint for joint in description.joints if joint.rubs}
    if not joints:
        return None
    owner = [""] * tree.velocities + [row.joint for row in rubbing]
    axis_rows = {row.joint for row in rubbing}
    for name, frames in tree.joint_frames.items():
        if name in axis_rows or name not in joints:
            continue
        for f in frames:
            frame = tree.frames[f]
            for k in range(VELOCITIES[frame.kind]):
                owner[frame.velocity + k] = name
    any_way = sorted(owner.index(name) for name, joint in joints.items() if joint.type in TURNS_ANY_WAY)
    friction = Friction.of(
        "coulomb",
        viscous=np.array([FLOAT64.number(joints[name].viscous) if name else 0.0 for name in owner]),
        coulomb=np.array([FLOAT64.number(joints[name].coulomb) if name else 0.0 for name in owner]),
        transition_rate=description.joint_transition_rate,
    )
    return PassiveFriction(friction, tuple(owner), np.array(any_way, dtype=np.int64))
