# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The length equations as eight quadrics in Study's coordinates, and what can be proved about their roots.

A pose is z = (e, g): e the unit quaternion (w, x, y, z) of the rotation and g = t e / 2, t the position. Then
|P_i - b_i|^2 = z' A_i z / 2 exactly (Husty 1996), and with e.e = 1 and e.g = 0 the pose is a root of eight
quadratic equations in eight unknowns. Their second derivative is constant, so one number, the curvature
K = |F'(z)^-1 F''|, gives Newton and Kantorovich's theorem without bounds over a region: with the Newton step
eta = |F'(z)^-1 F(z)| and eta K <= 1/2 there is a root within (1 - sqrt(1 - 2 eta K)) / K of z and no other one
within (1 + sqrt(1 - 2 eta K)) / K. Lengths are divided by the machine's length scale first. Norms are
Euclidean; K is bounded by the Frobenius norm.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.linear_systems import invert8
from pkm_identification.numerics.rotation import build_quaternion_from_matrix, matrix_from_quaternion

UNKNOWNS = 8
# The rounding of F(z) is below this times the sum of its terms' magnitudes: 8 x 8 products and their sum.
ROUNDING = 64 * np.finfo(float).eps


class Quadrics(NamedTuple):
    """F_i(z) = z' form_i z / 2 - constant_i of one geometry.

    Attributes
    ----------
    form : ndarray, shape (8, 8, 8)
        Symmetric; the six lengths squared, then e.e and e.g.
    gram : ndarray, shape (8, 8)
        Frobenius products of the forms: K^2 = trace(Y gram Y') with Y = F'(z)^-1.
    scale : float
        Length in m that is one here.
    """

    form: FloatArray
    gram: FloatArray
    scale: float

    def constant(self, length: FloatArray) -> FloatArray:
        """Right-hand sides (N, 8) of lengths (N, 6) in m."""
        squared = (np.asarray(length, dtype=float) / self.scale) ** 2
        ones, zeros = np.ones((len(squared), 1)), np.zeros((len(squared), 1))
        return np.ascontiguousarray(np.hstack([squared, ones, zeros]))


def quadrics(base: FloatArray, platform: FloatArray, scale: float) -> Quadrics:
    """Return the eight quadrics of a geometry: six strut lengths, e.e = 1 and Study's condition e.g = 0.

    Parameters
    ----------
    base, platform : ndarray, shape (6, 3)
        Joint centres in their own frames, m.
    scale : float
        The unit of length of Study coordinates, m.
    """
    b, p = np.asarray(base) / scale, np.asarray(platform) / scale
    form = np.zeros((UNKNOWNS, UNKNOWNS, UNKNOWNS))
    for i in range(6):
        left, right = _build_left_product(b[i]), _build_right_product(p[i])
        form[i, :4, :4] = 2 * (p[i] @ p[i] + b[i] @ b[i]) * np.eye(4) - 4 * left.T @ right
        form[i, 4:, 4:] = 8 * np.eye(4)
        form[i, 4:, :4] = 4 * (right - left)
        form[i, :4, 4:] = form[i, 4:, :4].T
    form[6, :4, :4] = 2 * np.eye(4)
    form[7, :4, 4:] = form[7, 4:, :4] = np.eye(4)
    return Quadrics(form, np.einsum("ijk,ljk->il", form, form), scale)


def study_from_pose(position: FloatArray, rotation: FloatArray, scale: float) -> FloatArray:
    """Study coordinates of poses.

    Parameters
    ----------
    position : ndarray, shape (N, 3)
        m.
    rotation : ndarray, shape (N, 3, 3)
    scale : float
        Their unit of length, m.

    Returns
    -------
    ndarray, shape (N, 8)
        Unit quaternion e (w, x, y, z), then g = t e / 2 with t = position / scale; z and -z are one pose.
    """
    e = build_quaternion_from_matrix(rotation)[:, [3, 0, 1, 2]]
    t = np.asarray(position) / scale
    scalar = -np.sum(t * e[:, 1:], axis=1, keepdims=True)
    return np.hstack([e, 0.5 * scalar, 0.5 * (e[:, :1] * t + np.cross(t, e[:, 1:]))])


def pose_from_study(z: FloatArray, scale: float) -> tuple[FloatArray, FloatArray]:
    """Position (N, 3) in m and rotation (N, 3, 3) of Study coordinates (N, 8)."""
    z = np.asarray(z, dtype=float)
    e, g = z[:, :4], z[:, 4:]
    norm = np.sum(e * e, axis=1, keepdims=True)
    # t = 2 g conj(e) / e.e
    t = e[:, :1] * g[:, 1:] - g[:, :1] * e[:, 1:] - np.cross(g[:, 1:], e[:, 1:])
    return 2 * scale * t / norm, matrix_from_quaternion(e[:, [1, 2, 3, 0]])


@kernel
def derivative(form, z, matrix):
    """F'(z) into `matrix` (8, 8)."""
    for i in range(8):
        for j in range(8):
            total = 0.0
            for k in range(8):
                total += form[i, j, k] * z[k]
            matrix[i, j] = total


@kernel
def curvature(inverse, gram):
    """Bound of K = |F'^-1 F''|."""
    total = 0.0
    for k in range(8):
        for i in range(8):
            row = 0.0
            for j in range(8):
                row += gram[i, j] * inverse[k, j]
            total += inverse[k, i] * row
    return np.sqrt(max(total, 0.0))


@kernel
def newton_step(matrix, inverse, z, constant, step):
    """F'^-1 (F(z) - ...) negated into `step`, from F(z) = F'(z) z / 2 - constant; its norm."""
    norm = 0.0
    for k in range(8):
        step[k] = 0.0
    for i in range(8):
        value = -constant[i]
        for j in range(8):
            value += 0.5 * matrix[i, j] * z[j]
        for k in range(8):
            step[k] -= inverse[k, i] * value
    for k in range(8):
        norm += step[k] * step[k]
    return np.sqrt(norm)


@kernel
def _certify(form, gram, z, constant, eta, bound):
    matrix, inverse, work = np.empty((8, 8)), np.empty((8, 8)), np.empty((8, 8))
    step = np.empty(8)
    for n in range(len(z)):
        eta[n] = np.inf
        bound[n] = np.inf
        derivative(form, z[n], matrix)
        if not invert8(matrix, inverse, work):
            continue
        eta[n] = newton_step(matrix, inverse, z[n], constant[n], step)
        bound[n] = curvature(inverse, gram)
        doubt = 0.0
        for i in range(8):
            size = abs(constant[n, i])
            for j in range(8):
                for k in range(8):
                    size += 0.5 * abs(form[i, j, k] * z[n, j] * z[n, k])
            reach = 0.0
            for k in range(8):
                reach += inverse[k, i] * inverse[k, i]
            doubt += ROUNDING * size * np.sqrt(reach)
        eta[n] += doubt


@dataclass(frozen=True)
class RootCertificate:
    """What Newton and Kantorovich's theorem says about roots near given points.

    Attributes
    ----------
    proved : ndarray of bool, shape (N,)
        Exactly one root lies within `unique` of the point, and it lies within `error` of it. The rounding of
        the equations is bounded and included; that of the inverse and of the norms (1e-13 of them) is not.
    error, unique : ndarray, shape (N,)
        Radii in Study coordinates; inf and 0 where nothing is proved.
    """

    proved: NDArray[np.bool_]
    error: FloatArray
    unique: FloatArray


def certify(system: Quadrics, z: FloatArray, length: FloatArray) -> RootCertificate:
    """Certificates of approximate roots.

    Parameters
    ----------
    system : Quadrics
    z : ndarray, shape (N, 8)
        Study coordinates with e.e = 1.
    length : ndarray, shape (N, 6)
        m.

    Returns
    -------
    RootCertificate
        One per row of z.
    """
    z = np.ascontiguousarray(z, dtype=float)
    eta, bound = np.empty(len(z)), np.empty(len(z))
    _certify(system.form, system.gram, z, system.constant(length), eta, bound)
    with np.errstate(invalid="ignore", over="ignore"):
        h = eta * bound
        proved = h < 0.5
        root = np.sqrt(np.where(proved, 1 - 2 * h, 0.0))
        # (1 - sqrt(1 - 2h)) / K without cancellation
        error = np.where(proved, 2 * eta / (1 + root), np.inf)
        unique = np.where(proved, (1 + root) / bound, 0.0)
    return RootCertificate(proved, error, unique)


def _build_left_product(v: FloatArray) -> FloatArray:
    """Return matrix of q -> v q, v a pure quaternion."""
    x, y, z = v
    return np.array([[0, -x, -y, -z], [x, 0, -z, y], [y, z, 0, -x], [z, -y, x, 0]], dtype=float)


def _build_right_product(v: FloatArray) -> FloatArray:
    """Return matrix of q -> q v, v a pure quaternion."""
    x, y, z = v
    return np.array([[0, -x, -y, -z], [x, 0, z, -y], [y, -z, 0, x], [z, y, -x, 0]], dtype=float)
