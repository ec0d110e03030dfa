# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How much of their limits passive joints use, in the tree or closing a loop: of configurations, in float64.

Coordinates are read off the two bodies' frames, so that a joint that closes a loop has them too.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.errors import MachineError
from pkm_identification.numerics.arrays import FloatArray

from .description.records import Description, Joint
from .numbers.arithmetic import FLOAT64
from .structure.assembly import read_between, read_body_frames
from .structure.model import Model
from .structure.tree import Tree


def joint_use(
    description: Description, tree: Tree, model: Model, home: FloatArray, configuration: FloatArray
) -> FloatArray:
    """Return coordinates of limited joints over their limits.

    Parameters
    ----------
    description, tree, model
        Of a mechanism in float64.
    home : ndarray, shape (Q,)
    configuration : ndarray, shape (N, Q)

    Returns
    -------
    ndarray, shape (N, k)
        Of every limited coordinate: 0 at home, 1 at either end.
    """
    limited = [joint for joint in description.joints if joint.limits]
    if not limited:
        return np.empty((len(configuration), 0))
    frames, home_frames = (
        read_body_frames(tree, model, configuration),
        read_body_frames(tree, model, home[None]),
    )
    used = []
    for joint in limited:
        low, high = FLOAT64.array(joint.limits).T
        at_home = _compute_coordinates(joint, tree, home_frames, home_frames)
        moved = _compute_coordinates(joint, tree, frames, home_frames) - at_home
        if joint.type != "prismatic":
            # of all turns the one nearest to the middle of what is allowed, which may lie beyond pi
            middle = (low + high) / 2 - at_home
            moved = middle + (moved - middle + np.pi) % (2 * np.pi) - np.pi
        ends = np.where(moved >= 0, high - at_home, low - at_home)
        used.append(moved / np.where(moved == 0, 1.0, ends))
    return np.concatenate(used, axis=1)


def check_limits_at_home(description: Description, tree: Tree, model: Model, home: FloatArray) -> None:
    """Refuse limits that home does not keep.

    Raises
    ------
    MachineError
        Names the joint, its coordinates at home and its limits.
    """
    # a ball leans from where it is at home
    limited = [joint for joint in description.joints if joint.limits and joint.type != "spherical"]
    if not limited:
        return
    frames = read_body_frames(tree, model, home[None])
    for joint in limited:
        values = _compute_coordinates(joint, tree, frames, frames)[0]
        for value, (low, high) in zip(values, FLOAT64.array(joint.limits), strict=True):
            if not low < value < high:
                raise MachineError(
                    f"{description.source}: joints.{joint.name}.limits: home is at {value:.4g}, "
                    f"outside [{low:.4g}, {high:.4g}]"
                )


def compute_joint_coordinates(
    description: Description, tree: Tree, model: Model, configuration: FloatArray
) -> dict[str, FloatArray]:
    """Return the coordinates (n,) at a configuration (Q,) of all joints that have some that need no convention.

    m or rad in (-pi, pi]; spherical, planar and fixed joints are left out.
    """
    frames = read_body_frames(tree, model, configuration[None])
    return {
        joint.name: _compute_coordinates(joint, tree, frames, frames)[0]
        for joint in description.joints
        if joint.type in ("revolute", "prismatic", "universal", "no_spin")
    }


def _compute_coordinates(joint: Joint, tree: Tree, frames: FloatArray, home: FloatArray) -> FloatArray:
    """Coordinates (N, n) of a joint, m or rad in (-pi, pi]; of a spherical one how far its axis leans from home's.

    `frames` and `home` are of `read_body_frames`.
    """
    rotation, shift = read_between(joint, tree, frames)
    if joint.type == "prismatic":
        return shift[:, 2:]
    if joint.type == "revolute":
        return np.arctan2(rotation[:, 1, 0], rotation[:, 0, 0])[:, None]
    if joint.type == "spherical":
        axis = FLOAT64.array(joint.axis[1])
        there, at_home = rotation @ axis, (read_between(joint, tree, home)[0] @ axis)[0]
        leaned = np.arctan2(np.linalg.norm(np.cross(there, at_home), axis=1), there @ at_home)
        return leaned[:, None]
    # turned about x, then about y: where that leaves z
    x, y, z = rotation[:, :, 2].T
    return np.stack([np.arctan2(-y, z), np.arcsin(np.clip(x, -1, 1))], axis=1)
