# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Mechanical energy of the thirteen bodies, linear in the basis and free of accelerations.

h = T + V with V = -sum m g . c, heights measured from the base frame's origin. The platform contributes

    T = m |v|^2 / 2 + v . (w x R m c) + w . I w / 2 ,    V = -g . (m x + R m c),

and a strut, with its platform joint at P and its bodies' centres of mass at L_B s from the base joint and at
P - d s,

    m_e (|v_P|^2 / 2 - g . P) + h_e (g . s - v_P . s') - h_b g . s + (I_x w_x^2 + I_a sigma^2 + I_z w_z^2) / 2
    + m_m L'^2 / 2 .

The terms m_b L_B^2 |s'|^2 / 2 and m_e d^2 |s'|^2 / 2 are part of the rod's transverse moments, and the constant
weight of body B at its base joint is left out (derived from Oh 2003, 2.24 and 2.56).

The time derivative of each column is the power of the strut forces it needs. When struts are taken not to spin,
the axes of I_x and I_z turn against the rod, so that this holds for the two together (I_x = I_z), not for their
difference.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.motion import PlatformMotion
from pkm_identification.numerics.arrays import FloatArray, contiguous
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.vector3 import (
    add,
    add_scaled,
    at,
    cross,
    dot,
    rotate,
    rotate_back,
    scale,
    three,
)

from ..machine import Machine
from .basis import INERTIAL_COLUMNS, PLATFORM_COLUMNS, basis_parameters
from .records import hinge_of, packed_geometry, unpack_geometry
from .regressor import SparseMapping
from .strut import (
    H_B,
    H_E,
    I_A,
    I_X,
    I_Z,
    M_E,
    M_M,
    STRUT_COLUMNS,
    spin,
    strut_motion,
)


@kernel
def fill_energy(geometry, position, rotation, twist, energy):
    """Write the energies (52,) of one sample per unit of each inertial basis parameter."""
    still = (0.0, 0.0, 0.0)
    x, v, w = three(position, 0), three(twist, 0), three(twist, 3)
    g = geometry.gravity
    energy[0] = 0.5 * dot(v, v) - dot(g, x)
    for k in range(3):
        e = (rotation[0, k], rotation[1, k], rotation[2, k])
        energy[1 + k] = dot(v, cross(w, e)) - dot(g, e)
    w_p = rotate_back(rotation, w)
    energy[4] = 0.5 * w_p[0] * w_p[0]
    energy[5] = 0.5 * w_p[1] * w_p[1]
    energy[6] = 0.5 * w_p[2] * w_p[2]
    energy[7] = w_p[0] * w_p[1]
    energy[8] = w_p[0] * w_p[2]
    energy[9] = w_p[1] * w_p[2]
    for i in range(6):
        arm = rotate(rotation, at(geometry.platform, i))
        # no acceleration enters a strut's energy, so what depends on it is left unused
        s, l, rate, s_dot, s_ddot, _ = strut_motion(at(geometry.base, i), arm, x, v, w, still, still, g)
        x1 = hinge_of(geometry, rotation, i)
        sigma, _, _, _ = spin(s, l, s_dot, s_ddot, x1, geometry.spin, w, still)
        omega = add_scaled(cross(s, s_dot), sigma, s)
        v_p = add_scaled(scale(rate, s), l, s_dot)
        # principal axes of the rod as in the regressor
        across = cross(x1, s)
        across = scale(1.0 / np.sqrt(dot(across, across)), across)
        w_x = dot(across, omega)
        w_z = dot(cross(across, s), omega)
        k = PLATFORM_COLUMNS + STRUT_COLUMNS * i
        energy[k + M_E] = 0.5 * dot(v_p, v_p) - dot(g, add(x, arm))
        energy[k + H_E] = dot(g, s) - dot(v_p, s_dot)
        energy[k + H_B] = -dot(g, s)
        energy[k + I_X] = 0.5 * w_x * w_x
        energy[k + I_A] = 0.5 * sigma * sigma
        energy[k + I_Z] = 0.5 * w_z * w_z
        energy[k + M_M] = 0.5 * rate * rate


@kernel
def _compute_energy_batch(packed, rows, columns, weights, position, rotation, twist, result):
    geometry = unpack_geometry(packed)
    energy = np.empty(INERTIAL_COLUMNS)
    result[:, :] = 0.0
    for n in range(position.shape[0]):
        fill_energy(geometry, position[n], rotation[n], twist[n], energy)
        for entry in range(rows.size):
            if rows[entry] < INERTIAL_COLUMNS:
                result[n, columns[entry]] += weights[entry] * energy[rows[entry]]


def compute_energy_regressor(machine: Machine, motion: PlatformMotion, mapping: FloatArray) -> FloatArray:
    """Energy columns of a motion: the mechanical energy is E w (Oh 2003, 2.56-2.57).

    Parameters
    ----------
    machine : Machine
        Geometry, joints and gravity are used; masses and friction are not.
    motion : PlatformMotion
        Its accelerations are not used.
    mapping : ndarray, shape (B, P)
        How the parameters w build up the basis (`dynamics.basis`): basis = mapping w. Friction stores no energy:
        its rows count for nothing.

    Returns
    -------
    ndarray, shape (N, P)
        J per unit of each parameter, kinetic plus potential; NaN in rows whose motion is not finite. Singular
        poses are as good as others.

    Raises
    ------
    ValueError
        If `mapping` has not one row per basis parameter.
    """
    sparse = SparseMapping.of(machine, mapping)
    result = np.empty((len(motion), sparse.width))
    _compute_energy_batch(
        packed_geometry(machine),
        *sparse.entries,
        contiguous(motion.position),
        contiguous(motion.rotation),
        contiguous(motion.twist),
        result,
    )
    return result


def compute_mechanical_energy(machine: Machine, motion: PlatformMotion) -> FloatArray:
    """Kinetic plus potential energy of the platform, the twelve strut bodies and the turning motors.

    Parameters
    ----------
    machine : Machine
    motion : PlatformMotion
        Its accelerations are not used.

    Returns
    -------
    ndarray, shape (N,)
        J; heights count from the base frame's origin, those of the bodies B from their base joints.
    """
    return compute_energy_regressor(machine, motion, basis_parameters(machine)[:, None])[:, 0]
