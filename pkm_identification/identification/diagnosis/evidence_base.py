# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""An identification problem as the base that hypotheses are compared with, and the situation they see."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pkm_identification.estimation.equations import Equations
from pkm_identification.estimation.lack_of_fit.evidence import Base
from pkm_identification.estimation.lack_of_fit.start_values import remove_start_values
from pkm_identification.estimation.problem import Problem
from pkm_identification.estimation.whitening import Coordinates
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.relations import LinearRelations
from pkm_identification.signals.causal import FilterSettings

from ..model_errors.effect import Effect
from ..model_errors.log_rows import LogRows
from ..model_errors.situation import Situation, build_situations
from .smoothing import FACTOR, smoothed_friction
from .standstill import friction_variance
from .subject import Subject

Value = TypeVar("Value", float, FloatArray)


@dataclass(frozen=True)
class EvidenceBase:
    """Equations of an experiment in coordinates that are standard normal before the data.

    Attributes
    ----------
    problem : Problem
        Of the force model, zero-phase.
    view : Coordinates
    rows : tuple of LogRows
        Of each log.
    kept : ndarray of bool, shape (K,)
        Equations that count: a robust estimator leaves out what gross errors spoil.
    smoothing : ndarray, shape (K', 6, q)
        What the kinematic low-pass may have made of friction, N, in the equations that count; none at first.
    low_pass : FilterSettings
        The kinematic low-pass that the rates have passed.
    """

    problem: Problem
    view: Coordinates
    rows: tuple[LogRows, ...]
    kept: NDArray[np.bool_]
    smoothing: FloatArray
    low_pass: FilterSettings

    @classmethod
    def of(cls, subject: Subject, problem: Problem) -> EvidenceBase:
        """Return that of a problem of a subject's logs. Start values that the data contradict do not count."""
        problem = remove_start_values(problem)
        relations = problem.relations or LinearRelations.none(len(problem.parameters))
        view = Coordinates.of(problem.prior, relations)
        kept = subject.find_believed(problem.whiten(view))
        none = np.empty((np.count_nonzero(kept), problem.equations.force.shape[1], 0))
        return cls(problem, view, subject.build_rows(problem), kept, none, subject.low_pass)

    def smooth(self, values: FloatArray) -> EvidenceBase:
        """Return the same that knows what the kinematic low-pass makes of friction under an estimate (P,)."""
        parts = [smoothed_friction(situation, self.low_pass) for situation in self.situations(values)]
        columns = [part for part in parts if part is not None]
        return replace(self, smoothing=np.concatenate(columns)[self.kept]) if columns else self

    def without_smoothing(self, equations: Equations) -> EvidenceBase:
        """Other equations for the same unknowns, without what the low-pass makes of them."""
        return replace(
            self, problem=replace(self.problem, equations=equations), smoothing=self.smoothing[:, :, :0]
        )

    def base(self, floor: FloatArray) -> Base:
        """Return the model alone, its rows divided by the noise floor (6,), or (K', 6) of the equations that count."""
        equations = self.view.equations(self.problem.equations)[self.kept]
        columns = np.concatenate([equations.regressor, FACTOR * self.smoothing], axis=2)
        return Base.of(columns, equations.measured, floor, equations.segment)

    def parameters(self, base: Base) -> FloatArray:
        """Return values (P,) of the parameters in a base, which may have more columns; SI units."""
        return self.view.mean(base.solution[: len(self.view.origin)])

    def moved(self, change: FloatArray) -> FloatArray:
        """Change (P,) of the reported parameters that a change of the base's unknowns means, SI units."""
        return (self.view.root @ change[: len(self.view.origin)])[: self.problem.reported]

    def variance(self, base: Base) -> FloatArray:
        """Variances (P,) of the reported parameters in a base whose noise is its floor, SI units squared."""
        width = len(self.view.origin)
        spread = self.view.root @ np.linalg.inv(base.triangle)[:width]
        return np.sum(spread**2, axis=1)[: self.problem.reported]

    def basis(self, values: FloatArray) -> FloatArray:
        """Return parameters of the model's basis (B,)."""
        parameters = self.problem.parameters
        return parameters.mapping @ values + parameters.known

    def situations(self, values: FloatArray) -> list[Situation]:
        """Return what hypotheses see of each log under an estimate (P,)."""
        return build_situations(self.problem, self.rows, values)

    def near_standstill(self, situations: Sequence[Situation]) -> FloatArray:
        """Variance (K, 6) of friction in the equations that count where rates are as wrong as they may be, N^2."""
        return np.concatenate([friction_variance(situation, self.low_pass) for situation in situations])[
            self.kept
        ]

    def columns(self, effect: Effect, situations: Sequence[Situation]) -> FloatArray:
        """Return columns (K, 6, q) of an effect in the equations that count."""
        return np.concatenate([effect.columns(situation) for situation in situations])[self.kept]

    def columns_at(
        self, column: Callable[[Situation, Value], FloatArray], situations: Sequence[Situation], value: Value
    ) -> FloatArray:
        """Return columns (K, n, q) of coefficients that are about these values, in the equations that count."""
        return np.concatenate([column(situation, value) for situation in situations])[self.kept]
