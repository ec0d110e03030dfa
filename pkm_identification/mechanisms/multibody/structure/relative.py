# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Where the two bodies of a joint stand to each other, of joints that carry the tree and that close loops; float64."""

from __future__ import annotations

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

from ..description.records import Joint
from ..kernels.closing import read_frames
from ..kernels.layout import ORIGIN, STATE
from ..numbers.arithmetic import FLOAT64
from .model import Model
from .placements import joint_frames
from .tree import Tree


def read_body_frames(tree: Tree, model: Model, configuration: FloatArray) -> FloatArray:
    """Return the frames of all bodies at configurations (N, Q), as `read_frames` writes them."""
    state = np.zeros((len(configuration), len(tree.frames), STATE, 3))
    FLOAT64.compile(read_frames)(model, np.ascontiguousarray(configuration), state)
    return state


def read_between(joint: Joint, tree: Tree, frames: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the joint's frame on its second body as seen from that on its first: rotation (N, 3, 3), origin (N, 3)."""
    ends = []
    for body, frame in zip(joint.bodies, joint_frames(joint), strict=True):
        own = frames[:, tree.body_frames[body]]
        turned, origin = FLOAT64.array(frame.rotation), FLOAT64.array(frame.origin)
        ends.append((own[:, :3] @ turned, own[:, ORIGIN] + own[:, :3] @ origin))
    (first, here), (second, there) = ends
    return np.einsum("nji,njk->nik", first, second), np.einsum("nji,nj->ni", first, there - here)
