# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Effects at given values: machine and logs without them, and their columns in the equations of what is left.

With theta_0 the values they are undone with, the equations of machine and logs without them are
y_0 = Y w + Z (theta - theta_0), Z the derivatives there; an estimator gets y_0 + Z theta_0 = Y w + Z theta. Of effects
that are not undone theta_0 are the values without effect, or what theta_0 adds is taken from y_0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.estimation.equations import Equations
from pkm_identification.estimation.problem import Problem
from pkm_identification.machines.contract import Machine
from pkm_identification.machines.drives import compute_friction_inside
from pkm_identification.machines.load import AnyMachine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rows import segment_slices
from pkm_identification.parameters.parameter import Parameter
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.prior import Prior
from pkm_identification.parameters.relations import LinearRelations
from pkm_identification.signals.band import BandSettings
from pkm_identification.signals.input_validation import ValidatedLog

from ...samples import Samples
from ...settings import EstimatorSettings
from ..forces import DELAY
from ..log_rows import rows_of_samples
from ..situation import Situation, build_situations
from .corrections import Corrections
from .effect import EstimatedEffect

LARGEST_STEP = 3.0  # factor


@dataclass(frozen=True)
class Linearisation:
    """Values of all parameters, around which effects are linear.

    Attributes
    ----------
    machine : Machine
        With a friction law that has what is asked for (`with_law`), else as its file says.
    logs : tuple of ValidatedLog
        As they were measured.
    parameters : ParameterSet
        With those of the effects.
    effects : tuple of EstimatedEffect
    values : ndarray, shape (P,)
        SI units.
    """

    machine: Machine
    logs: tuple[ValidatedLog, ...]
    parameters: ParameterSet
    effects: tuple[EstimatedEffect, ...]
    values: FloatArray

    @classmethod
    def of(
        cls,
        estimator: EstimatorSettings,
        machine: AnyMachine,
        logs: Sequence[ValidatedLog] = (),
        values: FloatArray | None = None,
    ) -> Linearisation:
        """Return what an estimator estimates as well of a machine, at values (P,) or the machine file's."""
        parameters, effects = estimator.parameters_and_effects(machine)
        values = parameters.nominal if values is None else values
        return cls(estimator.prepare(machine), tuple(logs), parameters, effects, values)

    @property
    def linear(self) -> bool:
        """Whether nothing depends on the values."""
        return all(effect.linear for effect in self.effects)

    def at(self, values: FloatArray) -> Linearisation:
        """Return the same at other values (P,); what must be positive changes by a factor of three at most."""
        values = np.array(values, dtype=float)
        for effect in self.effects:
            for entry, index in zip(effect.entries, effect.places(self.parameters), strict=True):
                if entry in effect.positive:
                    before = self.values[index]
                    values[index] = np.clip(values[index], before / LARGEST_STEP, before * LARGEST_STEP)
        return replace(self, values=values)

    def expected(self, problem: Problem, values: FloatArray) -> Problem:
        """Return the problem with values (P,) of the effects as what is expected of them.

        A prior far from them would have to be explained by something, as if it were data.
        """
        mean = problem.prior.mean.copy()
        for effect in self.effects:
            places = effect.places(self.parameters)
            mean[places] = values[places]
        return replace(problem, prior=Prior(mean, problem.prior.std))

    @property
    def entries(self) -> tuple[Parameter, ...]:
        """Parameters of all effects."""
        return tuple(entry for effect in self.effects for entry in effect.entries)

    @property
    def late_drives(self) -> frozenset[int]:
        """Drives (from 0) whose forces' delay is estimated."""
        late = [entry for entry in self.entries if entry.symbol == DELAY]
        if any(entry.limb is None for entry in late):
            return frozenset(range(len(self.machine.drives)))
        return frozenset(entry.limb for entry in late if entry.limb is not None)

    @property
    def corrections(self) -> Corrections:
        """Machine and measurement without the effects."""
        corrections = Corrections.none(self.machine)
        for effect in self.effects:
            if effect.undo is not None:
                corrections = effect.undo(corrections, self.values[effect.places(self.parameters)])
        return corrections

    def relations(self, width: int) -> LinearRelations | None:
        """What is fixed of the effects, for a set of `width` parameters that begins with these; None: nothing."""
        rows = LinearRelations.concatenate(
            [
                LinearRelations.none(len(self.parameters)),
                *(effect.relations(self.parameters, self.values) for effect in self.effects),
            ]
        )
        if not len(rows.values):
            return None
        return replace(rows, rows=np.pad(rows.rows, ((0, 0), (0, width - rows.rows.shape[1]))))

    def with_columns(
        self,
        problem: Problem,
        machine: Machine,
        samples: Sequence[Samples],
        band: BandSettings,
        flicker: FloatArray | None = None,
    ) -> Problem:
        """A problem whose equations have the effects' columns.

        Parameters
        ----------
        problem : Problem
            Of machine and samples without the effects.
        machine : Machine
        samples : sequence of Samples
            Of each log.
        band : BandSettings
        flicker : ndarray, shape (n,), optional
            As the problem was made with: what stands still is left out of both alike.
        """
        rows = tuple(rows_of_samples(machine, problem.parameters, each, band, flicker) for each in samples)
        width = len(problem.parameters)
        present = np.concatenate([self.values, np.zeros(width - len(self.values))])
        seen = build_situations(problem, rows, present)
        equations = add_columns(problem.equations, self.effects, self.parameters, self.values, seen)
        left = [one.in_band(self._find_friction_left(machine, one.samples)) for one in rows]
        return replace(
            problem, equations=replace(equations, measured=equations.measured - np.concatenate(left))
        )

    def added(self, machine: Machine, samples: Samples, band: BandSettings) -> FloatArray:
        """Force in N that effects which are not undone add at every sample of a log, (N, n)."""
        force = self._find_friction_left(machine, samples)
        effects = [effect for effect in self.effects if effect.added is not None]
        if not effects:
            return force
        basis = self.parameters.mapping @ self.values + self.parameters.known
        situation = Situation.of_samples(rows_of_samples(machine, self.parameters, samples, band), basis)
        for effect in effects:
            if effect.added is not None:
                force += effect.added(situation, self.values[effect.places(self.parameters)])
        return force

    def _find_friction_left(self, machine: Machine, samples: Samples) -> FloatArray:
        """Return what is left, in N at every sample (N, n), of friction inside the drives where forces are undone.

        Their file takes it off what was measured late and times a gain; undone is what it has left, without it.
        """
        inside = compute_friction_inside(machine, samples.motion.rate)
        left, corrections = np.zeros_like(inside), self.corrections
        for part in segment_slices(samples.segment) if inside.any() else ():
            time = samples.time[part]
            for k, (delay, gain) in enumerate(zip(corrections.delay, corrections.gain, strict=True)):
                later = np.interp(time + delay, time, inside[part, k])
                left[part, k] = inside[part, k] - later / gain
        return left


def add_columns(
    equations: Equations,
    effects: Sequence[EstimatedEffect],
    parameters: ParameterSet,
    values: FloatArray,
    situations: Sequence[Situation],
) -> Equations:
    """Return equations with the columns of effects in the place of their parameters, about values (P,) of a set."""
    regressor, measured = equations.regressor.copy(), equations.measured.copy()
    for effect in effects:
        if effect.columns is None:
            continue
        places = effect.places(parameters)
        own = values[places]
        columns = np.concatenate([effect.columns(situation, own) for situation in situations])
        regressor[:, :, places] = columns
        if effect.undo is not None:
            measured += columns @ own
        elif effect.known is None:
            measured += columns @ effect.nominal
        else:
            known = np.concatenate([effect.known(situation, own) for situation in situations])
            measured += columns @ own - known
    return replace(equations, regressor=regressor, measured=measured)
