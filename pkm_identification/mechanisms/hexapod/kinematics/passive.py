# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Passive joints: how far universal and spherical joints turn from where they are at home."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pkm_identification.numerics.arrays import FloatArray

from ..joint_limits import JointLimits
from ..machine import Machine


@dataclass(frozen=True)
class PassiveAngles:
    """Angles of the passive joints along N poses, rad.

    Attributes
    ----------
    first : ndarray, shape (N, 6)
        Universal joints, about the hinges fixed in base or platform (`machine.first_axes`), from home's angle, in
        (-pi, pi]; NaN where the strut lies along that hinge.
    second : ndarray, shape (N, 6)
        Universal joints, about the second hinge (first axis x strut), from home's angle: positive away from the first
        axis.
    swing : ndarray, shape (N, 6)
        Spherical joints at the other end, between the strut's direction as seen from there now and at home, in [0, pi].
    within : ndarray of bool, shape (N,)
        Whether all are inside the limits given.
    """

    first: FloatArray
    second: FloatArray
    swing: FloatArray
    within: NDArray[np.bool_]


def passive_angles(
    machine: Machine, position: FloatArray, rotation: FloatArray, limits: JointLimits | None = None
) -> PassiveAngles:
    """Angles of the universal joints at one end and the spherical joints at the other.

    A machine without universal joints has the same two angles at the base, about `first_axes` and the axes across them.

    Parameters
    ----------
    machine : Machine
    position : ndarray, shape (N, 3)
        Platform origin in the base frame, m.
    rotation : ndarray, shape (N, 3, 3)
    limits : JointLimits, optional

    Returns
    -------
    PassiveAngles
        NaN in the rows whose pose is NaN; these are not within any limits.

    Raises
    ------
    ValueError
        If the shapes are wrong.
    """
    position, rotation = np.asarray(position, dtype=float), np.asarray(rotation, dtype=float)
    if position.ndim != 2 or position.shape[1] != 3 or rotation.shape != (len(position), 3, 3):
        raise ValueError(
            f"position {position.shape} and rotation {rotation.shape} must have shapes (N, 3) and (N, 3, 3)"
        )
    axis = _compute_directions(machine, position, rotation)
    home = _compute_directions(machine, machine.home_position[None], machine.home_rotation[None])
    seen = np.einsum("nji,nkj->nki", rotation, axis)
    seen_home = home @ machine.home_rotation
    if machine.hinged_platform:
        axis, home, seen, seen_home = seen, seen_home, axis, home
    first, second = _compute_hinge_turns(machine.first_axes, axis, home)
    swing = np.arctan2(np.linalg.norm(np.cross(seen, seen_home), axis=2), np.sum(seen * seen_home, axis=2))
    within = (limits or JointLimits()).allow(first, second, swing)
    return PassiveAngles(first, second, swing, within)


def angle_use(machine: Machine, position: FloatArray, rotation: FloatArray) -> FloatArray:
    """Angles of the passive joints over the limits of the machine's file, (N, 6 k) of the k angles that have some.

    Up to 1 within the limits; arguments as `passive_angles`, NaN where that has NaN.
    """
    limits = machine.joint_limits
    if not limits.exist:
        return np.empty((len(position), 0))
    angles = passive_angles(machine, position, rotation)
    return limits.use(angles.first, angles.second, angles.swing)


def _compute_directions(machine: Machine, position: FloatArray, rotation: FloatArray) -> FloatArray:
    """Unit vectors along the struts, (N, 6, 3)."""
    joints = position[:, None, :] + np.einsum("nij,kj->nki", rotation, machine.platform_joints)
    strut = joints - machine.base_joints
    with np.errstate(invalid="ignore", divide="ignore"):
        return strut / np.linalg.norm(strut, axis=2, keepdims=True)


def _compute_hinge_turns(
    hinges: FloatArray, axis: FloatArray, home: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Turns about the two hinges that bring the struts from home's directions to `axis`, each (N, 6)."""
    across = np.cross(hinges, axis)
    across_home = np.cross(hinges, home)
    size = np.linalg.norm(across, axis=2)
    first = np.arctan2(
        np.sum(np.cross(across_home, across) * hinges, axis=2), np.sum(across_home * across, axis=2)
    )
    size_home = np.linalg.norm(across_home, axis=2)
    first = np.where((size < 1e-9) | (size_home < 1e-9), np.nan, first)
    second = np.arctan2(size, np.sum(axis * hinges, axis=2)) - np.arctan2(
        size_home, np.sum(home * hinges, axis=2)
    )
    return first, second
