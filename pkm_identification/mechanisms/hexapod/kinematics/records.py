# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Records of arrays that kernels hand to each other by name.

Inside kernels they cost nothing. The call from Python would have to learn their names anew every time, 2 us a record:
what Python calls takes plain tuples in the same order and makes records of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel


class Joints(NamedTuple):
    """Where the struts are attached, shapes (6, 3), m: in the base frame, and in the platform frame."""

    base: FloatArray
    platform: FloatArray


class Pose(NamedTuple):
    """Platform origin in the base frame (3,), m, and rotation (3, 3)."""

    position: FloatArray
    rotation: FloatArray


class PoseMatrices(NamedTuple):
    """What belongs to one pose: Jacobian and its inverse, scratch, shapes (6, 6), and the strut lengths (6,), m."""

    jacobian: FloatArray
    inverse: FloatArray
    work: FloatArray
    length: FloatArray


@kernel
def build_pose_matrices():
    """Room for the matrices of one pose."""
    return PoseMatrices(np.empty((6, 6)), np.empty((6, 6)), np.empty((6, 6)), np.empty(6))
