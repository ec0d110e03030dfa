# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Condition numbers of many poses at once, infinite at a singular pose and behind one."""

from __future__ import annotations

import numpy as np

from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.numerics.arrays import FloatArray, contiguous
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.linear_systems import determinant6, invert6

from .jacobian import compute_frobenius_condition, fill_jacobian, jacobian


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
