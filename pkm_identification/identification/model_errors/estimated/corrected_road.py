# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The road of logs without errors of some values: equations with the errors' columns where their parameters stand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pkm_identification.estimation.equations import Equations
from pkm_identification.estimation.estimators import ESTIMATORS, Tuning
from pkm_identification.estimation.problem import Problem
from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter import Kind
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.relations import LinearRelations

from ...regression.equations import LogEquations
from ...regression.road import Road, join_equations
from ...regression.validation import ValidatedLog
from ..log_rows import LogRows
from ..situation import Situation
from .corrections import Corrections
from .effect import EstimatedEffect
from .linearisation import LARGEST_STEP, add_columns
from .registry import extend_set, with_law
from .relinearise import MOST_PASSES, ROUNDING, STILL


@dataclass(frozen=True)
class Besides:
    """What is estimated besides a machine's parameters.

    Attributes
    ----------
    machine : Machine
        With a friction law that has what is asked for.
    parameters : ParameterSet
        With those of the errors.
    effects : tuple of EstimatedEffect
    """

    machine: Machine
    parameters: ParameterSet
    effects: tuple[EstimatedEffect, ...]

    @classmethod
    def of(cls, machine: Machine, names: Sequence[str]) -> Besides:
        """Return what names stand for on a machine.

        Raises
        ------
        SettingsError
            As `registry.with_law` and `registry.effects_of_names`.
        """
        prepared = with_law(machine, names)
        parameters, effects = extend_set(prepared, prepared.build_parameter_set("base"), names)
        return cls(prepared, parameters, effects)

    @property
    def padded(self) -> ParameterSet:
        """The set in which what is not of the basis has entries of its own behind it: to fix and tie by rows."""
        return pad_set(self.parameters)


def pad_set(parameters: ParameterSet) -> ParameterSet:
    """Return a set whose parameters without a column in the mapping have rows of their own behind the basis."""
    own = [k for k, entry in enumerate(parameters.entries) if entry.kind is Kind.EFFECT]
    own = [k for k in own if not parameters.mapping[:, k].any()]
    rows = np.eye(len(parameters))[own]
    return replace(
        parameters,
        mapping=np.vstack([parameters.mapping, rows]),
        known=np.concatenate([parameters.known, np.zeros(len(own))]),
    )


@dataclass(frozen=True)
class CorrectedRoad(Road):
    """See `Road`; logs are taken as without the errors, and `machine` is without them.

    Attributes
    ----------
    effects : tuple of EstimatedEffect
    values : ndarray, shape (P,)
        Of all parameters: about which errors are linear.
    corrections : Corrections
    """

    effects: tuple[EstimatedEffect, ...]
    values: FloatArray
    corrections: Corrections

    @classmethod
    def at(cls, road: Road, effects: tuple[EstimatedEffect, ...], values: FloatArray) -> CorrectedRoad:
        """Return that of a road to the machine with the errors."""
        corrections = Corrections.none(road.machine)
        for effect in effects:
            if effect.undo is not None:
                corrections = effect.undo(corrections, values[effect.places(road.parameters)])
        return cls(corrections.machine, road.parameters, road.band, effects, values, corrections)

    def equations(self, log: ValidatedLog, still: NDArray[np.bool_] | None = None) -> LogEquations:
        """Return equations with columns of the errors, which hold near their values; see `Road.equations`."""
        made = super().equations(self.corrections.correct(log), still)
        own = made.equations
        rows = LogRows(self.machine, made.samples, self.band, made.still)
        predicted = own.regressor @ self.values + own.force - own.measured
        basis = self.parameters.mapping @ self.values + self.parameters.known
        nothing = np.zeros((*predicted.shape, 0))
        seen = Situation(rows, basis, predicted, nothing, np.zeros(len(own)))
        return replace(made, equations=add_columns(own, self.effects, self.parameters, self.values, [seen]))


@dataclass(frozen=True)
class Settled:
    """Logs, machine and equations without the errors as they are estimated.

    Attributes
    ----------
    road : Road
    made : list of LogEquations
        With columns of the errors.
    values : ndarray, shape (P,)
        About which these hold.
    unsettled : str
        Whose value still moves, in words; empty where none does.
    """

    road: Road
    made: list[LogEquations]
    values: FloatArray
    unsettled: str = ""


def settle_errors(
    road: Road,
    logs: Sequence[ValidatedLog],
    made: list[LogEquations],
    effects: tuple[EstimatedEffect, ...],
    build_problem: Callable[[list[LogEquations], FloatArray], tuple[Problem, FloatArray, FloatArray]],
    robust: bool,
) -> Settled:
    """Return the errors' values and equations near them: Gauss-Newton, until values move no more.

    Parameters
    ----------
    road : Road
        Of the machine with the errors.
    logs : sequence of ValidatedLog
    made : list of LogEquations
        Theirs, without errors.
    effects : tuple of EstimatedEffect
    build_problem : callable (equations, values (P,))
        The problem, and how all parameters (P,) follow from those that are estimated: matrix and constant.
    robust : bool
        Whether to fit robustly.
    """
    parameters = road.parameters
    values = np.array(parameters.nominal)
    if not effects:
        return Settled(road, made, values)
    places = np.concatenate([effect.places(parameters) for effect in effects])
    moving = [place for effect in effects if not effect.linear for place in effect.places(parameters)]
    positive = [entry.name for effect in effects for entry in effect.positive]
    bounded = [parameters.names.index(name) for name in positive]
    estimator = ESTIMATORS["robust" if robust else "ls"]
    own = np.setdiff1d(np.arange(len(parameters)), places)
    values[own] = _fit_alone(made, own)
    width = np.array([entry.scale for entry in parameters.entries])
    for _ in range(MOST_PASSES):
        at = CorrectedRoad.at(road, effects, values)
        equations = [at.equations(log) for log in logs]
        problem, spread, constant = build_problem(equations, values)
        fit = estimator.fit(problem, Tuning())
        whole = spread @ fit.mean + constant
        variance = np.einsum("ij,jk,ik->i", spread, fit.covariance, spread)
        known = np.maximum(np.sqrt(np.maximum(variance, 0.0)), ROUNDING * width + 1e-300)
        change = np.abs(whole - values) / known
        moved = max(moving, key=lambda place: change[place], default=None)
        if moved is None or change[moved] < STILL:
            return Settled(at, equations, values)
        whole[bounded] = np.clip(
            whole[bounded], values[bounded] / LARGEST_STEP, values[bounded] * LARGEST_STEP
        )
        values = whole
    return Settled(
        at, equations, values, f"{parameters.names[moved or 0]} still moves after {MOST_PASSES} passes"
    )


def relate_effects(
    effects: Sequence[EstimatedEffect], whole: ParameterSet, parameters: ParameterSet, values: FloatArray
) -> LinearRelations | None:
    """Return what is fixed of errors besides their priors, of a set made of the whole one, whose values are (P,)."""
    own = dict(zip(whole.names, values, strict=True))
    there = np.array([own.get(name, 0.0) for name in parameters.names])
    parts = [
        effect.relations(parameters, there)
        for effect in effects
        if effect.factor_fixed and all(entry.name in parameters.names for entry in effect.entries)
    ]
    return LinearRelations.joined(parts) if parts else None


def _fit_alone(made: Sequence[LogEquations], own: NDArray[np.int64]) -> FloatArray:
    """Return rough values of some parameters, with nothing estimated besides."""
    joined: Equations = join_equations(made)
    rows = joined.regressor[:, :, own].reshape(-1, len(own))
    size = np.sqrt(np.mean(rows**2, axis=0))
    size[size == 0.0] = 1.0
    found = np.linalg.lstsq(rows / size, joined.measured.ravel(), rcond=1e-6)[0]
    return np.asarray(found / size)
