# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Inverse dynamics: the strut forces a platform motion needs."""

from __future__ import annotations

import numpy as np

from pkm_identification.mechanisms.friction import plus_friction
from pkm_identification.mechanisms.threads import over_rows
from pkm_identification.motion import PlatformMotion
from pkm_identification.numerics.arrays import FloatArray, contiguous
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.linear_systems import invert6
from pkm_identification.numerics.vector3 import (
    add,
    add_scaled,
    at,
    cross,
    perpendicular,
    rotate,
    rotate_back,
    scale,
)

from ..kinematics.jacobian import fill_jacobian
from ..machine import Machine
from .basis import INERTIAL_COLUMNS, PLATFORM_COLUMNS
from .joint_friction import add_joint_friction
from .mass import has_symmetric_rods
from .records import build_kernel_model, compute_friction_coefficients, hinge_of, unpack_geometry
from .regressor import SparseMapping, regressor
from .strut import (
    H_B,
    H_E,
    I_A,
    I_X,
    I_Z,
    M_E,
    M_M,
    STRUT_COLUMNS,
    compute_strut_acceleration,
    compute_translation_forces,
    spin,
    strut_motion,
)

_NO_LOAD = np.zeros((1, 6))  # never written


@kernel
def _compute_forces(packed, phi, position, rotation, twist, acceleration, load, force):
    geometry = unpack_geometry(packed)
    coefficients = compute_friction_coefficients(geometry, phi)
    base, platform, g = geometry.base, geometry.platform, geometry.gravity
    jac, inverse, work = np.empty((6, 6)), np.empty((6, 6)), np.empty((6, 6))
    length, wrench, rates = np.empty(6), np.empty(6), np.empty(6)
    for n in range(position.shape[0]):
        fill_jacobian(base, platform, position[n], rotation[n], jac, length)
        if not invert6(jac, inverse, work):
            force[n, :] = np.nan
            continue
        turned = rotation[n]
        x = at(position, n)
        v = (twist[n, 0], twist[n, 1], twist[n, 2])
        w = (twist[n, 3], twist[n, 4], twist[n, 5])
        a = (acceleration[n, 0], acceleration[n, 1], acceleration[n, 2])
        al = (acceleration[n, 3], acceleration[n, 4], acceleration[n, 5])

        # platform: Newton and Euler about its origin, whose centre of mass may lie elsewhere
        a_g = (a[0] - g[0], a[1] - g[1], a[2] - g[2])
        first = rotate(turned, (phi[1], phi[2], phi[3]))
        total = scale(phi[0], a_g)
        total = add(total, cross(al, first))
        total = add(total, cross(w, cross(w, first)))
        w_p = rotate_back(turned, w)
        al_p = rotate_back(turned, al)
        i_al = (
            phi[4] * al_p[0] + phi[7] * al_p[1] + phi[8] * al_p[2],
            phi[7] * al_p[0] + phi[5] * al_p[1] + phi[9] * al_p[2],
            phi[8] * al_p[0] + phi[9] * al_p[1] + phi[6] * al_p[2],
        )
        i_w = (
            phi[4] * w_p[0] + phi[7] * w_p[1] + phi[8] * w_p[2],
            phi[7] * w_p[0] + phi[5] * w_p[1] + phi[9] * w_p[2],
            phi[8] * w_p[0] + phi[9] * w_p[1] + phi[6] * w_p[2],
        )
        moment = add(cross(first, a_g), rotate(turned, add(i_al, cross(w_p, i_w))))

        for i in range(6):
            arm = rotate(turned, at(platform, i))
            s, l, rate, s_dot, s_ddot, a_pg = strut_motion(at(base, i), arm, x, v, w, a, al, g)
            rates[i] = rate
            k = PLATFORM_COLUMNS + STRUT_COLUMNS * i
            f_m, f_he, f_hb = compute_translation_forces(s, l, s_ddot, a_pg, g)
            f = scale(phi[k + M_E], f_m)
            f = add_scaled(f, phi[k + H_E], f_he)
            f = add_scaled(f, phi[k + H_B], f_hb)
            # axisymmetric rod, columns add the rest: its angular momentum changes by I_t s x s'' + I_a (sigma s)'
            sigma, sigma_dot, per_torque, share = spin(
                s, l, s_dot, s_ddot, hinge_of(geometry, turned, i), geometry.spin, w, al
            )
            f = add_scaled(f, phi[k + I_X] / l, perpendicular(s_ddot, s))
            axial = phi[k + I_A]
            f = add_scaled(f, axial * sigma / l, cross(s_dot, s))
            f = add_scaled(f, axial * sigma_dot, per_torque)
            f = add_scaled(f, phi[k + M_M] * compute_strut_acceleration(s, l, s_dot, a_pg, g), s)
            total = add(total, f)
            moment = add(moment, add_scaled(cross(arm, f), axial * sigma_dot, share))
        row = min(n, load.shape[0] - 1)
        for k in range(3):
            wrench[k] = total[k] - load[row, k]
            wrench[3 + k] = moment[k] - load[row, 3 + k]
        if geometry.joint_transition > 0.0:
            add_joint_friction(geometry, phi, position[n], turned, twist[n], wrench)
        for i in range(6):
            sum_ = 0.0
            for k in range(6):
                sum_ += inverse[k, i] * wrench[k]
            force[n, i] = plus_friction(sum_, rates[i], geometry.law, coefficients, i)


def load_rows(wrench: FloatArray | None, count: int) -> FloatArray:
    """Return rows of a wrench on the platform, which kernels only read: (1, 6) when constant or absent, else (N, 6)."""
    if wrench is None:
        return _NO_LOAD
    rows = contiguous(np.atleast_2d(np.asarray(wrench, dtype=float)))
    if rows.shape not in ((1, 6), (count, 6)):
        raise ValueError(f"wrench has shape {np.shape(wrench)}, expected (6,) or ({count}, 6)")
    return rows


def strut_forces(
    machine: Machine,
    motion: PlatformMotion,
    friction: bool = True,
    wrench: FloatArray | None = None,
    parameters: FloatArray | None = None,
    threads: int = 1,
) -> FloatArray:
    """Return strut forces a platform motion needs (Oh 2003, 2.39-2.55: F = J^-T W, thirteen bodies).

    Parameters
    ----------
    machine : Machine
    motion : PlatformMotion
        In base axes at the platform origin.
    friction : bool
        Whether the machine file's friction of struts and joints is included.
    wrench : ndarray, shape (6,) or (N, 6), optional
        What tool or payload do to the platform: force in N and moment in N m about the platform frame's origin, in
        base axes.
    parameters : ndarray, shape (B,), optional
        Dynamic parameters in the basis (`basis_parameters`), such as identified ones; the machine file's by default.
    threads : int
        How many share the rows, 1 to 1024; the numbers are those of one.

    Returns
    -------
    ndarray, shape (N, 6)
        N, positive when a strut pushes the platform joint away from the base joint; NaN in rows whose pose is
        singular or not finite.

    Raises
    ------
    ValueError
        If `wrench` or `parameters` have another shape.
    SettingsError
        If `threads` is no such number.
    """
    packed, phi = build_kernel_model(machine, friction)
    if parameters is not None:
        if np.shape(parameters) != phi.shape:
            raise ValueError(f"parameters has shape {np.shape(parameters)}, expected {phi.shape}")
        phi = np.array(parameters, dtype=float)
        if not friction:
            phi[INERTIAL_COLUMNS:] = 0.0
    count = len(motion)
    force = np.empty((count, 6))
    rows = (
        contiguous(motion.position),
        contiguous(motion.rotation),
        contiguous(motion.twist),
        contiguous(motion.acceleration),
        load_rows(wrench, count),
        force,
    )
    over_rows(_compute_forces, (packed, phi), rows, threads)
    if not has_symmetric_rods(phi):  # which the kernel takes for granted
        force += regressor(machine, motion, SparseMapping.of(machine, _find_uneven_part(phi)), threads)[
            :, :, 0
        ]
    return force


def _find_uneven_part(phi: FloatArray) -> FloatArray:
    """Return what parameters (B,) have beyond rods that are alike across their struts, (B, 1)."""
    uneven = np.zeros((len(phi), 1))
    first = PLATFORM_COLUMNS + STRUT_COLUMNS * np.arange(6)
    uneven[first + I_Z, 0] = phi[first + I_Z] - phi[first + I_X]
    return uneven
