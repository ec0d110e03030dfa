# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Rigid bodies of any mechanism: what each of their ten parameters costs the drives.

The bodies' own Newton-Euler equations, put together by virtual power: with J_i the velocity of body i's frame per unit
of the generalised velocities and Y_i the wrench at that frame's origin per unit of its parameters, the generalised
forces are sum_i J_i^T Y_i w_i, whatever the mechanism. Written for batches in NumPy: to count and group parameters and
to check compiled special cases against, not to run online.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter import Kind

# Parameters of a body about its frame's origin, in its axes.
BODY_PARAMETERS = ("m", "mx", "my", "mz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
BODY_KINDS = (Kind.MASS, *(Kind.FIRST_MOMENT,) * 3, *(Kind.INERTIA,) * 6)
BODY_UNITS = ("kg", *("kg m",) * 3, *("kg m^2",) * 6)


@dataclass(frozen=True)
class BodyMotion:
    """How one body moves.

    Attributes
    ----------
    rotation : ndarray, shape (N, 3, 3)
        Body axes as columns in the base frame.
    angular_velocity, angular_acceleration : ndarray, shape (N, 3)
        rad/s and rad/s^2, base axes.
    proper_acceleration : ndarray, shape (N, 3)
        Acceleration of the body frame's origin less gravity, m/s^2, base axes.
    jacobian : ndarray, shape (N, 6, m)
        Velocity of that origin (m/s) and angular velocity (rad/s), base axes, per unit of each generalised velocity.
    """

    rotation: FloatArray
    angular_velocity: FloatArray
    angular_acceleration: FloatArray
    proper_acceleration: FloatArray
    jacobian: FloatArray


def build_rigid_body_columns(bodies: Sequence[BodyMotion]) -> FloatArray:
    """Generalised forces per unit of every body's parameters: J_i^T Y_i, body after body.

    Parameters
    ----------
    bodies : sequence of BodyMotion, length B
        Of the same N instants and m generalised velocities.

    Returns
    -------
    ndarray, shape (N, m, 10 B)
        SI units; ten columns a body in the order of BODY_PARAMETERS.
    """
    return np.concatenate(
        [np.swapaxes(body.jacobian, 1, 2) @ compute_body_wrenches(body) for body in bodies], axis=2
    )


def compute_body_wrenches(body: BodyMotion) -> FloatArray:
    """Y_i: force (N) and moment (N m) about the frame's origin per unit of a body's ten parameters, (N, 6, 10)."""
    rotation, omega, alpha = body.rotation, body.angular_velocity, body.angular_acceleration
    wrench = np.zeros((len(omega), 6, len(BODY_PARAMETERS)))
    turning = skew(omega)
    wrench[:, :3, 0] = body.proper_acceleration
    wrench[:, :3, 1:4] = (skew(alpha) + turning @ turning) @ rotation
    wrench[:, 3:, 1:4] = -skew(body.proper_acceleration) @ rotation
    alpha_b = np.einsum("nji,nj->ni", rotation, alpha)
    omega_b = np.einsum("nji,nj->ni", rotation, omega)
    inertial = _build_inertia_operator(alpha_b) + skew(omega_b) @ _build_inertia_operator(omega_b)
    wrench[:, 3:, 4:] = rotation @ inertial
    return wrench


def parallel_axes(mass: float, arm: FloatArray) -> FloatArray:
    """Moment of inertia (3, 3), kg m^2, of a mass in kg at the end of an arm (3,) in m (Huygens, Steiner)."""
    return mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))


def skew(a: FloatArray) -> FloatArray:
    """Matrices (..., 3, 3) of the cross product with vectors (..., 3)."""
    result = np.zeros((*a.shape[:-1], 3, 3))
    result[..., 0, 1], result[..., 0, 2], result[..., 1, 2] = -a[..., 2], a[..., 1], -a[..., 0]
    result[..., 1, 0], result[..., 2, 0], result[..., 2, 1] = a[..., 2], -a[..., 1], a[..., 0]
    return result


def _build_inertia_operator(a: FloatArray) -> FloatArray:
    """L(a), shape (N, 3, 6): inertia times a is L(a) (Ixx, Iyy, Izz, Ixy, Ixz, Iyz)."""
    x, y, z = a[:, 0], a[:, 1], a[:, 2]
    o = np.zeros(len(a))
    rows = [[x, o, o, y, z, o], [o, y, o, x, o, z], [o, o, z, o, x, y]]
    return np.moveaxis(np.array(rows), 2, 0)
