# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The joints of the equivalent tree: per strut two hinges at one end and a slide along the strut.

The hinges are at the base, and in base axes; where universal joints are at the platform, they are there, in platform
axes, and the tree's struts grow out of the platform towards their base joints.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.errors import MachineError
from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray

from ..machine import Machine

SMALLEST_ANGLE = 1e-3  # rad, between a strut and the hinge it must not run along


def strut_frames(machine: Machine) -> FloatArray:
    """Frames of the hinged joints at zero angles, in which strut axis = frame Rx(q1) Ry(q2) z.

    The strut's axis points from base to platform joint, at whichever end the hinges are.

    A `no_spin` machine has no real joint of its own. It behaves exactly like universal joints whose struts have no
    moment of inertia about their axis (spin then stores no energy and takes no torque), whatever the direction of the
    first hinge; each strut gets one perpendicular to its home direction, as far from the joint's singularity as can be.

    Parameters
    ----------
    machine : Machine

    Returns
    -------
    ndarray, shape (6, 3, 3)
        Axes as columns, in base axes (universal joints at the platform: in platform axes): x is the hinge fixed
        there, z the home direction of the strut made perpendicular to it.

    Raises
    ------
    MachineError
        If a strut runs along its first hinge at home, where a universal joint is singular.
    """
    frames = np.empty((STRUTS, 3, 3))
    tips = machine.home_position + machine.platform_joints @ machine.home_rotation.T
    for i in range(STRUTS):
        axis = (tips[i] - machine.base_joints[i]) / np.linalg.norm(tips[i] - machine.base_joints[i])
        if machine.hinged_platform:
            axis = machine.home_rotation.T @ axis
        if machine.universal:
            x = machine.first_axes[i]
        else:
            x = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
            x /= np.linalg.norm(x)
        z = axis - (axis @ x) * x
        if np.linalg.norm(z) < SMALLEST_ANGLE:
            raise MachineError(
                f"machine '{machine.name}': geometry.{'platform' if machine.hinged_platform else 'base'}_joint."
                f"first_axis runs along strut {i + 1} at home, "
                "where a universal joint is singular; give a hinge across the struts"
            )
        z /= np.linalg.norm(z)
        frames[i] = np.column_stack([x, np.cross(z, x), z])
    return frames


def compute_strut_coordinates(
    frames: FloatArray, machine: Machine, position: FloatArray, rotation: FloatArray
) -> FloatArray:
    """Angles of the two hinges and length of every strut at one pose.

    Parameters
    ----------
    frames : ndarray, shape (6, 3, 3)
        Of `strut_frames`.
    machine : Machine
    position : ndarray, shape (3,)
        Platform origin in the base frame, m.
    rotation : ndarray, shape (3, 3)

    Returns
    -------
    ndarray, shape (6, 3)
        q1, q2 in rad, length in m.
    """
    tips = position + machine.platform_joints @ rotation.T - machine.base_joints
    if machine.hinged_platform:
        tips = tips @ rotation
    x, y, z = np.einsum("iab,ia->bi", frames, tips)
    length = np.sqrt(x * x + y * y + z * z)
    return np.column_stack([np.arctan2(-y, z), np.arcsin(x / length), length])
