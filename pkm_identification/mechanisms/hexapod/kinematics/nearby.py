# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Motion of a platform near one that is known: of joints or lengths that differ a little.

A derivative by differences needs the motion of many machines that are all but the same. Newton's steps from the known
poses with the known poses' Jacobian (chord method) need no factorisation; what differs by a share e of the size of the
machine converges by about e at every step.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.mechanisms.threads import in_threads, row_parts
from pkm_identification.motion import PlatformMotion, StrutMotion
from pkm_identification.numerics.arrays import FloatArray, contiguous
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.linear_systems import invert6
from pkm_identification.numerics.rotation import turn
from pkm_identification.numerics.rows import copy_matrix, copy_vector

from ..machine import Machine
from .forward import TOLERANCE, compute_platform_rates, newton
from .jacobian import fill_jacobian
from .records import Joints, Pose, build_pose_matrices

CHORDS = 6  # steps before full Newton takes over
FULL = 50


def inverse_jacobians(machine: Machine, motion: PlatformMotion, threads: int = 1) -> FloatArray:
    """Inverse Jacobians (N, 6, 6) of a motion: twist = inverse @ rates; NaN where there is none."""
    inverse = np.empty((len(motion.position), 6, 6))
    joints, poses = (machine.base_joints, machine.platform_joints), (motion.position, motion.rotation)
    in_threads(
        lambda part: _compute_inverses(joints, tuple(one[part] for one in poses), inverse[part]),
        row_parts(len(inverse), threads),
    )
    return inverse


def nearby_motion(
    machine: Machine, struts: StrutMotion, known: PlatformMotion, inverse: FloatArray, threads: int = 1
) -> PlatformMotion:
    """Platform motion of strut motion, whose poses are near to known ones.

    Parameters
    ----------
    machine : Machine
        Which may differ from that of the known motion.
    struts : StrutMotion
        N samples, each near to the known motion's of the same number.
    known : PlatformMotion
    inverse : ndarray, shape (N, 6, 6)
        Its inverse Jacobians.
    threads : int
        1 to 1024.

    Returns
    -------
    PlatformMotion
        NaN in the rows whose pose was not found, or is not known.
    """
    count = len(struts.length)
    position, rotation = np.empty((count, 3)), np.empty((count, 3, 3))
    twist, acceleration = np.empty((count, 6)), np.empty((count, 6))
    joints = machine.base_joints, machine.platform_joints
    rows = (
        (known.position, known.rotation, inverse),
        (contiguous(struts.length), contiguous(struts.rate), contiguous(struts.acceleration)),
        (position, rotation, twist, acceleration),
    )
    in_threads(
        lambda part: _compute_nearby(joints, *(tuple(one[part] for one in group) for group in rows)),
        row_parts(count, threads),
    )
    return PlatformMotion(struts.time, position, rotation, twist, acceleration)


@kernel
def _compute_inverses(joints, poses, inverse):
    """Inverse Jacobians of `poses` (position, rotation)."""
    joints = Joints(*joints)
    position, rotation = poses
    matrices = build_pose_matrices()
    for n in range(position.shape[0]):
        fill_jacobian(
            joints.base, joints.platform, position[n], rotation[n], matrices.jacobian, matrices.length
        )
        if not np.isfinite(position[n, 0]) or not invert6(matrices.jacobian, inverse[n], matrices.work):
            inverse[n, :, :] = np.nan


@kernel
def _compute_nearby(joints, known, struts, result):
    """Motion, `result`, of `struts` (length, rate, acceleration) near `known` (position, rotation, inverse)."""
    joints = Joints(*joints)
    near_position, near_rotation, near_inverse = known
    length, rate, second = struts
    position, rotation, twist, acceleration = result
    matrices = build_pose_matrices()
    pose = Pose(np.empty(3), np.empty((3, 3)))
    turned, step = np.empty((3, 3)), np.empty(6)
    for n in range(length.shape[0]):
        copy_vector(near_position[n], pose.position)
        copy_matrix(near_rotation[n], pose.rotation)
        good = False
        for _ in range(CHORDS):
            fill_jacobian(
                joints.base,
                joints.platform,
                pose.position,
                pose.rotation,
                matrices.jacobian,
                matrices.length,
            )
            worst = 0.0
            for i in range(6):
                worst = max(worst, abs(length[n, i] - matrices.length[i]))
            # also where lengths are not finite: no comparison with them is true
            good = worst <= TOLERANCE and np.isfinite(length[n].sum())
            if good or not np.isfinite(near_inverse[n, 0, 0]):
                break
            for i in range(6):
                step[i] = 0.0
                for j in range(6):
                    step[i] += near_inverse[n, i, j] * (length[n, j] - matrices.length[j])
            for k in range(3):
                pose.position[k] += step[k]
            turn(pose.rotation, step[3], step[4], step[5], turned)
            copy_matrix(turned, pose.rotation)
        if not good:
            copy_vector(near_position[n], pose.position)
            copy_matrix(near_rotation[n], pose.rotation)
            good = newton(joints, length[n], pose, FULL, matrices)[0]
        if not (good and invert6(matrices.jacobian, matrices.inverse, matrices.work)):
            position[n, :] = np.nan
            rotation[n, :, :] = np.nan
            twist[n, :] = np.nan
            acceleration[n, :] = np.nan
            continue
        position[n] = pose.position
        rotation[n] = pose.rotation
        compute_platform_rates(
            joints.platform, pose.rotation, matrices, rate[n], second[n], twist[n], acceleration[n]
        )
