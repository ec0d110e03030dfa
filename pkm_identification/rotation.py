"""Rotations: the only place where z-x-z angles, quaternions and matrices meet.

Quaternions are (x, y, z, w) at every interface of this package (REP 103 and ROS messages).
"""

from __future__ import annotations

import numpy as np
from transforms3d.euler import euler2mat, mat2euler

from .motion import FloatArray


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
    q = np.asarray(quaternion, dtype=float)
    norm = np.linalg.norm(q, axis=-1, keepdims=True)
    if not np.all(np.isfinite(norm)) or np.any(norm < 1e-12):
        raise ValueError("quaternion must be finite and not zero")
    x, y, z, w = np.moveaxis(q / norm, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def quaternion_from_matrix(rotation: FloatArray) -> FloatArray:
    """Unit quaternions (x, y, z, w) with w >= 0 of rotation matrices.

    Takes the largest of the four squared components first (Shepperd's method), so it never divides by a
    small number; batched, which is why transforms3d is not used for it.

    Parameters
    ----------
    rotation : array_like, shape (..., 3, 3)

    Returns
    -------
    ndarray, shape (..., 4)
    """
    r = np.asarray(rotation, dtype=float)
    trace = np.trace(r, axis1=-2, axis2=-1)
    # The symmetric matrix 4 q q^T, one row per candidate for the largest component.
    outer = np.empty((*r.shape[:-2], 4, 4))
    for i in range(3):
        outer[..., i, i] = 1 + 2 * r[..., i, i] - trace
        for j in range(i):
            outer[..., i, j] = outer[..., j, i] = r[..., i, j] + r[..., j, i]
        j, k = (i + 1) % 3, (i + 2) % 3
        outer[..., i, 3] = outer[..., 3, i] = r[..., k, j] - r[..., j, k]
    outer[..., 3, 3] = 1 + trace
    best = np.argmax(np.diagonal(outer, axis1=-2, axis2=-1), axis=-1)
    q = np.take_along_axis(outer, best[..., None, None], axis=-2)[..., 0, :]
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    return np.where(q[..., 3:] < 0, -q, q)


def matrix_from_zxz(angles: FloatArray) -> FloatArray:
    """Rotation matrix of the source's Euler angles (phi, theta, psi): Rz(phi) Rx(theta) Rz(psi).

    Parameters
    ----------
    angles : array_like, shape (3,)
        rad.
    """
    return euler2mat(*np.asarray(angles, dtype=float), axes="rzxz")


def zxz_from_matrix(rotation: FloatArray) -> FloatArray:
    """Z-x-z Euler angles (phi, theta, psi) of one rotation matrix, rad; singular at theta = 0."""
    return np.array(mat2euler(np.asarray(rotation, dtype=float), axes="rzxz"))


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


def vector_from_matrix(rotation: FloatArray) -> FloatArray:
    """Rotation vectors (axis times angle in rad, at most pi) of rotation matrices: undoes `matrix_from_vector`.

    Parameters
    ----------
    rotation : array_like, shape (..., 3, 3)

    Returns
    -------
    ndarray, shape (..., 3)
    """
    q = quaternion_from_matrix(rotation)
    sine = np.linalg.norm(q[..., :3], axis=-1, keepdims=True)
    half = np.arctan2(sine, q[..., 3:])
    # v / sin(half) times 2 half; the quotient of small angles is 1
    return 2.0 * q[..., :3] / np.sinc(half / np.pi)
