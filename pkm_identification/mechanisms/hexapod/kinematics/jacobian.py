# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The Jacobian: from platform twist to strut rates, and how well conditioned it is."""

from __future__ import annotations

import numpy as np

from pkm_identification.numerics.arrays import FloatArray, contiguous
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.linear_systems import determinant6, invert6
from pkm_identification.numerics.vector3 import (
    add,
    at,
    cross,
    dot,
    rotate,
    subtract,
)

from ..machine import Machine


@kernel
def fill_jacobian(base, platform, position, rotation, jacobian, length):
    """Write J (6, 6) and the lengths (6,) of one pose; rows [s^T, (r x s)^T] (Oh 2003, B.21)."""
    x = (position[0], position[1], position[2])
    for i in range(6):
        r = rotate(rotation, at(platform, i))
        d = subtract(add(x, r), at(base, i))
        l = np.sqrt(dot(d, d))
        s = (d[0] / l, d[1] / l, d[2] / l)
        m = cross(r, s)
        length[i] = l
        for k in range(3):
            jacobian[i, k] = s[k]
            jacobian[i, 3 + k] = m[k]


@kernel
def compute_frobenius_condition(jacobian, inverse, length_scale):
    """Frobenius condition number / 6 with rotations times `length_scale`: 1 for an isotropic pose.

    It bounds the spectral condition number from above (times 6) and needs no singular values.
    """
    forward = 0.0
    backward = 0.0
    for i in range(6):
        for k in range(3):
            forward += jacobian[i, k] ** 2 + (jacobian[i, 3 + k] / length_scale) ** 2
            backward += inverse[k, i] ** 2 + (inverse[3 + k, i] * length_scale) ** 2
    return np.sqrt(forward * backward) / 6.0


@kernel
def _compute_jacobian_batch(base, platform, position, rotation, jacobian):
    length = np.empty(6)
    for n in range(position.shape[0]):
        fill_jacobian(base, platform, position[n], rotation[n], jacobian[n], length)


def jacobian(machine: Machine, position: FloatArray, rotation: FloatArray) -> FloatArray:
    """Jacobian from platform twist (v, w) to strut rates.

    Parameters
    ----------
    machine : Machine
    position : ndarray, shape (N, 3)
        Platform origin in the base frame, m.
    rotation : ndarray, shape (N, 3, 3)

    Returns
    -------
    ndarray, shape (N, 6, 6)
        Rows [s^T, (r x s)^T], twist about the platform origin in base axes (Oh 2003, 2.13-2.15).
    """
    position = contiguous(position)
    rotation = contiguous(rotation)
    result = np.empty((len(position), 6, 6))
    _compute_jacobian_batch(machine.base_joints, machine.platform_joints, position, rotation, result)
    return result


@kernel
def _solve_rates(base, platform, pose, rates, found):
    jac, inverse, work, length = np.empty((6, 6)), np.empty((6, 6)), np.empty((6, 6)), np.empty(6)
    position, rotation = pose
    fill_jacobian(base, platform, position[0], rotation[0], jac, length)
    found[:, :] = np.nan
    if invert6(jac, inverse, work):
        found[:, :] = 0.0
        for k in range(rates.shape[0]):
            for i in range(6):
                for j in range(6):
                    found[k, i] += inverse[i, j] * rates[k, j]


def platform_rates_at(
    machine: Machine, position: FloatArray, rotation: FloatArray, rates: FloatArray
) -> FloatArray:
    """Return J^-1 times rates of the struts (K, 6) at one pose (1, 3) and (1, 3, 3); NaN where it is singular."""
    found = np.empty(rates.shape)
    pose = contiguous(position), contiguous(rotation)
    _solve_rates(machine.base_joints, machine.platform_joints, pose, contiguous(rates), found)
    return found


@kernel
def _write_conditions(base, platform, scale, sign, position, rotation, condition):
    """Write condition numbers of poses (N,): infinite at a singular one, and where the determinant has another sign."""
    jac, inverse, work = np.empty((6, 6)), np.empty((6, 6)), np.empty((6, 6))
    length = np.empty(6)
    for n in range(position.shape[0]):
        fill_jacobian(base, platform, position[n], rotation[n], jac, length)
        condition[n] = np.inf
        if invert6(jac, inverse, work):
            condition[n] = compute_frobenius_condition(jac, inverse, scale)
            if sign * determinant6(jac) <= 0.0:
                condition[n] = np.inf


def home_side(machine: Machine) -> float:
    """Return the sign of the Jacobian's determinant at home: singular poses lie where it changes."""
    return float(
        np.sign(determinant6(jacobian(machine, machine.home_position[None], machine.home_rotation[None])[0]))
    )


def compute_pose_conditions(
    machine: Machine, side: float, position: FloatArray, rotation: FloatArray
) -> FloatArray:
    """Return condition numbers (N,) (Frobenius / 6) of poses; infinite at a singular one, and off home's side."""
    condition = np.empty(len(position))
    _write_conditions(
        *(machine.base_joints, machine.platform_joints, machine.length_scale, side),
        *(contiguous(position), contiguous(rotation), condition),
    )
    return condition
