# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Friction of the joints at the struts' ends: rotations, and what they feel as wrenches on the platform.

A strut turns at Omega = s x s' + sigma s (`dynamics.strut`), hence its base joint at Omega and its platform joint at
w - Omega. A universal joint has friction about each of its two hinges, a spherical joint (and either end of a strut
that does not spin) against the direction in which it turns,

    tau = F_c clip(t' / t_t, -1, 1) + c_v t'   per hinge ,   tau = (F_c / max(|W|, t_t) + c_v) W   with W the rotation ,

t_t the transition rate. Virtual power makes a wrench on the platform of it: rates are rows times the platform's twist,
so the wrench is rows^T tau, and J^-T takes it to strut forces like all others.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.mechanisms.friction.law import clip_rate
from pkm_identification.motion import STRUTS, PlatformMotion
from pkm_identification.numerics.arrays import FloatArray, contiguous
from pkm_identification.numerics.compiled import compile_inline, kernel
from pkm_identification.numerics.vector3 import (
    add,
    add_scaled,
    at,
    cross,
    dot,
    rotate,
    scale,
    subtract,
    three,
)

from ..kinematics.jacobian import jacobian
from ..machine import Machine
from .records import hinge_of, packed_geometry, unpack_geometry
from .strut import BASE_HINGES, NO_SPIN, PLATFORM_HINGES, spin

# Coulomb and viscous coefficients of the base joints, then of the platform joints, six of each.
JOINT_KINDS = 4
JOINT_COLUMNS = JOINT_KINDS * STRUTS


@compile_inline
def _is_hinged(geometry, end):
    """Return whether the joints at an end turn about two hinges; else any way."""
    return geometry.spin == (BASE_HINGES if end == 0 else PLATFORM_HINGES)


@kernel
def fill_joint_rates(geometry, position, rotation, rows):
    """Write joint rates per platform twist, (6, 2, 3, 6): strut, end (base, platform), axis, twist.

    Axes are the two hinges of a universal joint (the third row is zero), else the base frame's.
    """
    still = (0.0, 0.0, 0.0)
    for i in range(6):
        arm = rotate(rotation, at(geometry.platform, i))
        d = subtract(add(three(position, 0), arm), at(geometry.base, i))
        length = np.sqrt(dot(d, d))
        s = scale(1.0 / length, d)
        hinge = hinge_of(geometry, rotation, i)
        _, _, per_torque, share = spin(s, length, still, still, hinge, geometry.spin, still, still)
        second = still
        if geometry.spin != NO_SPIN:
            second = cross(hinge, s)
            second = scale(1.0 / np.sqrt(dot(second, second)), second)
        for end in range(2):
            hinged = _is_hinged(geometry, end)
            sign = 1.0 if end == 0 else -1.0
            for k in range(3):
                axis = (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
                if hinged:
                    axis = hinge if k == 0 else (second if k == 1 else still)
                along = dot(axis, s)
                by_point = add_scaled(scale(1.0 / length, cross(axis, s)), along, per_torque)
                by_turn = add_scaled(cross(arm, by_point), along, share)
                for n in range(3):
                    rows[i, end, k, n] = sign * by_point[n]
                    rows[i, end, k, 3 + n] = sign * by_turn[n] + (axis[n] if end == 1 else 0.0)


@compile_inline
def _compute_axis_rates(axes, i, end, rate):
    """Rates of a joint's axes per one of six rates, at these (6,)."""
    x, y, z = 0.0, 0.0, 0.0
    for n in range(6):
        x += axes[i, end, 0, n] * rate[n]
        y += axes[i, end, 1, n] * rate[n]
        z += axes[i, end, 2, n] * rate[n]
    return (x, y, z)


@compile_inline
def joint_coulomb(rate, hinged, transition):
    """Coulomb friction per N m of a joint that turns at `rate` (3,), rad/s, about its axes."""
    if hinged:
        return (clip_rate(rate[0], transition), clip_rate(rate[1], transition), 0.0)
    size = np.sqrt(dot(rate, rate))
    return scale(1.0 / (transition if size < transition else size), rate)


@kernel
def fill_joint_wrenches(geometry, position, rotation, twist, wrench):
    """Write the wrenches (24, 6) on the platform that a unit of each coefficient resists with, in the basis' order."""
    rows = np.empty((6, 2, 3, 6))
    fill_joint_rates(geometry, position, rotation, rows)
    for i in range(6):
        for end in range(2):
            x, y, z = _compute_axis_rates(rows, i, end, twist)
            coulomb = joint_coulomb((x, y, z), _is_hinged(geometry, end), geometry.joint_transition)
            row = 2 * end * 6 + i
            for n in range(6):
                a, b, c = rows[i, end, 0, n], rows[i, end, 1, n], rows[i, end, 2, n]
                wrench[row, n] = a * coulomb[0] + b * coulomb[1] + c * coulomb[2]
                wrench[row + 6, n] = a * x + b * y + c * z


@kernel
def add_joint_friction(geometry, phi, position, rotation, twist, wrench):
    """Add what joints resist with, of basis parameters `phi`, to a wrench (6,) that the struts must provide."""
    columns = np.empty((JOINT_COLUMNS, 6))
    fill_joint_wrenches(geometry, position, rotation, twist, columns)
    for k in range(JOINT_COLUMNS):
        for n in range(6):
            wrench[n] += phi[geometry.joint_rows + k] * columns[k, n]


@kernel
def _fill_one(packed, position, rotation, rows):
    fill_joint_rates(unpack_geometry(packed), position, rotation, rows)


def compute_joint_rates(machine: Machine, position: FloatArray, rotation: FloatArray) -> FloatArray:
    """Joint rates per platform twist at one pose, (6, 2, 3, 6): strut, end (base, platform), axis, twist.

    Parameters
    ----------
    machine : Machine
    position : ndarray, shape (3,)
        Platform origin in the base frame, m.
    rotation : ndarray, shape (3, 3)

    Returns
    -------
    ndarray, shape (6, 2, 3, 6)
        About the two hinges of a universal joint (the third row is zero), about the base frame's axes of others.
    """
    rows = np.empty((STRUTS, 2, 3, 6))
    _fill_one(packed_geometry(machine), contiguous(position), contiguous(rotation), rows)
    return rows


@kernel
def _fill_batch(packed, position, rotation, twist, wrench):
    geometry = unpack_geometry(packed)
    for n in range(position.shape[0]):
        fill_joint_wrenches(geometry, position[n], rotation[n], twist[n], wrench[n])


def joint_friction_columns(machine: Machine, motion: PlatformMotion, transition_rate: float) -> FloatArray:
    """Return strut forces that overcome a unit of each joint's Coulomb and viscous friction, whatever its file has.

    Parameters
    ----------
    machine : Machine
    motion : PlatformMotion
        Its accelerations are not used.
    transition_rate : float
        rad/s.

    Returns
    -------
    ndarray, shape (N, 6, 24)
        Base joints' Coulomb (N per N m) and viscous (N per N m s) friction, then the platform joints', six of each.

    Raises
    ------
    numpy.linalg.LinAlgError
        If a pose is singular.
    """
    wrench = np.empty((len(motion), JOINT_COLUMNS, 6))
    _fill_batch(
        packed_geometry(machine, transition_rate),
        contiguous(motion.position),
        contiguous(motion.rotation),
        contiguous(motion.twist),
        wrench,
    )
    transposed = np.swapaxes(jacobian(machine, motion.position, motion.rotation), 1, 2)
    return np.linalg.solve(transposed, np.swapaxes(wrench, 1, 2)).astype(float, copy=False)
