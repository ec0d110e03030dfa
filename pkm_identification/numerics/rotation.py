# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Rotations: the only place where z-x-z angles, quaternions and matrices meet.

Quaternions are (x, y, z, w) at every interface of this package (REP 103 and ROS messages).
"""

from __future__ import annotations

import numpy as np

from .arrays import FloatArray
from .compiled import compile_inline, kernel
from .vector3 import cross, dot

FAR = 0.6  # cosine between a vector and a coordinate axis, below

UPRIGHT = 1e-8  # cosine of a pitch at which yaw and roll are one angle to half of all digits


@compile_inline
def matrix_rows(x, y, z, w, k):
    """Return rows of the rotation matrix of a quaternion, given k = 2 / its squared length."""
    return (
        (1.0 - k * (y * y + z * z), k * (x * y - z * w), k * (x * z + y * w)),
        (k * (x * y + z * w), 1.0 - k * (x * x + z * z), k * (y * z - x * w)),
        (k * (x * z - y * w), k * (y * z + x * w), 1.0 - k * (x * x + y * y)),
    )


@compile_inline
def write_matrix(x, y, z, w, k, rotation):
    """Write the rotation matrix of a quaternion, given k = 2 / its squared length."""
    rows = matrix_rows(x, y, z, w, k)
    rotation[0, 0], rotation[0, 1], rotation[0, 2] = rows[0]
    rotation[1, 0], rotation[1, 1], rotation[1, 2] = rows[1]
    rotation[2, 0], rotation[2, 1], rotation[2, 2] = rows[2]


@kernel
def fill_matrix(quaternion, rotation):
    """Write the matrix of a quaternion (x, y, z, w) of any length."""
    x, y, z, w = quaternion[0], quaternion[1], quaternion[2], quaternion[3]
    write_matrix(x, y, z, w, 2.0 / (x * x + y * y + z * z + w * w), rotation)


@kernel
def turn(rotation, w0, w1, w2, out):
    """out = exp([w]) rotation, by a unit quaternion so that it stays a rotation; `out` is not `rotation`."""
    angle = np.sqrt(w0 * w0 + w1 * w1 + w2 * w2)
    half = 0.5 * angle
    k = 0.5 - half * half / 12.0 if half < 1e-4 else np.sin(half) / angle
    c = np.cos(half)
    x, y, z = k * w0, k * w1, k * w2
    n = np.sqrt(c * c + x * x + y * y + z * z)
    first, second, third = matrix_rows(x / n, y / n, z / n, c / n, 2.0)
    for j in range(3):
        a, b, d = rotation[0, j], rotation[1, j], rotation[2, j]
        out[0, j] = first[0] * a + first[1] * b + first[2] * d
        out[1, j] = second[0] * a + second[1] * b + second[2] * d
        out[2, j] = third[0] * a + third[1] * b + third[2] * d


@kernel
def orthonormalize(rotation):
    """Remove the rounding that thousands of warm-started turns leave in a rotation matrix (Gram-Schmidt)."""
    a = (rotation[0, 0], rotation[1, 0], rotation[2, 0])
    b = (rotation[0, 1], rotation[1, 1], rotation[2, 1])
    n = np.sqrt(dot(a, a))
    a = (a[0] / n, a[1] / n, a[2] / n)
    k = dot(a, b)
    b = (b[0] - k * a[0], b[1] - k * a[1], b[2] - k * a[2])
    n = np.sqrt(dot(b, b))
    b = (b[0] / n, b[1] / n, b[2] / n)
    c = cross(a, b)
    for i in range(3):
        rotation[i, 0] = a[i]
        rotation[i, 1] = b[i]
        rotation[i, 2] = c[i]


@kernel
def _compute_matrices(quaternions, rotations):
    """Rotation matrices (N, 3, 3) of quaternions (N, 4); False when one is not finite or has no length."""
    for n in range(quaternions.shape[0]):
        x, y, z, w = quaternions[n]
        norm = np.sqrt(x * x + y * y + z * z + w * w)
        if not 1e-12 <= norm < np.inf:
            return False
        x, y, z, w = x / norm, y / norm, z / norm, w / norm
        write_matrix(x, y, z, w, 2.0, rotations[n])
    return True


@kernel
def fill_quaternion(r, q):
    """Write the unit quaternion q (x, y, z, w), w >= 0, of a rotation matrix r, by Shepperd's method."""
    # four times the squared components, less a common part: the largest tells where to begin
    trace = r[0, 0] + r[1, 1] + r[2, 2]
    best, largest = 3, trace
    for i in range(3):
        if r[i, i] > largest:
            best, largest = i, r[i, i]
    if best == 3:
        q[0], q[1], q[2] = r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]
        q[3] = 1 + trace
    else:
        j, k = (best + 1) % 3, (best + 2) % 3
        q[best] = 1 + 2 * r[best, best] - trace
        q[j], q[k] = r[best, j] + r[j, best], r[best, k] + r[k, best]
        q[3] = r[k, j] - r[j, k]
    norm = np.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    if q[3] < 0:
        norm = -norm
    for i in range(4):
        q[i] /= norm


@kernel
def _compute_quaternions(rotations, quaternions):
    """Unit quaternions (N, 4) of rotation matrices (N, 3, 3)."""
    for n in range(rotations.shape[0]):
        fill_quaternion(rotations[n], quaternions[n])


def matrix_from_quaternion(quaternion: FloatArray) -> FloatArray:
    """Rotation matrices of quaternions.

    Parameters
    ----------
    quaternion : array_like, shape (..., 4)
        (x, y, z, w); normalised here, so it need not have unit length.

    Returns
    -------
    ndarray, shape (..., 3, 3)

    Raises
    ------
    ValueError
        If a quaternion has no length or is not finite.
    """
    q = np.array(quaternion, dtype=float, order="C")
    rotation = np.empty((*q.shape[:-1], 3, 3))
    if not _compute_matrices(q.reshape(-1, 4), rotation.reshape(-1, 3, 3)):
        raise ValueError("quaternion must be finite and not zero")
    return rotation


def build_quaternion_from_matrix(rotation: FloatArray) -> FloatArray:
    """Unit quaternions (x, y, z, w) with w >= 0 of rotation matrices.

    Takes the largest of the four squared components first (Shepperd's method), so it never divides by a
    small number; compiled, because nodes do this for every message, which is why transforms3d is not used for it.

    Parameters
    ----------
    rotation : array_like, shape (..., 3, 3)

    Returns
    -------
    ndarray, shape (..., 4)
    """
    r = np.array(rotation, dtype=float, order="C")
    quaternion = np.empty((*r.shape[:-2], 4))
    _compute_quaternions(r.reshape(-1, 3, 3), quaternion.reshape(-1, 4))
    return quaternion


def yaw_pitch_roll(rotation: FloatArray) -> FloatArray:
    """Return the angles (3,), rad, of a rotation (3, 3) = Rz(yaw) Ry(pitch) Rx(roll); where it turns y down, no yaw."""
    level = np.hypot(rotation[2, 1], rotation[2, 2])
    pitch = np.arctan2(-rotation[2, 0], level)
    if level < UPRIGHT:
        return np.array([0.0, pitch, np.arctan2(-rotation[1, 2], rotation[1, 1])])
    yaw = np.arctan2(rotation[1, 0], rotation[0, 0])
    return np.array([yaw, pitch, np.arctan2(rotation[2, 1], rotation[2, 2])])


def matrix_from_vector(vector: FloatArray) -> FloatArray:
    """Rotation matrices of rotation vectors (Rodrigues), batched.

    Parameters
    ----------
    vector : array_like, shape (..., 3)
        Axis times angle in rad.
    """
    v = np.asarray(vector, dtype=float)
    half = 0.5 * np.linalg.norm(v, axis=-1, keepdims=True)
    # sinc keeps the limit at zero angle exact
    q = np.concatenate([0.5 * v * np.sinc(half / np.pi), np.cos(half)], axis=-1)
    return matrix_from_quaternion(q)


def build_vector_from_matrix(rotation: FloatArray) -> FloatArray:
    """Rotation vectors (axis times angle in rad, at most pi) of rotation matrices: undoes `matrix_from_vector`.

    Parameters
    ----------
    rotation : array_like, shape (..., 3, 3)

    Returns
    -------
    ndarray, shape (..., 3)
    """
    q = build_quaternion_from_matrix(rotation)
    sine = np.linalg.norm(q[..., :3], axis=-1, keepdims=True)
    half = np.arctan2(sine, q[..., 3:])
    # v / sin(half) times 2 half; the quotient of small angles is 1
    return 2.0 * q[..., :3] / np.sinc(half / np.pi)


def axes_across(vector: FloatArray) -> FloatArray:
    """Two unit vectors (2, 3) at right angles to a vector (3,) and to each other, right-handed with its opposite.

    The second is the last coordinate axis far from the vector, less what it has along it: across -z they are x and y,
    and vectors in the plane of x and y have z as their second, so that their first turn all the same way.
    """
    along = vector / np.linalg.norm(vector)
    # not all three axes are as near as that
    axis = np.eye(3)[np.flatnonzero(np.abs(along) < FAR)[-1]]
    first = np.cross(along, axis)
    first /= np.linalg.norm(first)
    return np.array([first, np.cross(first, along)])
