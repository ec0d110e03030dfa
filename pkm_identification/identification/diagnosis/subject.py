# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What a diagnosis asks of the logs that it judges, whatever road they came."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pkm_identification.estimation.problem import Problem
from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.signals.causal import FilterSettings
from pkm_identification.signals.guard import GuardedLog

from ..experiment import Experiment
from ..model_errors.log_rows import LogRows, rows_of_samples
from ..regression.equations import LogEquations
from ..regression.noise import LEAST, measure_noise_floor
from ..regression.road import Road
from .noise_floor import FROM_DATA, NoiseFloor, noise_floor

LEAST_WEIGHT = 0.1  # of an equation that a robust estimator still believes
ForceChange = Callable[[FloatArray], FloatArray]


class ForceLog(Protocol):
    """A log on a regular clock: stamps (N,) in s, coordinates and forces (N, n), segments (N,)."""

    @property
    def time(self) -> FloatArray: ...

    @property
    def segment(self) -> NDArray[np.int64]: ...

    @property
    def coordinate(self) -> FloatArray: ...

    @property
    def force(self) -> Any: ...


@dataclass(frozen=True)
class Subject:
    """Logs of a machine under one model.

    Attributes
    ----------
    experiment : Experiment
        Of zero-phase force equations.
    found : ndarray, shape (P,)
        Values of its estimate, SI units.
    """

    experiment: Experiment
    found: FloatArray

    @property
    def machine(self) -> Machine:
        return self.experiment.machine

    @property
    def logs(self) -> Sequence[ForceLog]:
        return [log for log in self.experiment.logs if log.force is not None]

    @property
    def cutoff(self) -> float:
        """Of the estimation band, Hz."""
        return self.experiment.settings.band.cutoff

    @property
    def low_pass(self) -> FilterSettings:
        """Kinematic low-pass that the rates have passed."""
        return self.experiment.settings.filter

    def problem(self) -> Problem:
        """Return the zero-phase problem of the force model."""
        return self.experiment.problem()

    def expect(self, problem: Problem) -> Problem:
        """Return a problem whose prior expects what is estimated besides as it was found."""
        point = self.experiment.point
        return problem if point is None else point.expected(problem, self.found)

    def build_rows(self, problem: Problem) -> tuple[LogRows, ...]:
        """Return the rows of each log."""
        # that of the equations, or hypotheses about friction would find what the two make of noisy rates
        machine, band = self.experiment.equations_machine(), self.experiment.settings.band
        return tuple(
            rows_of_samples(machine, problem.parameters, samples, band, self.experiment.flicker)
            for samples in self.experiment.smooth_samples
        )

    def find_believed(self, problem: Problem) -> NDArray[np.bool_]:
        """Return which equations (K,) of a whitened problem the estimator does not leave out."""
        weight = None
        if self.experiment.settings.estimator.name == "robust":
            weight = self.experiment.estimator.batch(problem).weight
        return np.ones(len(problem.equations), dtype=bool) if weight is None else weight > LEAST_WEIGHT

    def measure_floor(self, problem: Problem, values: FloatArray) -> NoiseFloor | None:
        """Return the noise floor at rough values (P,); None of logs too short for it."""
        experiment = self.experiment
        if experiment.machine.quick:  # whose neighbours are found row by row
            basis = problem.parameters.mapping @ values + problem.parameters.known
            return noise_floor(experiment, basis, problem.equations.force)
        logs, band = experiment.logs, experiment.settings.band
        road = Road(experiment.machine, problem.parameters, band)
        if experiment.point is not None:  # whose columns are in the problem's equations, and no noise's
            return _estimate_drive_noise_floor(
                road, logs, [road.equations(log) for log in logs], problem, values
            )
        made = []
        for number, rows in enumerate(self.build_rows(problem)):
            own = problem.equations[problem.log == number]
            standing = int(np.count_nonzero(~rows.kept))
            made.append(LogEquations(own, rows.used, standing, rows.samples, rows.still, band))
        return _estimate_drive_noise_floor(road, logs, made, problem, values)

    def undo(self, change: ForceChange, machine: Machine | None, order: tuple[int, ...] | None) -> Subject:
        """Return the subject with forces as they should have been, of another machine, its coordinates in an order."""
        experiment = self.experiment
        logs = tuple(
            replace(
                log,
                force=None if log.force is None else np.ascontiguousarray(change(log.force)),
                coordinate=log.length if order is None else np.ascontiguousarray(log.length[:, order]),
            )
            for log in experiment.logs
        )
        return replace(self, experiment=replace(experiment, logs=logs, machine=machine or experiment.machine))


def _estimate_drive_noise_floor(
    road: Road,
    logs: Sequence[GuardedLog],
    made: Sequence[LogEquations],
    problem: Problem,
    values: FloatArray,
) -> NoiseFloor | None:
    """Return the noise floor of logs of drives; None of logs too short for it."""
    std = measure_noise_floor(road, logs, made, values)
    if std is None:
        return None
    nothing = np.zeros_like(std)
    exact = LEAST * np.sqrt(np.mean(problem.equations.force**2, axis=0)) + 1e-300
    return NoiseFloor(std, std, nothing, FROM_DATA, exact, nothing, nothing)
