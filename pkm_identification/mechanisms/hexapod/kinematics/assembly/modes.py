# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""All assembly modes: every real pose that six given lengths allow, each with a proof."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.linear_systems import invert6
from pkm_identification.numerics.rotation import orthonormalize
from pkm_identification.numerics.rows import copy_matrix, copy_vector

from ...joint_limits import JointLimits
from ..forward import newton
from ..jacobian import compute_frobenius_condition, fill_jacobian
from ..passive import passive_angles
from ..records import Joints, Pose, build_pose_matrices
from .continuation import follow_lengths
from .path_tracking import machine_quadrics
from .root_search import MAX_STARTS, Roots, find_all_roots
from .study_quadrics import pose_from_study, quadrics


@dataclass(frozen=True)
class AssemblyModes:
    """All real poses found for six lengths; the machine's own mode first when it is known, then by distance from home.

    Attributes
    ----------
    position : ndarray, shape (M, 3)
        m, base frame.
    rotation : ndarray, shape (M, 3, 3)
    residual : ndarray, shape (M,)
        Largest error of a length in m.
    condition : ndarray, shape (M,)
        Frobenius condition number / 6 of the Jacobian (see `ForwardResult`); inf when singular.
    sign : ndarray of int8, shape (M,)
        Of the Jacobian's determinant; modes of unlike signs are separated by a singularity.
    certified : ndarray of bool, shape (M,)
        Proved (Newton and Kantorovich): exactly one pose is near, and no other mode of the list is the same.
    error : ndarray, shape (M,)
        Bound of the distance to the exact pose, in Study coordinates of lengths over `length_scale` (about half
        the turn in rad, half the displacement over the length scale); inf where not certified.
    multiple : ndarray of bool, shape (M,)
        Where the pose could not be separated from a multiple root (a singular pose, or one of a continuum).
    within : ndarray of bool, shape (M,)
        Whether lengths and passive joints are inside the machine's length limits and the joint limits given.
    hits : ndarray of int64, shape (M,)
        Starts that ended here.
    home : int or None
        The mode joined to home by a path without a singularity (see `follow_lengths`).
    starts, converged : int
        Starts tried, and those that ended in a mode.
    settled : bool
        Whether the stopping rule was met: every mode found ten times, signs balanced.
    balanced : bool
        As many modes with positive as with negative sign, and none multiple.
    chance_missed : float
        Chance that a second search as long as this one would miss at least one of these modes: the modes' own
        shares put into prod (1 - share)^n. An estimate: a mode that no start leads to stays unknown.
    unseen_share : float
        Largest share of starts (95 %) that may lead to modes not met (Good and Turing: from those met once).
    continuum : bool
        More poses than isolated ones can be: the platform can move with its lengths held.
    """

    position: FloatArray
    rotation: FloatArray
    residual: FloatArray
    condition: FloatArray
    sign: NDArray[np.int8]
    certified: NDArray[np.bool_]
    error: FloatArray
    multiple: NDArray[np.bool_]
    within: NDArray[np.bool_]
    hits: NDArray[np.int64]
    home: int | None
    starts: int
    converged: int
    settled: bool
    balanced: bool
    chance_missed: float
    unseen_share: float
    continuum: bool

    def __len__(self) -> int:
        return len(self.position)


@kernel
def _polish(base, platform, length, position, rotation, scale, residual, condition, jacobians):
    """Newton's last bits in the lengths themselves."""
    joints, matrices = Joints(base, platform), build_pose_matrices()
    jac, inverse, work = matrices.jacobian, matrices.inverse, matrices.work
    for n in range(len(position)):
        kept, turned = position[n].copy(), rotation[n].copy()
        good, _, error = newton(joints, length, Pose(position[n], rotation[n]), 5, matrices)
        if not good:
            # near a multiple root the last step may be rounding alone
            copy_vector(kept, position[n])
            copy_matrix(turned, rotation[n])
        orthonormalize(rotation[n])
        fill_jacobian(base, platform, position[n], rotation[n], jac, matrices.length)
        error = 0.0
        for i in range(6):
            error = max(error, abs(matrices.length[i] - length[i]))
        residual[n] = error
        condition[n] = np.inf
        if invert6(jac, inverse, work):
            condition[n] = compute_frobenius_condition(jac, inverse, scale)
        copy_matrix(jac, jacobians[n])


def geometry_modes(
    base_joints: FloatArray,
    platform_joints: FloatArray,
    length: FloatArray,
    seed: int = 0,
    max_starts: int = MAX_STARTS,
) -> AssemblyModes:
    """Return all assembly modes of bare joint centres, without a machine's home and limits.

    Parameters
    ----------
    base_joints, platform_joints : ndarray, shape (6, 3)
        Joint centres in the base and the platform frame, m.
    length : ndarray, shape (6,)
        m.
    seed : int
        Of the random starts; the same seed gives the same result.
    max_starts : int
        Where the search ends even if not settled.

    Returns
    -------
    AssemblyModes
        Sorted by position; `home` is None and every mode is `within`.

    Raises
    ------
    ValueError
        If a shape is wrong or a number is not finite or a length not positive.
    """
    base, platform = (
        _read_joints("base_joints", base_joints),
        _read_joints("platform_joints", platform_joints),
    )
    length = _compute_length(length)
    scale = float(np.sqrt(np.mean(np.sum((platform - platform.mean(axis=0)) ** 2, axis=1))))
    if scale == 0.0:
        raise ValueError("platform_joints are all in one place")
    roots = find_all_roots(quadrics(base, platform, scale), base, platform, length, seed, max_starts)
    modes = _find_modes(base, platform, length, scale, roots)
    return _sort_modes(
        modes, np.lexsort(modes.position.T[::-1].round(9)), None, np.ones(len(modes), dtype=bool)
    )


def assembly_modes(
    machine: Machine,
    length: FloatArray,
    limits: JointLimits | None = None,
    seed: int = 0,
    max_starts: int = MAX_STARTS,
) -> AssemblyModes:
    """Return all assembly modes of a machine with given strut lengths.

    Parameters
    ----------
    machine : Machine
    length : ndarray, shape (6,)
        Strut lengths in m.
    limits : JointLimits, optional
        Of the passive joints, for `within`.
    seed : int
        Of the random starts; the same seed gives the same result.
    max_starts : int
        Where the search ends even if not settled.

    Returns
    -------
    AssemblyModes
        Empty when no pose has these lengths.

    Raises
    ------
    ValueError
        If `length` is not six positive finite numbers.
    """
    length = _compute_length(length)
    base, platform, scale = machine.base_joints, machine.platform_joints, machine.length_scale
    modes = _find_modes(
        base,
        platform,
        length,
        scale,
        find_all_roots(machine_quadrics(machine), base, platform, length, seed, max_starts),
    )
    away = np.linalg.norm(modes.position - machine.home_position, axis=1) + scale * np.linalg.norm(
        modes.rotation - machine.home_rotation, axis=(1, 2)
    )
    # mirrored modes are as far from home as each other but for rounding
    order = np.lexsort((*modes.position.T[::-1].round(9), away.round(9)))
    home = None
    path = follow_lengths(machine, length[None])
    if path.found[0] and len(modes):
        apart = np.linalg.norm(modes.position - path.position[0], axis=1) + scale * np.linalg.norm(
            modes.rotation - path.rotation[0], axis=(1, 2)
        )
        nearest = int(np.argmin(apart))
        if apart[nearest] < 1e-6 * scale:
            order = np.concatenate([[nearest], order[order != nearest]])
            home = 0
    low, high = machine.length_limits
    within = np.full(len(modes), bool(np.all((length >= low) & (length <= high))))
    if limits is not None:
        within &= passive_angles(machine, modes.position, modes.rotation, limits).within
    return _sort_modes(modes, order, home, within)


def _find_modes(
    base: FloatArray, platform: FloatArray, length: FloatArray, scale: float, roots: Roots
) -> AssemblyModes:
    position, rotation = (np.ascontiguousarray(part) for part in pose_from_study(roots.z, scale))
    count = len(position)
    residual, condition, jacobians = np.empty(count), np.empty(count), np.empty((count, 6, 6))
    _polish(base, platform, length, position, rotation, scale, residual, condition, jacobians)
    share = roots.hits / max(roots.converged, 1)
    once = int(np.count_nonzero(roots.hits == 1))
    # imported here: it takes as long as all of this package's kinematics
    from scipy.special import gammaincinv

    return AssemblyModes(
        position=position,
        rotation=rotation,
        residual=residual,
        condition=condition,
        sign=np.sign(np.linalg.det(jacobians)).astype(np.int8),
        certified=roots.certified,
        error=roots.error,
        multiple=~roots.certified,
        within=np.ones(count, dtype=bool),
        hits=roots.hits,
        home=None,
        starts=roots.starts,
        converged=roots.converged,
        settled=roots.settled,
        balanced=roots.balanced,
        chance_missed=float(-np.expm1(np.sum(np.log1p(-((1 - share) ** roots.converged)))))
        if count > 1
        else 0.0,
        # upper end of a Poisson mean of which `once` was seen
        unseen_share=min(1.0, float(gammaincinv(once + 1, 0.95) / max(roots.starts, 1))),
        continuum=roots.continuum,
    )


def _sort_modes(
    modes: AssemblyModes, order: NDArray[np.int64], home: int | None, within: NDArray[np.bool_]
) -> AssemblyModes:
    per_mode = (
        "position",
        "rotation",
        "residual",
        "condition",
        "sign",
        "certified",
        "error",
        "multiple",
        "hits",
    )
    return replace(
        modes, home=home, within=within[order], **{name: getattr(modes, name)[order] for name in per_mode}
    )


def _read_joints(name: str, values: FloatArray) -> FloatArray:
    joints = np.array(values, dtype=float)
    # as a machine's are: kernels are compiled once for both
    joints.setflags(write=False)
    if joints.shape != (6, 3) or not np.all(np.isfinite(joints)):
        raise ValueError(f"{name} must be 6 x 3 finite numbers, found shape {joints.shape}")
    return joints


def _compute_length(values: FloatArray) -> FloatArray:
    length = np.ascontiguousarray(values, dtype=float)
    if length.shape != (6,):
        raise ValueError(f"length has shape {length.shape}, expected (6,)")
    if not np.all(length > 0) or not np.all(np.isfinite(length)):
        raise ValueError(f"length = {length.tolist()}: must be six positive finite numbers (m)")
    return length
