# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A fall with the drives off: their forces are known exactly, so the coordinates alone tell of the inertia.

Where drives and friction leave the machine free, a tenth of a second of falling fixes ratios of masses and
moments better than a minute of driven motion: encoders resolve far more than currents. The drives' coordinates
in a fall are predicted by integrating the model from the release and compared with the measured ones (output
error), so nothing is differentiated or filtered. All forces being zero, the common scale of all masses has no
effect; that comes from driven motions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pkm_identification.errors import LogError, NotConverged
from pkm_identification.estimation.problem import Problem
from pkm_identification.machines.contract import OK, Machine, Motion
from pkm_identification.machines.falling import compute_fall, compute_fall_slopes
from pkm_identification.motion import DriveLog
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.relations import LinearRelations

if TYPE_CHECKING:
    from ..experiment import Experiment

# Residual over resolution above which a log is not a fall of this machine.
MISFIT = 20.0
LEAST_SAMPLES = 20
MAX_ITERATIONS = 10
MAX_START_STEPS = 12  # six where the release was 23 ms off at first
START_TOLERANCE = 0.1  # of the resolution
TOLERANCE = 1e-4  # change of a parameter, in what is a large error of it


class FreeFall:
    """One log of a fall, ready to be compared with the model.

    Parameters
    ----------
    machine : Machine
    parameters : ParameterSet
    length : ndarray, shape (N, n)
        Of the drives, m or rad, on a regular clock, from the release (or some samples before it) to before anything
        stops the fall.
    period : float
        Sample period in s.
    source : str
        Name of the log, for messages.

    Raises
    ------
    LogError
        If the log is too short, does not move, or starts in no pose of the machine.
    """

    def __init__(
        self,
        machine: Machine,
        parameters: ParameterSet,
        length: FloatArray,
        period: float,
        source: str,
    ) -> None:
        if len(length) < LEAST_SAMPLES:
            raise LogError(
                f"{source}: {len(length)} samples are too few for a fall; {LEAST_SAMPLES} are needed"
            )
        self.machine = machine
        self.parameters = parameters
        self.length = length
        self.source = source
        self.resolution = _estimate_length_deviation(machine, length)
        self._time = np.arange(len(length)) * period
        moved = np.mean(np.abs(length - length[0]), axis=1)
        if moved[-1] < 100 * self.resolution:
            unit = machine.drives[0].unit
            raise LogError(f"{source}: the drives move {moved[-1]:.3g} {unit}; that is no fall")
        # half a g t^2: the root of the way is a line through the release
        late = moved > 0.1 * moved[-1]
        slope, offset = np.polyfit(self._time[late], np.sqrt(moved[late]), 1)
        released = float(np.clip(-offset / slope, -period, self._time[-1]))
        still = max(1, int(np.searchsorted(self._time, released)))
        self._home = length[:still].mean(axis=0)
        none = np.zeros_like(self._home)[None]
        started = machine.compute_motion(self._home[None], none, none)
        if started.status[0] != OK:
            raise LogError(
                f"{source}: the lengths at its start are those of no good pose of '{machine.name}'"
            )
        # unknown of the start: coordinates, instant of the release
        self._state, self._start = started.state, np.append(np.zeros_like(self._home), released)

    def lengths(self, values: FloatArray) -> FloatArray:
        """Return predicted coordinates (N, n) for parameters (P,)."""
        basis = self.parameters.mapping @ values + self.parameters.known
        return compute_fall(self.machine, basis, *self._begin(self._start))

    def relations(self, values: FloatArray) -> LinearRelations:
        """Return what the fall shows of the parameters, linearised about `values` (P,).

        The start (coordinates and instant of the release) is not known and is eliminated.

        Raises
        ------
        LogError
            If no start makes the prediction come near the log.
        """
        self.fit_start(values)
        columns, starts = self._slopes(values)
        left = self._misfit(values)
        orthogonal, _ = np.linalg.qr(starts, mode="complete")
        rest = orthogonal[:, len(self._start) :].T
        rows = rest @ columns / self.resolution
        targets = rest @ left / self.resolution + rows @ values
        # as few rows as there are parameters say the same; what is left over is the misfit of any machine
        triangle: FloatArray = np.asarray(np.linalg.qr(np.column_stack([rows, targets]), mode="r"))
        width = len(values)
        misfit = (
            abs(triangle[width, width]) / np.sqrt(max(len(targets) - width, 1))
            if len(triangle) > width
            else 0.0
        )
        if not np.isfinite(misfit) or misfit > MISFIT:
            raise LogError(
                f"{self.source}: is no free fall of '{self.machine.name}': lengths are {misfit:.0f} times their "
                "resolution away from any; the drives must be off, without friction, from the first samples on"
            )
        return LinearRelations(triangle[:width, :width], triangle[:width, width])

    def fit_start(self, values: FloatArray) -> None:
        """Move the start to where the prediction comes nearest: a mass that changes as it falls hides the release."""
        for _ in range(MAX_START_STEPS):
            _, starts = self._slopes(values)
            step = np.linalg.lstsq(starts, self._misfit(values), rcond=None)[0]
            self._start = self._start + step
            if np.sqrt(np.mean((starts @ step) ** 2)) < START_TOLERANCE * self.resolution:
                return

    def _misfit(self, values: FloatArray) -> FloatArray:
        return (self.length - self.lengths(values)).ravel()

    def _slopes(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return derivatives of the coordinates by the parameters, (n N, P), and by the start, (n N, n + 1)."""
        basis = self.parameters.mapping @ values + self.parameters.known
        started, time = self._begin(self._start)
        by = compute_fall_slopes(self.machine, basis, self.parameters.mapping, started, time)
        starts = np.concatenate([by.start, -by.time[:, :, None]], axis=2)
        rows = self.length.size
        return by.values.reshape(rows, -1), starts.reshape(rows, -1)

    def _begin(self, start: FloatArray) -> tuple[Motion, FloatArray]:
        """Return where a fall with a start (n + 1,) begins, and the samples' times since its release."""
        none = np.zeros_like(self._home)[None]
        started = self.machine.compute_motion((self._home + start[:-1])[None], none, none, self._state)
        return started, self._time - start[-1]


def add_falls(problem: Problem, falls: Sequence[DriveLog], experiment: Experiment) -> Problem:
    """Return the problem with what logs of falls with the drives off show of its parameters.

    Raises
    ------
    LogError
        As `FreeFall`, and if a fall runs at another rate than the experiment.
    NotConverged
        As `iterate`.
    """
    if not falls:
        return problem
    estimator, others = experiment.estimator, problem.relations

    def with_falls(relations: LinearRelations) -> Problem:
        known = [relations] if others is None else [others, relations]
        return replace(problem, relations=LinearRelations.concatenate(known))

    logs = [
        FreeFall(
            experiment.machine,
            problem.parameters,
            experiment.fall_coordinates(log),
            experiment.period,
            log.source,
        )
        for log in falls
    ]
    relations = iterate(
        logs, estimator.batch_mean(problem), lambda relations: estimator.batch_mean(with_falls(relations))
    )
    return with_falls(relations)


def iterate(
    falls: Sequence[FreeFall], values: FloatArray, solve: Callable[[LinearRelations], FloatArray]
) -> LinearRelations:
    """Return what falls show, linearised where the estimate ends: a fixed-point iteration.

    Parameters
    ----------
    falls : sequence of FreeFall
    values : ndarray, shape (P,)
        Where to begin, SI units.
    solve : callable
        Estimate (P,) that everything else known gives together with the falls' relations.

    Raises
    ------
    NotConverged
        If the estimate does not converge: the fall contradicts the other logs.
    """
    scale = falls[0].parameters.scale
    for _ in range(MAX_ITERATIONS):
        relations = LinearRelations.concatenate([fall.relations(values) for fall in falls])
        solution = solve(relations)
        change = np.max(np.abs(solution - values) / scale)
        values = solution
        if change < TOLERANCE:
            return relations
    raise NotConverged(
        f"{falls[0].source}: the estimate does not converge with this fall (last change {100 * change:.2g} %); "
        "is it of the same machine, with the drives off?"
    )


def _estimate_length_deviation(machine: Machine, length: FloatArray) -> float:
    """Return the deviation of a coordinate: rounding to counts, or what third differences show if that is more."""
    noise = float(np.std(np.diff(length, 3, axis=0))) / np.sqrt(20.0)
    return max(noise, machine.drives[0].resolution / np.sqrt(12.0), 1e-9)
