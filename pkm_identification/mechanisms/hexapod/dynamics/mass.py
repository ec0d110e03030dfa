# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Mass matrix and bias of the closed machine, in platform and in strut coordinates.

In platform coordinates u = (v, w) at the platform frame's origin, base axes,

    M u' + h = J^T (F - friction) + wrench ,

h what the motion needs when u' = 0: gravity, Coriolis and centripetal terms. A strut contributes the mass its platform
joint feels (derived from Oh 2003, 2.20-2.34, with the terms of `dynamics.strut`),

    A = m_e 1 + (I_t / L^2 - 2 h_e / L) P + m_m s s^T + I_a (k / L)^2 (x1 x s)(x1 x s)^T ,   k = c / (1 - c^2) ,

so that M = M_platform + sum of [1, -[r]]^T A [1, -[r]]; with universal joints at the platform the spin's part has a
share of its own in the moments. With L'' = J u' + J' u the same in strut coordinates is

    M_L L'' + h_L = F - friction + J^-T wrench ,   M_L = J^-T M J^-1 ,   h_L = J^-T (h - M J^-1 J' u) .
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray, contiguous
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.linear_systems import invert6
from pkm_identification.numerics.vector3 import (
    add,
    add_scaled,
    at,
    cross,
    dot,
    perpendicular,
    rotate,
    rotate_back,
    scale,
)

from ..kinematics.jacobian import fill_jacobian
from ..machine import Machine
from .basis import PLATFORM_COLUMNS, basis_parameters
from .records import hinge_of, packed_geometry, unpack_geometry
from .strut import (
    H_B,
    H_E,
    I_A,
    I_X,
    I_Z,
    M_E,
    M_M,
    PLATFORM_HINGES,
    STRUT_COLUMNS,
    compute_strut_acceleration,
    spin,
    strut_motion,
)
from .strut import compute_translation_forces as unit_forces


@dataclass(frozen=True)
class MassAndBias:
    """Equations of motion mass @ acceleration + bias = generalized force, one per pose.

    Attributes
    ----------
    mass : ndarray, shape (N, 6, 6)
        Symmetric and positive definite. Platform coordinates: kg, kg m, kg m^2; strut coordinates: kg.
    bias : ndarray, shape (N, 6)
        Gravity, Coriolis and centripetal terms; (N, N m) or N.
    """

    mass: FloatArray
    bias: FloatArray


@kernel
def _compute_platform_part(phi, rotation, w, g, mass, bias):
    c = rotate(rotation, (phi[1], phi[2], phi[3]))
    first = (phi[4], phi[7], phi[8])
    second = (phi[7], phi[5], phi[9])
    third = (phi[8], phi[9], phi[6])
    for k in range(3):
        # inertia times the k-th base axis
        e = (rotation[k, 0], rotation[k, 1], rotation[k, 2])
        column = rotate(rotation, (dot(first, e), dot(second, e), dot(third, e)))
        for i in range(3):
            mass[i, k] = phi[0] if i == k else 0.0
            mass[3 + i, 3 + k] = column[i]
        mass[3 + k, k] = 0.0
    mass[3, 1], mass[3, 2], mass[4, 2] = -c[2], c[1], -c[0]
    mass[4, 0], mass[5, 0], mass[5, 1] = c[2], -c[1], c[0]
    w_p = rotate_back(rotation, w)
    spin_up = cross(w, rotate(rotation, (dot(first, w_p), dot(second, w_p), dot(third, w_p))))
    pull = add_scaled(cross(w, cross(w, c)), -phi[0], g)
    turn = add(spin_up, cross(g, c))
    for k in range(3):
        bias[k] = pull[k]
        bias[3 + k] = turn[k]


@kernel
def fill_mass(geometry, phi, position, rotation, twist, mass, bias, rate, drift):
    """Write M (6, 6) and h (6,) of one state, its strut rates (6,) and J' u (6,): L'' without acceleration."""
    still = (0.0, 0.0, 0.0)
    x = (position[0], position[1], position[2])
    v = (twist[0], twist[1], twist[2])
    w = (twist[3], twist[4], twist[5])
    g = geometry.gravity
    _compute_platform_part(phi, rotation, w, g, mass, bias)
    for i in range(6):
        k = PLATFORM_COLUMNS + STRUT_COLUMNS * i
        m_e, h_e, transverse, axial, motor = (
            phi[k + M_E],
            phi[k + H_E],
            phi[k + I_X],
            phi[k + I_A],
            phi[k + M_M],
        )
        arm = rotate(rotation, at(geometry.platform, i))
        s, l, rate[i], s_dot, s_ddot, a_g = strut_motion(at(geometry.base, i), arm, x, v, w, still, still, g)
        drift[i] = compute_strut_acceleration(s, l, s_dot, a_g, g)
        f_m, f_he, f_hb = unit_forces(s, l, s_ddot, a_g, g)
        hinge = hinge_of(geometry, rotation, i)
        sigma, sigma_dot, per_torque, share = spin(s, l, s_dot, s_ddot, hinge, geometry.spin, w, still)
        f = add_scaled(scale(m_e, f_m), h_e, f_he)
        f = add_scaled(f, phi[k + H_B], f_hb)
        f = add_scaled(f, transverse / l, perpendicular(s_ddot, s))
        f = add_scaled(f, axial * sigma / l, cross(s_dot, s))
        f = add_scaled(f, axial * sigma_dot, per_torque)
        f = add_scaled(f, motor * drift[i], s)
        moment = add_scaled(cross(arm, f), axial * sigma_dot, share)
        across = (transverse / l - 2.0 * h_e) / l
        # columns of A and of [r] A
        a0 = add_scaled(scale((motor - across) * s[0], s), axial * per_torque[0], per_torque)
        a1 = add_scaled(scale((motor - across) * s[1], s), axial * per_torque[1], per_torque)
        a2 = add_scaled(scale((motor - across) * s[2], s), axial * per_torque[2], per_torque)
        a0 = (a0[0] + m_e + across, a0[1], a0[2])
        a1 = (a1[0], a1[1] + m_e + across, a1[2])
        a2 = (a2[0], a2[1], a2[2] + m_e + across)
        b0, b1, b2 = cross(arm, a0), cross(arm, a1), cross(arm, a2)
        for j in range(3):
            bias[j] += f[j]
            bias[3 + j] += moment[j]
            mass[j, 0] += a0[j]
            mass[j, 1] += a1[j]
            mass[j, 2] += a2[j]
            mass[3 + j, 0] += b0[j]
            mass[3 + j, 1] += b1[j]
            mass[3 + j, 2] += b2[j]
            # [r] A [r]^T: rows of [r] A crossed with r once more
            row = cross(arm, (b0[j], b1[j], b2[j]))
            mass[3 + j, 3] += row[0]
            mass[3 + j, 4] += row[1]
            mass[3 + j, 5] += row[2]
        if geometry.spin == PLATFORM_HINGES:
            # the spin is p . v + (r x p + n) . w, p the force and n the moment per unit of axial torque
            turned = cross(arm, per_torque)
            for j in range(3):
                for n in range(3):
                    mass[3 + j, n] += axial * share[j] * per_torque[n]
                    mass[3 + j, 3 + n] += axial * (share[j] * (turned[n] + share[n]) + turned[j] * share[n])
    for i in range(6):
        for j in range(i):
            mass[j, i] = mass[i, j]


@kernel
def _compute_batch(packed, phi, position, rotation, twist, in_struts, mass, bias):
    geometry = unpack_geometry(packed)
    rate, drift = np.empty(6), np.empty(6)
    jac, inverse, work, length = np.empty((6, 6)), np.empty((6, 6)), np.empty((6, 6)), np.empty(6)
    for n in range(position.shape[0]):
        fill_mass(geometry, phi, position[n], rotation[n], twist[n], mass[n], bias[n], rate, drift)
        if not in_struts:
            continue
        fill_jacobian(geometry.base, geometry.platform, position[n], rotation[n], jac, length)
        if not invert6(jac, inverse, work):
            mass[n, :, :] = np.nan
            bias[n, :] = np.nan
            continue
        for i in range(6):
            for j in range(6):
                work[i, j] = 0.0
                for k in range(6):
                    work[i, j] += mass[n, i, k] * inverse[k, j]
        for i in range(6):
            length[i] = bias[n, i]
            for j in range(6):
                length[i] -= work[i, j] * drift[j]
        for i in range(6):
            bias[n, i] = 0.0
            for k in range(6):
                bias[n, i] += inverse[k, i] * length[k]
            for j in range(i + 1):
                total = 0.0
                for k in range(6):
                    total += inverse[k, i] * work[k, j]
                mass[n, i, j] = total
                mass[n, j, i] = total


def _evaluate(
    machine: Machine,
    position: FloatArray,
    rotation: FloatArray,
    twist: FloatArray | None,
    in_struts: bool,
    parameters: FloatArray | None = None,
) -> MassAndBias:
    position = contiguous(position)
    rotation = contiguous(rotation)
    count = len(position)
    twist = np.zeros((count, 6)) if twist is None else contiguous(twist)
    for name, value, shape in (
        ("position", position, (count, 3)),
        ("rotation", rotation, (count, 3, 3)),
        ("twist", twist, (count, 6)),
    ):
        if value.shape != shape:
            raise ValueError(f"{name} has shape {value.shape}, expected {shape}")
    mass, bias = np.empty((count, 6, 6)), np.empty((count, 6))
    phi = basis_parameters(machine)
    if parameters is not None:
        phi[:] = parameters
    _compute_batch(packed_geometry(machine), phi, position, rotation, twist, in_struts, mass, bias)
    return MassAndBias(mass, bias)


def has_symmetric_rods(parameters: FloatArray) -> bool:
    """Whether the rods of basis parameters (B,) are alike across their struts, as mass matrices take them to be."""
    rods = parameters[PLATFORM_COLUMNS : PLATFORM_COLUMNS + STRUTS * STRUT_COLUMNS].reshape(
        STRUTS, STRUT_COLUMNS
    )
    return bool(np.array_equal(rods[:, I_X], rods[:, I_Z]))


def platform_dynamics(
    machine: Machine, position: FloatArray, rotation: FloatArray, twist: FloatArray | None = None
) -> MassAndBias:
    """Return mass matrix and bias in platform coordinates: M u' + h = J^T (F - friction) + wrench.

    Parameters
    ----------
    machine : Machine
    position : ndarray, shape (N, 3)
        Platform origin in the base frame, m.
    rotation : ndarray, shape (N, 3, 3)
    twist : ndarray, shape (N, 6), optional
        (v, w) in base axes at that origin; at rest when absent.

    Returns
    -------
    MassAndBias
        At the platform frame's origin, in base axes; singular poses are as good as others. NaN where the state is not
        finite.

    Raises
    ------
    ValueError
        If the shapes do not fit together.
    """
    return _evaluate(machine, position, rotation, twist, False)


def strut_dynamics(
    machine: Machine,
    position: FloatArray,
    rotation: FloatArray,
    twist: FloatArray | None = None,
    parameters: FloatArray | None = None,
) -> MassAndBias:
    """Return mass matrix and bias in strut coordinates: M_L L'' + h_L = F - friction + J^-T wrench.

    Parameters and errors are those of `platform_dynamics`; `parameters` (B,) in the basis, such as identified ones, may
    stand for the machine file's.

    Returns
    -------
    MassAndBias
        M_L = J^-T M J^-1 in kg and h_L in N; NaN in rows whose pose is singular or not finite.
    """
    return _evaluate(machine, position, rotation, twist, True, parameters)
