# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Bare joint centres, and how far a geometry is from being singular in every pose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import matrix_from_vector

# Below this ratio of the Jacobian's singular values (at every pose tried) a geometry is called
# architecturally singular: a good machine has about 0.1, rounding leaves about 1e-16.
SINGULAR_RATIO = 1e-6


class HasGeometry(Protocol):
    """What a geometry is looked at for; a `Machine` and a `Geometry` have it."""

    @property
    def base_joints(self) -> FloatArray: ...
    @property
    def platform_joints(self) -> FloatArray: ...
    @property
    def home_position(self) -> FloatArray: ...
    @property
    def home_rotation(self) -> FloatArray: ...
    @property
    def length_scale(self) -> float: ...


@dataclass(frozen=True)
class Geometry:
    """Bare joint centres (6, 3) in m and a pose to look around, for machines that `Machine` refuses."""

    base_joints: FloatArray
    platform_joints: FloatArray
    home_position: FloatArray
    home_rotation: FloatArray

    @property
    def length_scale(self) -> float:
        """The platform joints' rms radius, m."""
        return compute_joint_radius(self.platform_joints)


def compute_joint_radius(platform_joints: FloatArray) -> float:
    """Rms distance in m of the platform joints (6, 3) from their mean: what makes moments and forces comparable."""
    centred = platform_joints - platform_joints.mean(axis=0)
    return float(np.sqrt(np.mean(np.sum(centred**2, axis=1))))


def strut_lengths_at_home(geometry: HasGeometry) -> FloatArray:
    """Return the strut lengths (6,) at home, m."""
    arm = geometry.platform_joints @ geometry.home_rotation.T
    return np.asarray(np.linalg.norm(geometry.home_position + arm - geometry.base_joints, axis=1))


def compute_jacobian_quality(geometry: HasGeometry) -> tuple[FloatArray, FloatArray]:
    """Condition of a geometry at its home pose and 15 poses around it.

    Parameters
    ----------
    geometry : Machine or Geometry

    Returns
    -------
    ratio : ndarray, shape (16,)
        Smallest by largest singular value of the Jacobian, its rotation columns divided by the length scale.
    length : ndarray, shape (16, 6)
        Strut lengths in m; home is the first row.
    """
    rng = np.random.default_rng(0)
    reach = 0.2 * geometry.length_scale
    offsets = np.vstack([np.zeros(3), rng.uniform(-reach, reach, (15, 3))])
    turns = np.vstack([np.zeros(3), rng.uniform(-0.2, 0.2, (15, 3))])
    rotation = matrix_from_vector(turns) @ geometry.home_rotation
    arm = np.einsum("nij,kj->nki", rotation, geometry.platform_joints)
    strut = geometry.home_position + offsets[:, None, :] + arm - geometry.base_joints
    length = np.linalg.norm(strut, axis=2)
    with np.errstate(divide="ignore", invalid="ignore"):
        axis = np.nan_to_num(strut / length[..., None])
    rows = np.concatenate([axis, np.cross(arm, axis) / geometry.length_scale], axis=2)
    values = np.linalg.svd(rows, compute_uv=False)
    return values[:, -1] / values[:, 0], length
