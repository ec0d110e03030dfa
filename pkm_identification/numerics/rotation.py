"""Rotations: the only place where z-x-z angles, quaternions and matrices meet.

Quaternions are (x, y, z, w) at every interface of this package (REP 103 and ROS messages).
"""

from __future__ import annotations

import numpy as np
from transforms3d.euler import euler2mat, mat2euler

from .arrays import FloatArray
from .compiled import kernel


@kernel
def _matrices(quaternions, rotations):
    """Rotation matrices (N, 3, 3) of quaternions (N, 4); False when one is not finite or has no length."""
    for n in range(quaternions.shape[0]):
        x, y, z, w = quaternions[n]
        norm = np.sqrt(x * x + y * y + z * z + w * w)
        if not 1e-12 <= norm < np.inf:
            return False
        x, y, z, w = x / norm, y / norm, z / norm, w / norm
        r = rotations[n]
        r[0, 0], r[0, 1], r[0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)
        r[1, 0], r[1, 1], r[1, 2] = 2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)
        r[2, 0], r[2, 1], r[2, 2] = 2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)
    return True


@kernel
def _quaternions(rotations, quaternions):
    """Unit quaternions (N, 4) of rotation matrices (N, 3, 3)."""
    for n in range(rotations.shape[0]):
        r, q = rotations[n], quaternions[n]
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
    if not _matrices(q.reshape(-1, 4), rotation.reshape(-1, 3, 3)):
        raise ValueError("quaternion must be finite and not zero")
    return rotation


def quaternion_from_matrix(rotation: FloatArray) -> FloatArray:
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
    _quaternions(r.reshape(-1, 3, 3), quaternion.reshape(-1, 4))
    return quaternion


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
