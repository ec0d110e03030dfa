# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Forces of n drives by the values of a machine's basis, friction of each by its own law included."""

from __future__ import annotations

import numpy as np

from pkm_identification.machines.contract import Machine, Motion
from pkm_identification.machines.motions import compute_accelerated_motion
from pkm_identification.mechanisms.friction.law import law_tuple
from pkm_identification.mechanisms.friction.registry import friction_terms
from pkm_identification.numerics.arrays import FloatArray, contiguous
from pkm_identification.numerics.compiled import kernel


@kernel
def _add_friction(rate, laws, rows, values, force):
    for i in range(rate.shape[1]):
        law = law_tuple(laws[i], 0)
        for n in range(rate.shape[0]):
            terms = friction_terms(rate[n, i], law)
            for k in range(rows.shape[0]):
                if rows[k, i] >= 0:
                    force[n, i] += values[rows[k, i]] * terms[k]


class InverseDynamics:
    """Forces of a machine's drives.

    Parameters
    ----------
    machine : Machine
        By its own `compute_drive_forces` where it has one that counts friction in the same call.
    """

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._own = getattr(machine, "compute_drive_forces", None)
        self._rows = np.array(machine.friction_rows, order="C")
        self._laws = np.array([friction.law_parameters for friction in machine.friction])
        viscous = [
            self._rows[friction.law.names.index("viscous"), i] if "viscous" in friction.law.names else -1
            for i, friction in enumerate(machine.friction)
        ]
        self._viscous, self._none = np.array(viscous), np.array(viscous) < 0

    def compute(self, motion: Motion, values: FloatArray) -> FloatArray:
        """Return forces (N, n) in N or N m of a motion, of basis values (B,)."""
        if self._own is not None:
            return np.asarray(self._own(motion, values))
        force = self._machine.compute_forces(motion, values)
        _add_friction(contiguous(motion.rate), self._laws, self._rows, values, force)
        return force

    def compute_accelerated(self, motion: Motion, acceleration: FloatArray, values: FloatArray) -> FloatArray:
        """Return forces (K, n) where one row of motion is, with accelerations (K, n) of the drives instead of its."""
        return self.compute(compute_accelerated_motion(self._machine, motion, acceleration), values)

    def find_viscous(self, values: FloatArray) -> FloatArray:
        """Return viscous coefficients (n,) in N s/m or N m s/rad, zero of a law without one, of basis values (B,)."""
        found = values[self._viscous]
        found[self._none] = 0.0
        return found
