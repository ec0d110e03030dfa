# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The basis in which the model is linear: 10 platform and 6 x 7 strut parameters, then friction.

The friction law decides how many columns there are: six of each of its coefficients, one coefficient after the other.
Machines whose file has friction of the joints have 24 more (`dynamics.joint_friction`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pkm_identification.mechanisms.rigid_bodies import parallel_axes
from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray

from ..joint_friction import COEFFICIENTS
from ..machine import Machine
from .strut import (
    H_B,
    H_E,
    I_A,
    I_X,
    I_Z,
    M_E,
    M_M,
    STRUT_COLUMNS,
)

PLATFORM_COLUMNS = 10
PLATFORM_NAMES = ("m", "mx", "my", "mz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
INERTIAL_COLUMNS = PLATFORM_COLUMNS + STRUTS * STRUT_COLUMNS
# Where a machine keeps its parameters, as a cached property would.
_KEPT = "basis parameters"


def strut_column(strut: int, kind: int) -> int:
    """Basis index of one of the seven parameters of a strut.

    Parameters
    ----------
    strut : int
        Counted from 0.
    kind : int
        Offset within the strut: one of M_E, H_E, H_B, I_X, I_A, I_Z, M_M of `dynamics.strut`.
    """
    return PLATFORM_COLUMNS + strut * STRUT_COLUMNS + kind


def basis_columns(machine: Machine) -> int:
    """Number B of basis parameters: 64 with a friction law of two coefficients, 88 with friction of the joints too."""
    joints = 0 if machine.joint_friction is None else machine.joint_friction.coefficients.size
    return joint_rows(machine) + joints


def joint_rows(machine: Machine) -> int:
    """Return where the parameters of the joints' friction begin in the basis: behind those of the struts'."""
    return INERTIAL_COLUMNS + machine.friction.coefficients.size


def friction_columns(machine: Machine, name: str) -> slice:
    """Where the six parameters of one friction coefficient are in the basis; empty if the law has none of that name."""
    names = machine.friction.law.names
    if name not in names:
        return slice(INERTIAL_COLUMNS, INERTIAL_COLUMNS)
    start = INERTIAL_COLUMNS + STRUTS * names.index(name)
    return slice(start, start + STRUTS)


def build_coulomb_columns(machine: Machine) -> NDArray[np.int64]:
    """Where the coefficients of friction that holds a machine at rest are in the basis: of struts and of joints."""
    basis = np.arange(basis_columns(machine))
    struts = basis[friction_columns(machine, machine.friction.law.reversing or "")]
    joints = basis[joint_rows(machine) :].reshape(-1, len(COEFFICIENTS), STRUTS)[
        :, COEFFICIENTS.index("coulomb")
    ]
    return np.concatenate([struts, joints.ravel()])


def build_friction_of_basis(machine: Machine, basis: FloatArray) -> FloatArray:
    """Return the friction coefficients (K, 6) in basis parameters (B,), in the order of the law's; a view."""
    return basis[INERTIAL_COLUMNS : joint_rows(machine)].reshape(-1, STRUTS)


def build_joint_friction_of_basis(machine: Machine, basis: FloatArray) -> FloatArray:
    """Return the coefficients of the joints' friction in basis parameters (B,), as `JointFriction` has them; a view.

    Shape (4, 6), or (0, 6) where the machine's file has none.
    """
    return basis[joint_rows(machine) :].reshape(-1, STRUTS)


def inertia_about_origin(machine: Machine) -> FloatArray:
    """Platform inertia about the platform frame's origin, shape (3, 3), kg m^2 (parallel axes)."""
    c = machine.platform.center_of_mass
    return machine.platform.inertia + parallel_axes(machine.platform.mass, c)


def basis_parameters(machine: Machine) -> FloatArray:
    """Return a machine's parameters in the basis; a machine does not change, so they are worked out once.

    Returns
    -------
    ndarray, shape (B,)
        Platform mass, first moments, inertia about the platform origin (xx, yy, zz, xy, xz, yz); per strut m_e,
        m_e d, m_b L_B, the rod's moments about x (the second hinge), the strut axis, and z, and the mass m_m that
        stands for the turning motor; then the friction law's coefficients, six of each, and the joints'. SI units.
        A copy of the caller's own.
    """
    kept = vars(machine)
    if _KEPT not in kept:
        kept[_KEPT] = _compute_basis(machine)
    return kept[_KEPT].copy()


def _compute_basis(machine: Machine) -> FloatArray:
    phi = np.zeros(basis_columns(machine))
    platform = machine.platform
    inertia = inertia_about_origin(machine)
    phi[0] = platform.mass
    phi[1:4] = platform.mass * platform.center_of_mass
    phi[4:7] = np.diag(inertia)
    phi[7:10] = inertia[0, 1], inertia[0, 2], inertia[1, 2]
    for i, strut in enumerate(machine.struts):
        b, e = strut.body_b, strut.body_e
        transverse = b.transverse + b.mass * b.center_of_mass**2 + e.transverse + e.mass * e.center_of_mass**2
        phi[strut_column(i, M_E)] = e.mass
        phi[strut_column(i, H_E)] = e.mass * e.center_of_mass
        phi[strut_column(i, H_B)] = b.mass * b.center_of_mass
        phi[strut_column(i, I_X)] = transverse
        phi[strut_column(i, I_A)] = b.axial + e.axial
        phi[strut_column(i, I_Z)] = transverse
        phi[strut_column(i, M_M)] = machine.driven_mass(i)
    build_friction_of_basis(machine, phi)[:] = machine.friction.coefficients
    if machine.joint_friction is not None:
        build_joint_friction_of_basis(machine, phi)[:] = machine.joint_friction.coefficients
    return phi
