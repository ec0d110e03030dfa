"""Friction of passive joints: along the tree's velocities, and along the rates of joints that close loops."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...friction import Friction
from ..description.records import Description
from ..kernels.codes import VELOCITIES
from ..numbers.arithmetic import FLOAT64
from .rows import Row
from .tree import Tree


def passive_friction(description: Description, tree: Tree, rubbing: Sequence[Row]) -> Friction | None:
    """Friction of V + R axes, each with its joint's coefficients; None if no joint has any.

    Parameters
    ----------
    description : Description
    tree : Tree
        Its V velocities are the first axes.
    rubbing : sequence of Row
        Rates of the joints that close loops (`rows.rubbing_rows`): the other axes.
    """
    joints = {joint.name: joint for joint in description.joints}
    owner = [""] * tree.velocities + [row.joint for row in rubbing]
    for name, frames in tree.joint_frames.items():
        for f in frames:
            frame = tree.frames[f]
            for k in range(VELOCITIES[frame.kind]):
                owner[frame.velocity + k] = name
    viscous = np.array([FLOAT64.number(joints[name].viscous) for name in owner])
    coulomb = np.array([FLOAT64.number(joints[name].coulomb) for name in owner])
    friction = Friction.of("coulomb", viscous=viscous, coulomb=coulomb)
    return friction if friction.acts else None
