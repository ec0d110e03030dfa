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
from pkm_identification.parameters.parameter import Kind
from pkm_identification.parameters.prior import Prior
from pkm_identification.signals.causal import FilterSettings

from ..experiment import Experiment
from ..model_errors.log_rows import LogRows, rows_of_samples
from ..regression.equations import LogEquations
from ..regression.noise import LEAST, measure_noise_floor
from ..regression.road import Road
from ..regression.validation import ValidatedLog, find_acting
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


class Subject(Protocol):
    """Logs of a machine under one model."""

    @property
    def machine(self) -> Machine: ...

    @property
    def logs(self) -> Sequence[ForceLog]: ...

    @property
    def cutoff(self) -> float:
        """Of the estimation band, Hz."""

    @property
    def low_pass(self) -> FilterSettings:
        """Kinematic low-pass that the rates have passed."""

    def problem(self) -> Problem:
        """Return the zero-phase problem of the force model."""

    def expect(self, problem: Problem) -> Problem:
        """Return a problem whose prior expects what is estimated besides as it was found."""

    def build_rows(self, problem: Problem) -> tuple[LogRows, ...]:
        """Return the rows of each log."""

    def find_believed(self, problem: Problem) -> NDArray[np.bool_]:
        """Return which equations (K,) of a whitened problem the estimator does not leave out."""

    def measure_floor(self, problem: Problem, values: FloatArray) -> NoiseFloor | None:
        """Return the noise floor at rough values (P,); None of logs too short for it."""

    def undo(self, change: ForceChange, machine: Machine | None, order: tuple[int, ...] | None) -> Subject:
        """Return the subject with forces as they should have been, of another machine, its coordinates in an order."""


@dataclass(frozen=True)
class ExperimentSubject:
    """See `Subject`: an experiment."""

    experiment: Experiment

    @property
    def machine(self) -> Machine:
        return self.experiment.machine

    @property
    def logs(self) -> Sequence[ForceLog]:
        return [log for log in self.experiment.logs if log.force is not None]

    @property
    def cutoff(self) -> float:
        return self.experiment.settings.band.cutoff

    @property
    def low_pass(self) -> FilterSettings:
        return self.experiment.settings.filter

    def problem(self) -> Problem:
        return self.experiment.problem()

    def expect(self, problem: Problem) -> Problem:
        return problem if self.experiment.point is None else self.experiment.point.expected(problem)

    def build_rows(self, problem: Problem) -> tuple[LogRows, ...]:
        # that of the equations, or hypotheses about friction would find what the two make of noisy rates
        machine, band = self.experiment.equations_machine(), self.experiment.settings.band
        return tuple(
            rows_of_samples(machine, problem.parameters, samples, band, self.experiment.flicker)
            for samples in self.experiment.smooth_samples
        )

    def find_believed(self, problem: Problem) -> NDArray[np.bool_]:
        weight = None
        if self.experiment.settings.estimator.name == "robust":
            weight = self.experiment.estimator.batch(problem).weight
        return np.ones(len(problem.equations), dtype=bool) if weight is None else weight > LEAST_WEIGHT

    def measure_floor(self, problem: Problem, values: FloatArray) -> NoiseFloor | None:
        experiment = self.experiment
        if not experiment.validated:
            basis = problem.parameters.mapping @ values + problem.parameters.known
            return noise_floor(experiment, basis, problem.equations.force)
        made, band = [], experiment.settings.band
        for number, rows in enumerate(self.build_rows(problem)):
            own = problem.equations[problem.log == number]
            standing = int(np.count_nonzero(~rows.kept))
            made.append(LogEquations(own, rows.used, standing, rows.samples, rows.still, band))
        road = Road(experiment.machine, problem.parameters, band)
        return _floor_of_drives(road, experiment.validated, made, _keep, problem, values)

    def undo(
        self, change: ForceChange, machine: Machine | None, order: tuple[int, ...] | None
    ) -> ExperimentSubject:
        experiment = self.experiment
        if experiment.validated:
            machine = machine or experiment.machine
            validated = tuple(_undo(log, change, order) for log in experiment.validated)
            acting = tuple(find_acting(log, machine).as_guarded() for log in validated)
            return ExperimentSubject(replace(experiment, machine=machine, logs=acting, validated=validated))
        logs = tuple(
            replace(
                log,
                force=None if log.force is None else np.ascontiguousarray(change(log.force)),
                length=log.length if order is None else np.ascontiguousarray(log.length[:, order]),
            )
            for log in experiment.logs
        )
        return ExperimentSubject(replace(experiment, logs=logs, machine=machine or experiment.machine))


@dataclass(frozen=True)
class RoadSubject:
    """See `Subject`: logs of n drives on the regression road.

    Attributes
    ----------
    road : Road
    logs : tuple of ValidatedLog
    made : tuple of LogEquations
        Of each log.
    build : callable (equations of the logs) -> Problem
    reduce : callable
        What makes of equations in all parameters those of the parameters that are estimated.
    found : ndarray, shape (P,)
        Values of the estimate, SI units.
    """

    road: Road
    logs: tuple[ValidatedLog, ...]
    made: tuple[LogEquations, ...]
    build: Callable[[Sequence[LogEquations]], Problem]
    reduce: Callable[[Any], Any]
    found: FloatArray

    @property
    def machine(self) -> Machine:
        return self.road.machine

    @property
    def cutoff(self) -> float:
        return self.road.band.cutoff

    @property
    def low_pass(self) -> FilterSettings:
        return self.road.low_pass

    def problem(self) -> Problem:
        return self.build(self.made)

    def expect(self, problem: Problem) -> Problem:
        # a prior far from them would have to be explained by something, as if it were data
        besides = [entry.kind in (Kind.EFFECT, Kind.GAIN) for entry in problem.parameters.entries]
        mean = np.where(besides, self.found, problem.prior.mean)
        return replace(problem, prior=Prior(mean, problem.prior.std))

    def build_rows(self, problem: Problem) -> tuple[LogRows, ...]:
        return tuple(LogRows(self.machine, one.samples, self.road.band, one.still) for one in self.made)

    def find_believed(self, problem: Problem) -> NDArray[np.bool_]:
        return np.ones(len(problem.equations), dtype=bool)

    def measure_floor(self, problem: Problem, values: FloatArray) -> NoiseFloor | None:
        return _floor_of_drives(self.road, self.logs, self.made, self.reduce, problem, values)

    def undo(
        self, change: ForceChange, machine: Machine | None, order: tuple[int, ...] | None
    ) -> RoadSubject:
        logs = tuple(_undo(log, change, order) for log in self.logs)
        road = self.road if machine is None else replace(self.road, machine=machine)
        made = tuple(road.equations(log) for log in logs)
        return replace(self, road=road, logs=logs, made=made)


def _keep(equations: Any) -> Any:
    return equations


def _undo(log: ValidatedLog, change: ForceChange, order: tuple[int, ...] | None) -> ValidatedLog:
    """Return a log with forces as they should have been, and its coordinates in an order."""
    coordinate = log.coordinate if order is None else np.ascontiguousarray(log.coordinate[:, order])
    return replace(log, force=np.ascontiguousarray(change(log.force)), coordinate=coordinate)


def _floor_of_drives(
    road: Road,
    logs: Sequence[ValidatedLog],
    made: Sequence[LogEquations],
    reduce: Callable[[Any], Any],
    problem: Problem,
    values: FloatArray,
) -> NoiseFloor | None:
    """Return the noise floor of logs of drives; None of logs too short for it."""
    std = measure_noise_floor(road, logs, made, reduce, values)
    if std is None:
        return None
    nothing = np.zeros_like(std)
    exact = LEAST * np.sqrt(np.mean(problem.equations.force**2, axis=0)) + 1e-300
    return NoiseFloor(std, std, nothing, FROM_DATA, exact, nothing, nothing)
