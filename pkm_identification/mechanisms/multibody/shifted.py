# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a metre of joints' coordinates in their bodies adds to the driven forces, of a mechanism closed once.

In float64 alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

from .description.reader import move_joints
from .description.records import Description
from .joint_friction import joint_friction_columns
from .kernels.dynamics import TreeMotion
from .kernels.shifting import ShiftedSamples, Shifts, shift_forces
from .kinematics import MechanismMotion, require_regular
from .mechanism import Mechanism, list_rows
from .numbers.arithmetic import FLOAT64
from .structure.model import Model, pack_mechanism
from .structure.tree import Tree, spanning_tree

ROWS = 1000  # at a time: what joint friction needs of each of a hundred places takes 50 MB


@dataclass(frozen=True)
class PlaceShifts:
    """A mechanism's model, and those with a joint elsewhere by a step in m: placements and vectors of K `models`."""

    model: Model
    placement: FloatArray
    vector: FloatArray
    step: float

    def __len__(self) -> int:
        return len(self.placement)

    def __getitem__(self, k: int) -> Model:
        return self.model._replace(placement=self.placement[k], vector=self.vector[k])


def shift_places(mechanism: Mechanism, paths: Sequence[str], step: float) -> PlaceShifts:
    """Return a mechanism's model with the joint coordinates of paths (`joints.NAME.place.BODY.AXIS`) moved by a step.

    All joints are moved at once, once for each body and axis: what is in a frame or a row is of one joint alone.
    """
    own = mechanism.description
    tree, model = _pack(own)
    frames, rows = _find_frames(tree), _find_rows(own, tree)
    moved: dict[str, Model] = {}
    placement = np.repeat(model.placement[None], len(paths), axis=0)
    vector = np.repeat(model.vector[None], len(paths), axis=0)
    for k, path in enumerate(paths):
        joint, ending = path.split(".")[1], path.split(".place.")[1]
        if ending not in moved:
            every = {f"joints.{one.name}.place.{ending}": step for one in own.joints}
            description = move_joints(own, every, dict(own.document))
            assert description is not None  # they are places of joints
            moved[ending] = _pack(description)[1]
        placement[k, frames.get(joint, [])] = moved[ending].placement[frames.get(joint, [])]
        vector[k, rows[joint]] = moved[ending].vector[rows[joint]]
    return PlaceShifts(model, placement, vector, step)


def _pack(description: Description) -> tuple[Tree, Model]:
    tree = spanning_tree(description, whole=True)
    rows = [row for part in list_rows(description, tree).values() for row in part]
    return tree, pack_mechanism(description, tree, rows, FLOAT64)


def _find_frames(tree: Tree) -> dict[str, list[int]]:
    """Return the frames that each joint of the tree has made."""
    return {
        joint.name: [*tree.joint_frames[joint.name], max(tree.body_frames[body] for body in joint.bodies)]
        for joint in tree.carried
    }


def _find_rows(description: Description, tree: Tree) -> dict[str, list[int]]:
    """Return the rows that are of each joint's places."""
    labels = [row.joint for part in list_rows(description, tree).values() for row in part]
    return {
        joint.name: [k for k, label in enumerate(labels) if label == joint.name]
        for joint in description.joints
    }


def compute_place_slopes(
    mechanism: Mechanism,
    shifts: PlaceShifts,
    motion: MechanismMotion,
    bodies: FloatArray,
    passive: FloatArray,
) -> FloatArray:
    """Return what a metre of K places of joints adds to the driven forces, (N, n, K).

    Parameters
    ----------
    mechanism : Mechanism
    shifts : PlaceShifts
        Errors are of the first order of their step in the mechanism's size.
    motion : MechanismMotion
        N samples.
    bodies : ndarray, shape (B, 10)
        Parameters of the bodies.
    passive : ndarray, shape (2 J,)
        Coefficients of `joint_friction_columns`.

    Raises
    ------
    MotionRefused
        If a configuration is singular: names the row.
    """
    slopes = np.zeros((len(motion), mechanism.degrees_of_freedom, len(shifts)))
    own, rubs = shifts.model, bool(np.any(passive))
    room = own._replace(placement=own.placement.copy(), vector=own.vector.copy())
    parts = [np.ascontiguousarray(getattr(motion, name)) for name in MechanismMotion.__dataclass_fields__]
    for first in range(0, len(motion), ROWS):
        q, v, a, *drives = (part[first : first + ROWS] for part in parts)
        kept, change = len(shifts) if rubs else 0, slopes[first : first + ROWS]
        shifted = ShiftedSamples(
            change, np.zeros((kept, *q.shape)), np.zeros((kept, *v.shape)), np.zeros(len(q))
        )
        shift_forces(
            own, Shifts(shifts.placement, shifts.vector, room), mechanism.task_rows("drives"), bodies,
            TreeMotion(q, v, a), tuple(drives), shifted,
        )  # fmt: skip
        require_regular(q, shifted.pivot, "drives")
        for k in range(kept):
            moved = MechanismMotion(shifted.configuration[k], shifted.velocity[k], a, *drives)
            change[:, :, k] += joint_friction_columns(replace(mechanism, model=shifts[k]), moved) @ passive
        if rubs:
            here = MechanismMotion(q, v, a, *drives)
            change -= (joint_friction_columns(mechanism, here) @ passive)[:, :, None]
    slopes /= shifts.step
    return slopes
