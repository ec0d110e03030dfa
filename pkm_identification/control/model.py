# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The dynamic model a controller believes: the machine file's, then what was identified, taken over smoothly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pkm_identification.errors import PkmError
from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.dynamics.basis import (
    basis_parameters,
    friction_of_basis,
    joint_friction_of_basis,
)
from pkm_identification.mechanisms.hexapod.kinematics import jacobian
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.sets import NAMES, hexapod_parameters
from pkm_identification.motion import PlatformMotion
from pkm_identification.numerics.arrays import FloatArray

# How far the machine's inertia, in any direction, may be from the machine file's: beyond, the estimate is wrong.
PLAUSIBLE = 10.0


class EstimateRefused(PkmError):
    """An estimate a controller must not use: says why."""


class EstimateReader:
    """Turns estimates of one machine into dynamic parameters in the basis.

    Parameters
    ----------
    machine : Machine
    """

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        sets = [hexapod_parameters(machine, name) for name in NAMES]
        self._sets = {parameters.names: parameters for parameters in sets}
        self._nominal = self._inertia(basis_parameters(machine))

    def basis(
        self,
        machine_hash: str,
        names: Sequence[str],
        values: FloatArray,
        std: FloatArray,
        shown: FloatArray,
    ) -> FloatArray:
        """What the data show as estimated, all else nominal.

        Parameters
        ----------
        machine_hash : str
            Of the machine description the estimate was made with.
        names : sequence of str
            Of the estimated parameters; they tell the parameter set.
        values, std : ndarray, shape (P,)
            In SI units.
        shown : ndarray of bool, shape (P,)
            Which of them the data show, alone or in a combination: the values of a combination belong together.

        Returns
        -------
        ndarray, shape (B,)
            For `strut_forces`; friction that would drive a strut is the nearest that does not: below zero it is zero.

        Raises
        ------
        EstimateRefused
            If it is another machine's, of no known parameter set, not finite, or no possible machine.
        """
        machine = self._machine
        if machine_hash != machine.hash:
            raise EstimateRefused(
                f"estimate: is of the machine description {machine_hash or 'without a hash'}, not of {machine.hash} "
                f"('{machine.name}')"
            )
        parameters = self._sets.get(tuple(names))
        if parameters is None:
            raise EstimateRefused(
                f"estimate: no parameter set has the parameters {', '.join(names)[:80]} ..."
            )
        values, std = np.asarray(values, dtype=float), np.asarray(std, dtype=float)
        shown = np.asarray(shown, dtype=bool)
        if not values.shape == std.shape == shown.shape == parameters.nominal.shape:
            raise EstimateRefused(
                f"estimate: {len(names)} names, but {values.size} values, {std.size} standard deviations and "
                f"{shown.size} status"
            )
        if not (np.isfinite(values).all() and np.isfinite(std).all()):
            raise EstimateRefused("estimate: holds a number that is not finite")
        basis = parameters.mapping @ np.where(shown, values, parameters.nominal) + parameters.known
        friction = friction_of_basis(machine, basis)
        friction[:] = machine.friction.law.possible(friction)
        joints = joint_friction_of_basis(machine, basis)
        joints[:] = np.maximum(joints, 0.0)
        share = np.sort(np.linalg.eigvals(np.linalg.solve(self._nominal, self._inertia(basis))).real)
        if not 1.0 / PLAUSIBLE <= share[0] <= share[-1] <= PLAUSIBLE:
            raise EstimateRefused(
                f"estimate: the machine's inertia at home would be {share[0]:.3g} to {share[-1]:.3g} times that of its "
                f"description; {1 / PLAUSIBLE:g} to {PLAUSIBLE:g} are possible"
            )
        return basis

    def _inertia(self, basis: FloatArray) -> FloatArray:
        """Mass matrix (6, 6) in platform coordinates at home: forces of unit accelerations, less those at rest."""
        machine = self._machine
        motion = PlatformMotion(
            time=np.zeros(7),
            position=np.tile(machine.home_position, (7, 1)),
            rotation=np.tile(machine.home_rotation, (7, 1, 1)),
            twist=np.zeros((7, 6)),
            acceleration=np.vstack([np.zeros(6), np.eye(6)]),
        )
        force = strut_forces(machine, motion, friction=False, parameters=basis)
        home = jacobian(machine, machine.home_position[None], machine.home_rotation[None])[0]
        return home.T @ (force[1:] - force[0]).T


class BelievedModel:
    """Basis parameters that go over from one estimate to the next without a bump.

    Parameters
    ----------
    machine : Machine
    blend : float
        s, time constant of the transition; 0: at once.
    period : float
        s between calls of `step`.

    Attributes
    ----------
    present, target : ndarray, shape (B,)
        What is believed now, and where it goes.
    accepted : int
        Estimates taken; 0: nominal.
    """

    def __init__(self, machine: Machine, blend: float, period: float) -> None:
        self._machine = machine
        self._share = 1.0 if blend <= 0 else 1.0 - float(np.exp(-period / blend))
        self.reset()

    def reset(self) -> None:
        """Back to the machine file's."""
        self.target = basis_parameters(self._machine)
        self.present = self.target.copy()
        self.accepted = 0
        self._moving = False

    def accept(self, basis: FloatArray) -> None:
        """Go over to other parameters (B,)."""
        self.target = basis
        self.accepted += 1
        self._moving = True

    def step(self, periods: int = 1) -> None:
        """One sample later."""
        if not self._moving:
            return
        for _ in range(min(periods, 50)):
            self.present += self._share * (self.target - self.present)
        if np.abs(self.target - self.present).max() <= 1e-12 * np.abs(self.target).max():
            self.present = self.target.copy()
            self._moving = False

    def jump(self, motion: PlatformMotion, basis: FloatArray) -> float:
        """Largest change in N of a strut's force in the motion (one row) from the model gone to now to another."""
        with_old = strut_forces(self._machine, motion, parameters=self.target)
        return float(np.abs(strut_forces(self._machine, motion, parameters=basis) - with_old).max())
