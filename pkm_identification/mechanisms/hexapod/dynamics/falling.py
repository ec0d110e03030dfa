# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Strut lengths of a machine that falls freely from rest: what a log with the drives off shows."""

from __future__ import annotations

import numpy as np

from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray, contiguous
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.rotation import build_quaternion_from_matrix, fill_matrix

from ..kinematics.jacobian import fill_jacobian
from ..machine import Machine
from .basis import INERTIAL_COLUMNS, basis_columns
from .forward import fill_derivative
from .records import packed_geometry, unpack_geometry


@kernel
def _integrate_fall(packed, phi, start, time, lengths):
    """Classical Runge-Kutta, one step from one instant to the next; instants before 0 are at rest."""
    geometry = unpack_geometry(packed)
    force, load = np.zeros((1, 6)), np.zeros((1, 6))
    state, trial = start.copy(), np.empty(13)
    slope = np.empty((4, 13))
    rotation, jac = np.empty((3, 3)), np.empty((6, 6))
    now = 0.0
    for n in range(time.size):
        step = time[n] - now
        if step > 0.0:
            for stage in range(4):
                reach = 0.0 if stage == 0 else (step if stage == 3 else 0.5 * step)
                for k in range(13):
                    trial[k] = state[k] + (reach * slope[stage - 1, k] if stage > 0 else 0.0)
                fill_derivative(packed, phi, force, load, trial, slope[stage])
            for k in range(13):
                change = slope[0, k] + 2.0 * slope[1, k] + 2.0 * slope[2, k] + slope[3, k]
                state[k] += step / 6.0 * change
            now = time[n]
        fill_matrix(state[3:7], rotation)
        fill_jacobian(geometry.base, geometry.platform, state[:3], rotation, jac, lengths[n])


def compute_falling_lengths(
    machine: Machine, parameters: FloatArray, position: FloatArray, rotation: FloatArray, time: FloatArray
) -> FloatArray:
    """Return strut lengths of a fall from rest with all strut forces zero and no friction.

    Parameters
    ----------
    machine : Machine
        Geometry, joints and gravity.
    parameters : ndarray, shape (B,)
        Inertial parameters in the basis (`dynamics.basis`); only their ratios matter. Friction is left out.
    position : ndarray, shape (3,)
        Where it starts, m, base frame.
    rotation : ndarray, shape (3, 3)
    time : ndarray, shape (N,)
        Increasing, in s since the release; at rest before 0. Steps of some milliseconds are exact to rounding.

    Returns
    -------
    ndarray, shape (N, 6)
        m; not finite where the parameters are those of no machine.
    """
    phi = np.zeros(basis_columns(machine))
    phi[:INERTIAL_COLUMNS] = parameters[:INERTIAL_COLUMNS]
    start = np.concatenate([position, build_quaternion_from_matrix(rotation), np.zeros(6)])
    lengths = np.empty((len(time), STRUTS))
    _integrate_fall(packed_geometry(machine), phi, start, contiguous(time), lengths)
    return lengths
