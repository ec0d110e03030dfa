# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What each drive feels of the machine over poses: effective mass, coupling, lowest mode on the drives' compliance.

M_L, the mass matrix in strut coordinates, is what actuators see (Machielsen 1983, 8.2: "CJA").
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.mechanisms import actuator_space
from pkm_identification.numerics.arrays import FloatArray

from ..dynamics.mass import strut_dynamics
from ..machine import Machine


@dataclass(frozen=True)
class EffectiveMass:
    """At N poses.

    Attributes
    ----------
    mass : ndarray, shape (N, 6)
        kg, of each strut.
    coupling : ndarray, shape (N, 6)
        Root sum square of the other entries of a row of M_L over the diagonal one.
    lowest : ndarray, shape (N,), or None
        Lowest undamped mode in Hz, motors locked and valves closed; None where no drive is compliant.
    """

    mass: FloatArray
    coupling: FloatArray
    lowest: FloatArray | None


def effective_mass(machine: Machine, position: FloatArray, rotation: FloatArray) -> EffectiveMass:
    """Effective masses at poses.

    Parameters
    ----------
    machine : Machine
    position, rotation : ndarray, shapes (N, 3) and (N, 3, 3)
        Regular poses.
    """
    mass = strut_dynamics(machine, position, rotation).mass
    stiffness = [actuator.locked_stiffness for actuator in machine.actuators or ()]
    lowest = None
    if any(value > 0 for value in stiffness):
        # what turns behind the compliance does not swing with the platform
        behind = [actuator.inertia_behind for actuator in machine.actuators or ()]
        moving = mass - np.diag(behind)
        squares = np.linalg.eigvals(
            np.linalg.solve(moving, np.broadcast_to(np.diag(stiffness), moving.shape))
        ).real
        lowest = np.sqrt(np.maximum(squares.min(axis=1), 0.0)) / (2 * np.pi)
    return EffectiveMass(actuator_space.effective_mass(mass), actuator_space.coupling_factors(mass), lowest)
