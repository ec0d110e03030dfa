# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Forward kinematics by following the machine from home: the pose it has if it was assembled as at home.

The squared lengths go straight from home's to the wanted ones (within the length limits if both ends are, for
the limits are a box). Each step is as long as Newton and Kantorovich's theorem proves that there is exactly
one root near by all the way (see `study`), so the path cannot slip to another assembly mode; where it meets
a singularity it stops and says so.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.linear_systems import invert6
from pkm_identification.numerics.rotation import orthonormalize

from ..forward import (
    DEGRADED,
    DEGRADED_CONDITION,
    FAILED,
    OK,
    newton,
)
from ..jacobian import compute_frobenius_condition
from ..records import Joints, Pose, build_pose_matrices
from .path_tracking import follow, machine_quadrics, path_work
from .study_quadrics import pose_from_study, study_from_pose


@dataclass(frozen=True)
class PathResult:
    """Poses reached by following the lengths from a start.

    Attributes
    ----------
    position : ndarray, shape (N, 3)
        m; NaN where the path was blocked.
    rotation : ndarray, shape (N, 3, 3)
        NaN where the path was blocked.
    status : ndarray of uint8, shape (N,)
        OK, DEGRADED (found, but near a singularity) or FAILED (blocked: a singularity lies across the path,
        or the lengths are no lengths).
    fraction : ndarray, shape (N,)
        Part of the way that was proved free of singularities; 1 when all of it.
    steps : ndarray of int32, shape (N,)
    residual : ndarray, shape (N,)
        Largest error of a length in m; inf where blocked.
    condition : ndarray, shape (N,)
        As in `ForwardResult`.
    """

    position: FloatArray
    rotation: FloatArray
    status: NDArray[np.uint8]
    fraction: FloatArray
    steps: NDArray[np.int32]
    residual: FloatArray
    condition: FloatArray

    @property
    def found(self) -> NDArray[np.bool_]:
        """Where the end was reached, shape (N,)."""
        return self.status != FAILED


@kernel
def _follow_batch(form, gram, starts, begin, end, z, fraction, steps):
    work = path_work()
    for n in range(len(end)):
        m = n if len(starts) > 1 else 0
        z[n] = starts[m]
        fraction[n], steps[n] = follow(form, gram, z[n], begin[m], end[n], work)


@kernel
def _polish(joints, lengths, poses, scale, fraction, status, residual, condition):
    position, rotation, matrices = poses.position, poses.rotation, build_pose_matrices()
    jac, inverse, work = matrices.jacobian, matrices.inverse, matrices.work
    for n in range(len(lengths)):
        status[n] = FAILED
        residual[n] = np.inf
        condition[n] = np.inf
        if fraction[n] < 1.0:
            position[n, :] = np.nan
            rotation[n, :, :] = np.nan
            continue
        good, _, error = newton(joints, lengths[n], Pose(position[n], rotation[n]), 5, matrices)
        if not good:
            position[n, :] = np.nan
            rotation[n, :, :] = np.nan
            continue
        orthonormalize(rotation[n])
        residual[n] = error
        if invert6(jac, inverse, work):
            condition[n] = compute_frobenius_condition(jac, inverse, scale)
        status[n] = OK if condition[n] <= DEGRADED_CONDITION else DEGRADED


def follow_lengths(
    machine: Machine, length: FloatArray, start: tuple[FloatArray, FloatArray] | None = None
) -> PathResult:
    """Platform poses that the machine reaches when its lengths go straight (in their squares) to those given.

    In contrast to `forward_kinematics` the pose is proved to belong to the start's assembly mode: it is joined
    to the start by a path of given lengths without a singularity. Ten to a hundred times the work.

    Parameters
    ----------
    machine : Machine
    length : ndarray, shape (N, 6)
        Strut lengths in m.
    start : tuple of position (3,) or (N, 3) and rotation (3, 3) or (N, 3, 3), optional
        Where the paths start; home if not given.

    Returns
    -------
    PathResult
        With a status per row; a row of lengths that no pose can have, or NaN, is FAILED.

    Raises
    ------
    ValueError
        If a shape is wrong or the start is not finite.
    """
    length = np.ascontiguousarray(length, dtype=float)
    if length.ndim != 2 or length.shape[1] != 6:
        raise ValueError(f"length has shape {length.shape}, expected (N, 6)")
    x, turned = start if start is not None else (machine.home_position, machine.home_rotation)
    x, turned = np.atleast_2d(np.asarray(x, dtype=float)), np.asarray(turned, dtype=float)
    turned = turned[None] if turned.ndim == 2 else turned
    if x.shape not in ((1, 3), (len(length), 3)) or turned.shape != (len(x), 3, 3):
        raise ValueError(
            f"start has shapes {x.shape} and {turned.shape}, expected (3,) and (3, 3) or one per row of length"
        )
    if not (np.all(np.isfinite(x)) and np.all(np.isfinite(turned))):
        raise ValueError("start holds a value that is not finite")
    system = machine_quadrics(machine)
    z0 = study_from_pose(x, turned, system.scale)
    count = len(length)
    z, fraction, steps = np.empty((count, 8)), np.empty(count), np.empty(count, dtype=np.int32)
    begin = 0.5 * np.einsum("nj,ijk,nk->ni", z0, system.form, z0)
    # a length below zero is none, whatever its square
    wanted = np.where(length > 0, length, np.nan)
    _follow_batch(system.form, system.gram, z0, begin, system.constant(wanted), z, fraction, steps)
    # where a blocked path left z means nothing
    z[fraction < 1.0] = z0[0]
    position, rotation = pose_from_study(z, system.scale)
    status = np.empty(count, dtype=np.uint8)
    residual, condition = np.empty(count), np.empty(count)
    position, rotation = np.ascontiguousarray(position), np.ascontiguousarray(rotation)
    joints, poses = Joints(machine.base_joints, machine.platform_joints), Pose(position, rotation)
    _polish(joints, length, poses, machine.length_scale, fraction, status, residual, condition)
    return PathResult(position, rotation, status, fraction, steps, residual, condition)
