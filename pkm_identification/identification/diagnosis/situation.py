# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What hypotheses make their columns from: a log, and what the model makes of it at the present estimate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from pkm_identification.estimation.problem import Problem
from pkm_identification.mechanisms.friction import Friction, friction_columns
from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.dynamics.basis import (
    basis_parameters,
    friction_of_basis,
    strut_column,
)
from pkm_identification.mechanisms.hexapod.dynamics.strut import I_A
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUTS, PlatformMotion, StrutMotion
from pkm_identification.numerics.arrays import FloatArray

from .log_rows import LogRows

ZERO_STEP = 1e-4  # of the length scale, for differences


@dataclass(frozen=True)
class Situation:
    """A log under the present estimate.

    Attributes
    ----------
    rows : LogRows
    parameters : ndarray, shape (B,)
        Of the model's basis, SI units.
    predicted : ndarray, shape (K, 6)
        The model's force in the band, N.
    terms : ndarray, shape (K, 6, P)
        What each reported parameter's present value adds to it, N.
    later : ndarray, shape (K,)
        1 in the second half of the experiment's equations, else 0.
    """

    rows: LogRows
    parameters: FloatArray
    predicted: FloatArray
    terms: FloatArray
    later: FloatArray

    @classmethod
    def of_samples(cls, rows: LogRows, parameters: FloatArray) -> Situation:
        """A log whose equations do not matter, only its samples."""
        none = np.empty((0, STRUTS))
        return cls(rows, parameters, none, none[:, :, None], none[:, 0])

    @property
    def machine(self) -> Machine:
        """What the machine file says, less what was found wrong with it so far."""
        return self.rows.machine

    @cached_property
    def friction(self) -> Friction:
        """Friction as estimated."""
        own = self.machine.friction
        return replace(own, coefficients=friction_of_basis(self.machine, self.parameters))

    @property
    def coulomb(self) -> FloatArray:
        """Coulomb friction as estimated, N, shape (6,)."""
        return self.friction.coulomb

    @cached_property
    def bend(self) -> FloatArray:
        """The friction law's reversing term at every sample, shape (N, 6)."""
        return friction_columns(self.rows.struts.rate, self.friction)[self.friction.law.reversing_term]

    @cached_property
    def rigid(self) -> FloatArray:
        """Force that the bodies need on the thin grid, N, shape (n, 6); without friction."""
        return self.rigid_force(self.machine, self.rows.thin_motion)

    @cached_property
    def spinning(self) -> Situation:
        """The machine file's axial inertias alone: an estimate of a model that spins otherwise has them wrong."""
        places = [strut_column(i, I_A) for i in range(STRUTS)]
        only = np.zeros_like(self.parameters)
        only[places] = basis_parameters(self.machine)[places]
        return replace(self, parameters=only)

    def at_all_samples(self, thin: FloatArray) -> FloatArray:
        """Values of the thin grid (n, 6) at all samples (N, 6)."""
        at, every = self.rows.thin, np.arange(len(self.rows.struts))
        if not len(at):  # a log too short for the band
            return np.zeros((len(every), thin.shape[1]))
        return np.stack([np.interp(every, at, column) for column in thin.T], axis=1)

    def rigid_force(self, machine: Machine, motion: PlatformMotion) -> FloatArray:
        """The same of another machine or motion."""
        return strut_forces(machine, motion, friction=False, parameters=self.parameters)

    def of_machine(self, changed: Machine) -> FloatArray:
        """What another description of joints, hinges or gravity changes about the force in the band, N, (K, 6)."""
        return self.rows.thin_in_band(self.changed_in(changed))

    def changed_in(self, machine: Machine) -> FloatArray:
        """The same on the thin grid itself, unfiltered, (n, 6)."""
        moved = machine.base_joints is not self.machine.base_joints
        moved |= machine.platform_joints is not self.machine.platform_joints
        motion = self.rows.thin_motion
        if moved:
            motion = self.rows.thin_motion_of(machine, self.rows.thin_struts)
        return self.rigid_force(machine, motion) - self.rigid

    @cached_property
    def zeros(self) -> FloatArray:
        """What lengths measured a metre too large change about the force in the band, N/m, (K, 6, 6)."""
        step = ZERO_STEP * self.machine.length_scale
        struts = self.rows.thin_struts
        columns = [
            self.changed_by(replace(struts, length=struts.length - step * row)) / step
            for row in np.eye(STRUTS)
        ]
        return self.rows.thin_in_band(np.stack(columns, axis=2))

    def of_lengths(self, struts: StrutMotion) -> FloatArray:
        """What other strut motion on the thin grid changes about the bodies' force in the band, N, (K, 6)."""
        return self.rows.thin_in_band(self.changed_by(struts))

    def changed_by(self, struts: StrutMotion) -> FloatArray:
        """The same on the thin grid itself, unfiltered, (n, 6)."""
        motion = self.rows.thin_motion_of(self.machine, struts)
        return self.rigid_force(self.machine, motion) - self.rigid


def situations(problem: Problem, rows: Sequence[LogRows], values: FloatArray) -> list[Situation]:
    """What hypotheses see of each log of a problem of the force model under an estimate (P,)."""
    equations, parameters = problem.equations, problem.parameters
    known = equations.force - equations.measured
    predicted = equations.regressor @ values + known
    basis = parameters.mapping @ values + parameters.known
    reported = problem.reported
    terms = equations.regressor[:, :, :reported] * values[:reported]
    later = (np.arange(len(equations)) >= len(equations) // 2).astype(float)
    own = [problem.log == number for number in range(len(rows))]
    return [
        Situation(each, basis, predicted[mine], terms[mine], later[mine])
        for each, mine in zip(rows, own, strict=True)
    ]


def own_strut(columns: FloatArray) -> FloatArray:
    """A column for each strut's own force, (K, 6, 6), of what stands in its rows (K, 6)."""
    count = columns.shape[1]
    diagonal = np.zeros((*columns.shape, count))
    diagonal[:, np.arange(count), np.arange(count)] = columns
    return diagonal
