# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Held-out validation: forces that were not used for an estimate, predicted by it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pkm_identification.errors import LogError
from pkm_identification.estimation.problem import Problem
from pkm_identification.machines.load import AnyMachine, as_machine
from pkm_identification.motion import DriveLog
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.large_arrays import GrowingArray, row_blocks
from pkm_identification.numerics.rows import segment_slices
from pkm_identification.signals.butterworth import zero_phase
from pkm_identification.signals.input_validation import ValidatedLog
from pkm_identification.signals.input_validation.samples import rows_of

from .equations.band_rows import band_pieces
from .equations.standstill import StandstillLimits, find_standstill
from .experiment import Experiment
from .regression.friction import DriveFriction
from .regression.repeated_motion import find_repeated_ends
from .samples import Samples
from .settings import Settings

BLOCK = 2**14  # samples whose model columns are there at a time
FEWEST_EQUATIONS = 2  # per unknown; each has six values


@dataclass(frozen=True)
class Validation:
    """Prediction of forces that were not used for the estimate.

    Attributes
    ----------
    time : ndarray, shape (N,)
    measured, predicted : ndarray, shape (N, n)
        N or N m, in the estimation band (both sides low-passed alike).
    rms_percent, rms_percent_raw : ndarray, shape (n,)
        Root mean square of the error over that of the measured force, in %, in the band and unfiltered; NaN where that
        is not known.
    rms_percent_total, rms_percent_raw_total : float
        Over all drives.
    source : str
        The log, or the first of several.
    part : str
        Which part of the log an estimate from the other samples predicted; empty when the whole log was predicted by an
        estimate that has not seen it.
    without_friction_percent : float
        The error in the band over what is left of the force without the predicted friction, in %: where friction is
        nearly all of the force, a small part of the force flatters.
    nominal_percent : float
        What the machine file's own values predict, as `rms_percent_total`.
    nominal_rms_percent : ndarray, shape (n,)
        The same, drive by drive.
    repeats_after : float
        s, after which the motion of the held-out part repeats one of the other samples'; NaN where it does not.
    parameters_percent : float
        What the parameters predict without the effects that a full model found as well, as `rms_percent_total`; NaN
        where there are none.
    """

    time: FloatArray
    measured: FloatArray
    predicted: FloatArray
    rms_percent: FloatArray
    rms_percent_total: float
    rms_percent_raw: FloatArray
    rms_percent_raw_total: float
    source: str
    part: str = ""
    without_friction_percent: float = float("nan")
    nominal_percent: float = float("nan")
    nominal_rms_percent: FloatArray = field(default_factory=lambda: np.empty(0))
    parameters_percent: float = float("nan")
    repeats_after: float = float("nan")

    @property
    def error(self) -> float:
        """Root mean square of the error in the band over all drives, N or N m."""
        return float(np.sqrt(np.mean(self.rms[1] ** 2)))

    @cached_property
    def rms(self) -> FloatArray:
        """Root mean squares of measured forces and of errors in the band, shape (2, n); of hours, part by part."""
        squares = np.zeros((2, self.measured.shape[1]))
        for block in row_blocks(len(self.measured)):
            error = self.measured[block] - self.predicted[block]
            squares += np.sum(self.measured[block] ** 2, axis=0), np.sum(error**2, axis=0)
        return np.asarray(np.sqrt(squares / len(self.measured)))

    @property
    def held_out(self) -> str:
        """What was predicted, in words."""
        return _describe_error(self.part, self.source)

    @property
    def predicted_by(self) -> str:
        """Which estimate predicted it, in words."""
        return "an estimate from the other samples" if self.part else "the estimate"


def held_out(machine: AnyMachine, settings: Settings, values: FloatArray, log: DriveLog) -> Validation:
    """Predict the forces of a log that was not used for the estimate.

    Parameters
    ----------
    machine : Machine
    settings : Settings
        As the estimate was made with; the filters are zero-phase in any case.
    values : ndarray, shape (P,)
        Estimate of the settings' parameter set, SI units.
    log : DriveLog

    Raises
    ------
    LogError
        If the log holds no forces or is too short for the filters.
    """
    experiment = Experiment.of([log], machine, settings)  # type: ignore[arg-type]
    validation = _predict_forces(experiment, values, lambda one: _split_at_jumps(one.logs[0]))
    if validation is None:
        raise LogError(f"{log.source}: too short to validate with: no sample remains after filtering")
    return replace(validation, source=log.source)


def predict_ends(
    experiment: Experiment, problem: Problem, estimate: Callable[[Problem], FloatArray]
) -> Validation | None:
    """Predict the end of every log by an estimate from the other samples.

    No filter reaches across: the end is filtered by itself, and of the rest those equations are left out whose
    filters reach into it.

    Parameters
    ----------
    experiment : Experiment
        The settings' `hold_out` is the part of each log's time that is held out.
    problem : Problem
        Of the whole logs.
    estimate : callable
        Values (P,) from a part of the problem.

    Returns
    -------
    Validation or None
        None when nothing is to be held out or the logs are too short for it.
    """
    settings = experiment.settings
    if settings.hold_out == 0.0:
        return None
    reach = settings.band.settling * experiment.period
    kept = np.zeros(len(problem.log), dtype=bool)
    for number, (log, first) in enumerate(zip(experiment.logs, experiment.held_from(), strict=True)):
        own = problem.log == number
        kept[own] = first == len(log.time) or problem.equations.time[own] < log.time[first] - reach
    part = problem.part(kept)
    if len(part.equations) < FEWEST_EQUATIONS * len(problem.parameters.names):
        return None
    return predict_held(experiment, estimate(part))


def predict_held(experiment: Experiment, values: FloatArray) -> Validation | None:
    """Predict the ends of all logs with values (P,) that do not know them; None when they are too short for it.

    The motion of the end is filtered by itself.
    """
    validation = _predict_forces(experiment, values, Experiment.ends)
    if validation is None:
        return None
    part = end_part(experiment.settings.hold_out, len(experiment.ends()))
    pairs = zip(experiment.logs, experiment.held_from(), strict=True)
    repeats = find_repeated_ends(
        (log.coordinate, first, log.period) for log, first in pairs if first < len(log.time)
    )
    return replace(validation, source=experiment.sources[0], part=part, repeats_after=repeats)


def _predict_forces(
    experiment: Experiment, values: FloatArray, logs: Callable[[Experiment], list[ValidatedLog]]
) -> Validation | None:
    """Forces of an experiment's logs without the effects of these values (P,), and as the machine file has them."""
    without = experiment.at(values)
    validation = predict(without, logs(without), values)
    if validation is None or experiment.point is None or experiment.point.linear:
        return validation
    by_file = replace(experiment, machine=as_machine(experiment.point.machine), logs=experiment.point.logs)
    nominal = predict(by_file, logs(by_file), experiment.parameters.nominal)
    if nominal is None:
        return validation
    return replace(
        validation, nominal_percent=nominal.nominal_percent, nominal_rms_percent=nominal.nominal_rms_percent
    )


def held_out_part(share: float, source: str, count: int) -> str:
    """Return the end of so many logs, the first of which is `source`, in words."""
    return _describe_error(end_part(share, count), source)


def predict(experiment: Experiment, logs: Sequence[ValidatedLog], values: FloatArray) -> Validation | None:
    """Return forces of logs as values (P,) predict them; None when the logs are too short for the filters."""
    parameters = experiment.parameters
    mapping = np.column_stack([parameters.mapping, parameters.known])
    friction = np.array([entry.kind.friction for entry in parameters.entries])
    weights = np.column_stack(
        [np.append(values, 1.0), np.append(parameters.nominal, 1.0), np.append(values * friction, 0.0)]
    )
    forces = _Forces()
    for log in logs:
        forces.add(experiment, log, mapping, weights)
    if not len(forces.time):
        return None
    measured, predictions = forces.measured.taken(), forces.predicted.taken()
    modelled, by_file, rubbing = np.moveaxis(predictions, 2, 0)
    in_band, nominal = compute_percent(measured, modelled), compute_percent(measured, by_file)
    return Validation(
        time=forces.time.taken(),
        measured=measured,
        predicted=modelled,
        rms_percent=in_band.each,
        rms_percent_total=in_band.total,
        rms_percent_raw=forces.unfiltered.each,
        rms_percent_raw_total=forces.unfiltered.total,
        source="",
        without_friction_percent=compute_percent(measured, modelled, rubbing).total,
        nominal_percent=nominal.total,
        nominal_rms_percent=nominal.each,
    )


@dataclass(frozen=True)
class _Forces:
    """Forces in N, (N, n), in the band at `time`, and what of those at all instants is not predicted.

    `predicted` has a third axis: by the estimate, by the machine file, and the estimate's friction alone.
    """

    time: GrowingArray = field(default_factory=GrowingArray)
    measured: GrowingArray = field(default_factory=GrowingArray)
    predicted: GrowingArray = field(default_factory=GrowingArray)
    unfiltered: _Percent = field(default_factory=lambda: _Percent())

    def add(
        self, experiment: Experiment, log: ValidatedLog, mapping: FloatArray, weights: FloatArray
    ) -> None:
        """Append what there is of a log."""
        if len(log.time) == 0 or log.force is None:
            return
        for samples in experiment.segments(log):
            if len(samples):
                self._add(experiment, log, samples, mapping, weights)

    def _add(
        self,
        experiment: Experiment,
        log: ValidatedLog,
        samples: Samples,
        mapping: FloatArray,
        weights: FloatArray,
    ) -> None:
        machine, motion, band = experiment.machine, samples.motion, experiment.settings.band
        assert log.force is not None
        assert samples.force is not None
        friction = DriveFriction.of(machine, mapping, experiment.smooth_rate_noise)
        parts = []
        for first in range(0, len(motion), BLOCK):
            moved = motion[first : first + BLOCK]
            columns = machine.compute_regressor(moved, mapping)
            friction.add(moved.rate, columns)
            parts.append(columns @ weights)
        predicted = np.concatenate(parts)
        if experiment.point is not None:
            predicted[:, :, 0] += experiment.point.added(experiment.equations_machine(), samples, band)
        own, moves = samples.own(samples.time), ~_find_resting(experiment, samples)
        # the unfiltered force at the same instants
        measured = log.force[np.searchsorted(log.time, samples.time[own])]
        self.unfiltered.add((measured - predicted[own, :, 0]) * moves[own], measured * moves[own])
        edge = band.settling // 2
        for part in segment_slices(samples.segment):
            if part.stop - part.start <= 2 * edge + 1:
                continue
            middle = slice(edge, part.stop - part.start - edge)
            time = samples.time[part][middle]
            own = samples.own(time)
            self.time.append(time[own])
            moving = moves[part][middle][own]
            self.measured.append(zero_phase(band.sections, samples.force[part])[middle][own] * moving)
            passed = zero_phase(band.sections, predicted[part])[middle][own]
            self.predicted.append(passed * moving[:, :, None])


def _find_resting(experiment: Experiment, samples: Samples) -> NDArray[np.bool_]:
    """Return which drives (N, n) stand by themselves: friction is then any force up to Coulomb's, and predicts nothing.

    Limbs that rest all together or not at all are predicted at rest, too.
    """
    motion, stride = samples.motion, experiment.settings.band.stride
    resting = np.zeros(motion.rate.shape, dtype=bool)
    limits = StandstillLimits.of(experiment.machine, experiment.parameters, experiment.flicker)
    if limits is None or limits.together:
        return resting
    for piece in band_pieces(samples.segment, experiment.settings.band):
        part = piece.part
        still = find_standstill(
            limits,
            motion.coordinate[part],
            motion.rate[part],
            samples.segment[part],
            experiment.settings.band,
        )
        middle = resting[part][piece.chosen.start : piece.chosen.stop]
        middle[:] = np.repeat(still, stride, axis=0)[: len(middle)]
    return resting


def _split_at_jumps(log: ValidatedLog) -> list[ValidatedLog]:
    """Return the log in pieces in which time increases."""
    ends = [0, *(np.nonzero(np.diff(log.time) < 0)[0] + 1), len(log.time)]
    return [rows_of(log, slice(first, last)) for first, last in pairwise(ends)]


def end_part(share: float, count: int) -> str:
    """Return the end of each of so many logs in words."""
    end = f"last {100 * share:.0f} %"
    return end if count == 1 else f"{end} of each of {count} logs"


def _describe_error(part: str, source: str) -> str:
    name = source.rstrip("/").rpartition("/")[2]
    return part if "logs" in part else f"{part} of {name}" if part else name


def compute_percent(
    measured: FloatArray, predicted: FloatArray, rubbing: FloatArray | None = None
) -> _Percent:
    """Errors of predicted forces in percent of those measured, (N, n); both are less the friction, where it is given.

    Of hours of samples, some thousand at a time.
    """
    percent = _Percent()
    for block in row_blocks(len(measured)):
        friction = 0.0 if rubbing is None else rubbing[block]
        percent.add(measured[block] - predicted[block], measured[block] - friction)
    return percent


class _Percent:
    """Root mean squares of errors over those of forces, gathered part by part."""

    def __init__(self) -> None:
        self._squares = np.zeros((2, 1))

    def add(self, error: FloatArray, force: FloatArray) -> None:
        """Take errors and forces (N, n)."""
        self._squares = self._squares + np.stack([np.sum(error**2, axis=0), np.sum(force**2, axis=0)])

    @property
    def each(self) -> FloatArray:
        """Of each drive, shape (n,)."""
        return self._of(self._squares)

    @property
    def total(self) -> float:
        """Of all."""
        return float(self._of(np.sum(self._squares, axis=1)))

    @staticmethod
    def _of(squares: FloatArray) -> FloatArray:
        error, force = np.sqrt(squares)
        return 100.0 * error / np.maximum(force, 1e-300)
