"""Friction of the joints that carry the tree, as passive joints have it."""

from __future__ import annotations

import numpy as np

from ...friction import Friction
from ..description.records import Description
from ..kernels.codes import VELOCITIES
from ..numbers.arithmetic import FLOAT64
from .tree import Tree


def passive_friction(description: Description, tree: Tree) -> Friction | None:
    """Friction along the tree's velocities, each of its joint's coefficients; None if no joint has any."""
    viscous, coulomb = np.zeros(tree.velocities), np.zeros(tree.velocities)
    joints = {joint.name: joint for joint in description.joints}
    for name, frames in tree.joint_frames.items():
        for f in frames:
            frame = tree.frames[f]
            own = slice(frame.velocity, frame.velocity + VELOCITIES[frame.kind])
            viscous[own] = FLOAT64.number(joints[name].viscous)
            coulomb[own] = FLOAT64.number(joints[name].coulomb)
    friction = Friction.of("coulomb", viscous=viscous, coulomb=coulomb)
    return friction if friction.acts else None
