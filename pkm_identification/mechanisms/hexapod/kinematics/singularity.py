# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Singularities: how well conditioned poses are, how far the next singularity is, and what gives way there.

Everything is said of the Jacobian with its rotation columns divided by a stated length, so that both halves
are free of units: J_s = J diag(1, 1/length_scale), from twists (v, length_scale w) to strut rates.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import matrix_from_vector

from ..geometry import SINGULAR_RATIO, Geometry, compute_jacobian_quality
from ..machine import Machine
from .jacobian import jacobian

# A screw is called a rotation below this pitch (over the length scale), a translation above its inverse.
PITCH = 1e-6
NEWTON_STEPS = 60
# Longest step towards a singularity, in length scales
LONGEST_STEP = 0.1


@dataclass(frozen=True)
class SingularityMeasures:
    """How far N poses are from singularities.

    Attributes
    ----------
    length_scale : float
        m; the length that makes metres and radians comparable.
    condition : ndarray, shape (N,)
        Largest over smallest singular value of the scaled Jacobian; inf when singular.
    sigma_min : ndarray, shape (N,)
        Smallest singular value of the scaled Jacobian, without unit.
    sign : ndarray of int8, shape (N,)
        Of the determinant: between poses of unlike sign lies a singularity.
    free_translation : ndarray, shape (N,)
        m. Proved but cautious: no pose moved by less than this, in whatever direction and without turning, is
        singular. From Weyl's inequality and the largest possible change of the Jacobian.
    free_rotation : ndarray, shape (N,)
        rad. The same for turns about any axis through the platform origin, without moving it.
    translation_estimate, rotation_estimate : ndarray, shape (N,)
        m and rad. sigma_min over the length of its gradient: where it would vanish if it went on falling as it
        begins. First order only, so neither a bound nor the nearest singularity; inf where it is stationary.
    """

    length_scale: float
    condition: FloatArray
    sigma_min: FloatArray
    sign: NDArray[np.int8]
    free_translation: FloatArray
    free_rotation: FloatArray
    translation_estimate: FloatArray
    rotation_estimate: FloatArray


@dataclass(frozen=True)
class NearbySingularity:
    """Singular poses found downhill from N poses: upper bounds of the distance to the nearest.

    Attributes
    ----------
    found : ndarray of bool, shape (N,)
        Whether the search arrived at a singular pose.
    position, rotation : ndarray, shapes (N, 3) and (N, 3, 3)
        That pose; NaN where not found.
    translation, rotation_angle : ndarray, shape (N,)
        Distance of its origin in m, and the angle between the two orientations in rad.
    """

    found: NDArray[np.bool_]
    position: FloatArray
    rotation: FloatArray
    translation: FloatArray
    rotation_angle: FloatArray


@dataclass(frozen=True)
class WeakestMotion:
    """The twist of one pose that changes the lengths least: at a singularity the one the struts cannot hold.

    Attributes
    ----------
    kind : str
        'rotation', 'translation' or 'screw'.
    twist : ndarray, shape (6,)
        (v, w) about the platform origin in base axes, of unit size with w times the length scale.
    direction : ndarray, shape (3,)
        Unit vector of the axis, or of the translation.
    point : ndarray, shape (3,) or None
        Point of the axis nearest to the platform origin, base frame, m; None for a translation.
    pitch : float
        m per rad along the axis; 0 for a rotation, inf for a translation.
    sigma : ndarray, shape (6,)
        Singular values of the scaled Jacobian, largest first.
    freedom : int
        Number of motions the struts cannot hold: singular values below 1e-6 of the largest.
    """

    kind: str
    twist: FloatArray
    direction: FloatArray
    point: FloatArray | None
    pitch: float
    sigma: FloatArray
    freedom: int


def compute_scaled_jacobian(
    machine: Machine, position: FloatArray, rotation: FloatArray, length_scale: float | None = None
) -> FloatArray:
    """Jacobian without units: its rotation columns divided by a length.

    Parameters
    ----------
    machine : Machine
    position : ndarray, shape (N, 3)
        Platform origin in the base frame, m.
    rotation : ndarray, shape (N, 3, 3)
    length_scale : float, optional
        m; the machine's (rms radius of the platform joints) if not given.

    Returns
    -------
    ndarray, shape (N, 6, 6)
        Rows [s^T, (r x s)^T / length_scale], one per strut.

    Raises
    ------
    ValueError
        If the shapes do not fit together or the length is not positive.
    """
    position, rotation = _read_poses(position, rotation)
    scale = _scale(machine, length_scale)
    return jacobian(machine, position, rotation) / np.array([1.0, 1.0, 1.0, scale, scale, scale])


def singularity_measures(
    machine: Machine, position: FloatArray, rotation: FloatArray, length_scale: float | None = None
) -> SingularityMeasures:
    """Condition and distance to singularity of poses.

    Parameters
    ----------
    machine : Machine
    position : ndarray, shape (N, 3)
        Platform origin in the base frame, m.
    rotation : ndarray, shape (N, 3, 3)
    length_scale : float, optional
        m; the machine's if not given.

    Returns
    -------
    SingularityMeasures
        NaN (and sign 0) in rows whose pose is NaN.

    Raises
    ------
    ValueError
        If the shapes are wrong or the length scale is not positive.
    """
    position, rotation = _read_poses(position, rotation)
    scale = _scale(machine, length_scale)
    good = np.isfinite(position).all(axis=1) & np.isfinite(rotation).all(axis=(1, 2))
    values = {name: np.full(len(position), np.nan) for name in _MEASURES}
    sign = np.zeros(len(position), dtype=np.int8)
    if np.any(good):
        sign[good], measures = _compute_measures(machine, position[good], rotation[good], scale)
        for name, part in zip(_MEASURES, measures, strict=True):
            values[name][good] = part
    return SingularityMeasures(length_scale=scale, sign=sign, **values)


_MEASURES = (
    "condition",
    "sigma_min",
    "free_translation",
    "free_rotation",
    "translation_estimate",
    "rotation_estimate",
)


def _compute_measures(
    machine: Machine, position: FloatArray, rotation: FloatArray, scale: float
) -> tuple[FloatArray, tuple[FloatArray, ...]]:
    j = compute_scaled_jacobian(machine, position, rotation, scale)
    u, sigma, vt = np.linalg.svd(j)
    smallest = sigma[:, 5]
    with np.errstate(divide="ignore"):
        condition = sigma[:, 0] / smallest
    gradient = _compute_gradient(machine, position, rotation, scale, u[:, :, 5], vt[:, 5])
    with np.errstate(divide="ignore", invalid="ignore"):
        along, about = (smallest / np.linalg.norm(gradient[:, part], axis=1) for part in _HALVES)
    length, radius = _compute_lengths_and_radii(machine, position, rotation)
    # dJ_i of a displacement d: |ds| <= d / L; of a turn a about the origin: |dP| <= r a, and the arm turns too
    moved = _clear(smallest, length, lambda l: np.sqrt(1 + (radius / scale) ** 2) / l, np.ones_like(length))
    turned = _clear(
        smallest,
        length,
        lambda l: np.sqrt((radius / l) ** 2 + (radius / scale * (1 + radius / l)) ** 2),
        radius,
    )
    return np.sign(np.linalg.det(j)).astype(np.int8), (condition, smallest, moved, turned, along, about)


_HALVES = (slice(0, 3), slice(3, 6))


def _clear(sigma: FloatArray, length: FloatArray, slope, speed: FloatArray) -> FloatArray:
    """Return largest d with d |dJ|(L - speed d) <= sigma: until then no singular value can have reached zero."""
    low, high = np.zeros(len(sigma)), (length / speed).min(axis=1)
    for _ in range(60):
        middle = 0.5 * (low + high)
        shortest = length - speed * middle[:, None]
        with np.errstate(divide="ignore"):
            change = np.sqrt(np.sum(slope(np.maximum(shortest, 0.0)) ** 2, axis=1))
        inside = middle * change <= sigma
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    return low


def _compute_gradient(
    machine: Machine, position: FloatArray, rotation: FloatArray, scale: float, u: FloatArray, v: FloatArray
) -> FloatArray:
    """Return derivative (N, 6) of the singular value u' J_s v by displacements (m) and turns (rad) of the pose."""
    arm = np.einsum("nij,kj->nki", rotation, machine.platform_joints)
    strut = position[:, None] + arm - machine.base_joints
    length = np.linalg.norm(strut, axis=2)
    s = strut / length[..., None]
    force, moment = v[:, :3], v[:, 3:] / scale
    result = np.empty((len(position), 6))
    for k in range(6):
        e = np.eye(3)[k % 3]
        d_arm = np.zeros_like(arm) if k < 3 else np.cross(e, arm)
        d_joint = np.broadcast_to(e, arm.shape) if k < 3 else d_arm
        d_s = (d_joint - np.sum(d_joint * s, axis=2, keepdims=True) * s) / length[..., None]
        d_m = np.cross(d_arm, s) + np.cross(arm, d_s)
        rows = np.einsum("nki,ni->nk", d_s, force) + np.einsum("nki,ni->nk", d_m, moment)
        result[:, k] = np.sum(u * rows, axis=1)
    return result


def nearby_singularity(
    machine: Machine, position: FloatArray, rotation: FloatArray, length_scale: float | None = None
) -> NearbySingularity:
    """Return a singular pose near each pose, by Newton on the smallest singular value along its gradient.

    The distance found bounds the true one from above, `SingularityMeasures.free_translation` and
    `free_rotation` bound it from below. Length limits are not looked at.

    Parameters
    ----------
    machine, position, rotation, length_scale
        As in `singularity_measures`; the poses must be finite.

    Returns
    -------
    NearbySingularity

    Raises
    ------
    ValueError
        If the shapes are wrong or a number is not finite.
    """
    position, rotation = _read_poses(position, rotation)
    if not (np.all(np.isfinite(position)) and np.all(np.isfinite(rotation))):
        raise ValueError("position and rotation must be finite")
    scale = _scale(machine, length_scale)
    x, turned = position.copy(), rotation.copy()
    smallest = np.full(len(x), np.inf)
    for _ in range(NEWTON_STEPS):
        u, sigma, vt = np.linalg.svd(compute_scaled_jacobian(machine, x, turned, scale))
        smallest = sigma[:, 5]
        if np.all(smallest < 1e-13):
            break
        gradient = _compute_gradient(machine, x, turned, scale, u[:, :, 5], vt[:, 5])
        # turns measured by the arc at the length scale, so that a step is one length in m
        gradient[:, 3:] /= scale
        square = np.sum(gradient**2, axis=1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            step = np.nan_to_num(-smallest[:, None] * gradient / square, nan=0.0, posinf=0.0, neginf=0.0)
        size = np.linalg.norm(step, axis=1, keepdims=True)
        step *= np.minimum(1.0, LONGEST_STEP * scale / np.maximum(size, 1e-300))
        x = x + step[:, :3]
        turned = matrix_from_vector(step[:, 3:] / scale) @ turned
    singular = smallest < 1e-10
    between = np.swapaxes(rotation, 1, 2) @ turned
    sine = np.linalg.norm(
        np.stack([between[:, 2, 1] - between[:, 1, 2], between[:, 0, 2] - between[:, 2, 0],
                  between[:, 1, 0] - between[:, 0, 1]], axis=1), axis=1)  # fmt: skip
    angle = np.arctan2(sine, np.trace(between, axis1=1, axis2=2) - 1)
    x[~singular], turned[~singular], angle[~singular] = np.nan, np.nan, np.nan
    return NearbySingularity(singular, x, turned, np.linalg.norm(x - position, axis=1), angle)


def weakest_motion(
    machine: Machine, position: FloatArray, rotation: FloatArray, length_scale: float | None = None
) -> WeakestMotion:
    """Return the motion of one pose that the struts hold least: what kind of freedom a singularity gives.

    Parameters
    ----------
    machine : Machine
    position : ndarray, shape (3,)
        Platform origin in the base frame, m.
    rotation : ndarray, shape (3, 3)
    length_scale : float, optional
        m; the machine's if not given.

    Returns
    -------
    WeakestMotion
        With `freedom` 0 away from singularities. With a freedom above one the twist is one of many.

    Raises
    ------
    ValueError
        If the shapes are wrong or a number is not finite.
    """
    position, rotation = np.asarray(position, dtype=float), np.asarray(rotation, dtype=float)
    if position.shape != (3,) or rotation.shape != (3, 3):
        raise ValueError(f"position {position.shape} and rotation {rotation.shape} must be (3,) and (3, 3)")
    if not (np.all(np.isfinite(position)) and np.all(np.isfinite(rotation))):
        raise ValueError("position and rotation must be finite")
    scale = _scale(machine, length_scale)
    _, sigma, vt = np.linalg.svd(compute_scaled_jacobian(machine, position[None], rotation[None], scale)[0])
    twist = vt[5] / np.array([1.0, 1.0, 1.0, scale, scale, scale])
    # the larger part points up the first axis it is not across
    lead = twist[3:] if np.linalg.norm(vt[5, 3:]) > PITCH else twist[:3]
    twist = twist * np.sign(lead[np.argmax(np.abs(lead) > 1e-9 * np.abs(lead).max())])
    v, w = twist[:3], twist[3:]
    freedom = int(np.count_nonzero(sigma < SINGULAR_RATIO * sigma[0]))
    if np.linalg.norm(w) * scale <= PITCH * np.linalg.norm(v):
        return WeakestMotion("translation", twist, v / np.linalg.norm(v), None, np.inf, sigma, freedom)
    rate = w @ w
    pitch = float(v @ w / rate)
    point = position + np.cross(w, v) / rate
    kind = "rotation" if abs(pitch) <= PITCH * scale else "screw"
    return WeakestMotion(kind, twist, w / np.sqrt(rate), point, pitch, sigma, freedom)


def architectural_quality(geometry: Machine | Geometry) -> float:
    """Return how far a geometry is from being singular everywhere.

    Returns
    -------
    float
        Best ratio sigma_min / sigma_max of the scaled Jacobian at the home pose and 15 poses around it: about 0.1 for a
        good machine, 1e-16 (rounding) for an architecturally singular one.
    """
    return float(compute_jacobian_quality(geometry)[0].max())


def is_architecturally_singular(geometry: Machine | Geometry) -> bool:
    """Return whether a geometry is singular in every pose tried, as `Machine.load` tests it.

    The determinant is analytic in the pose, so a geometry that is not architecturally singular vanishes at a
    random pose with probability zero; the threshold (1e-6) decides about rounding and near misses.
    """
    return architectural_quality(geometry) < SINGULAR_RATIO


def _scale(machine: Machine, length_scale: float | None) -> float:
    scale = machine.length_scale if length_scale is None else float(length_scale)
    if not (scale > 0 and np.isfinite(scale)):
        raise ValueError(f"length_scale = {length_scale}: must be positive (m)")
    return scale


def _read_poses(position: FloatArray, rotation: FloatArray) -> tuple[FloatArray, FloatArray]:
    position, rotation = np.asarray(position, dtype=float), np.asarray(rotation, dtype=float)
    if position.ndim != 2 or position.shape[1] != 3 or rotation.shape != (len(position), 3, 3):
        raise ValueError(
            f"position {position.shape} and rotation {rotation.shape} must have shapes (N, 3) and (N, 3, 3)"
        )
    return position, rotation


def _compute_lengths_and_radii(
    machine: Machine, position: FloatArray, rotation: FloatArray
) -> tuple[FloatArray, FloatArray]:
    joints = position[:, None] + np.einsum("nij,kj->nki", rotation, machine.platform_joints)
    length = np.linalg.norm(joints - machine.base_joints, axis=2)
    radius = np.linalg.norm(machine.platform_joints, axis=1)
    # a joint at the origin does not move in turns
    return length, np.broadcast_to(np.maximum(radius, 1e-12), length.shape)
