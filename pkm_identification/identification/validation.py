"""Held-out validation: forces that were not used for an estimate, predicted by it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from pkm_identification.errors import LogError
from pkm_identification.estimation.problem import Problem
from pkm_identification.mechanisms.hexapod.dynamics.regressor import regressor
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import StrutLog
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.signals.butterworth import segment_slices, zero_phase
from pkm_identification.signals.guard import GuardedLog

from .experiment import (
    Experiment,
    IdentifySettings,
    platform_samples,
    prepare,
    stages_of,
)
from .online.pipeline import PipelineSettings
from .problem_builder import Posed


@dataclass(frozen=True)
class Validation:
    """Prediction of forces that were not used for the estimate.

    Attributes
    ----------
    time : ndarray, shape (N,)
    measured, predicted : ndarray, shape (N, 6)
        N, in the estimation band (both sides low-passed alike).
    rms_percent, rms_percent_raw : ndarray, shape (6,)
        Root mean square of the error over that of the measured force, in %, in the band and unfiltered.
    rms_percent_total, rms_percent_raw_total : float
        Over all struts.
    source : str
        The log, or the first of several.
    part : str
        Which part of the log an estimate from the rest predicted; empty when the whole log was predicted by an
        estimate that has not seen it.
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

    @property
    def held_out(self) -> str:
        """What was predicted, in words."""
        return _in_words(self.part, self.source)

    @property
    def predicted_by(self) -> str:
        """Which estimate predicted it, in words."""
        return "an estimate from the rest" if self.part else "the estimate"


def held_out(machine: Machine, settings: IdentifySettings, values: FloatArray, log: StrutLog) -> Validation:
    """Predict the forces of a log that was not used for the estimate.

    Parameters
    ----------
    machine : Machine
    settings : IdentifySettings
        As the estimate was made with; the filters are zero-phase in any case.
    values : ndarray, shape (P,)
        Estimate of the settings' parameter set, SI units.
    log : StrutLog

    Raises
    ------
    LogError
        If the log holds no forces or is too short for the filters.
    """
    prepared = prepare([log], machine, {})
    stages = stages_of(machine, settings, prepared.logs[0].period)
    made = _predicted(_between_jumps(prepared.logs[0]), machine, settings, stages, values)
    if made is None:
        raise LogError(f"{log.source}: too short to validate with: nothing is left after filtering")
    return replace(made, source=log.source)


def predict_ends(
    prepared: Experiment,
    machine: Machine,
    settings: IdentifySettings,
    stages: PipelineSettings,
    posed: Posed,
    estimate: Callable[[Problem], FloatArray],
) -> Validation | None:
    """Predict the end of every log by an estimate from the rest.

    No filter reaches across: the end is filtered by itself, and of the rest those equations are left out whose
    filters reach into it.

    Parameters
    ----------
    prepared : Experiment
    machine : Machine
    settings : IdentifySettings
        `hold_out` is the part of each log's time that is held out.
    stages : PipelineSettings
    posed : Posed
        The problem of the whole logs.
    estimate : callable
        Values (P,) from a part of the problem.

    Returns
    -------
    Validation or None
        None when nothing is to be held out or the logs are too short for it.
    """
    if settings.hold_out == 0.0:
        return None
    reach = stages.estimator.band.settling * stages.guard.period
    equations, kept = posed.problem.equations, np.zeros(len(posed.log), dtype=bool)
    for number, (log, first) in enumerate(
        zip(prepared.logs, held_from(prepared, settings.hold_out), strict=True)
    ):
        mine = posed.log == number
        kept[mine] = first == len(log.time) or equations.time[mine] < log.time[first] - reach
    part = posed.problem.part(kept)
    if len(part.equations) < 2 * len(posed.problem.parameters.names):
        return None
    return predict_held(prepared, machine, settings, stages, estimate(part))


def held_from(prepared: Experiment, share: float) -> list[int]:
    """The row of each log from which on it is held out; the log's length where nothing is.

    That is where its clock was set back: stamps do not tell what comes before the end.
    """
    return [
        len(log.time) if np.any(np.diff(log.time) < 0) else round((1.0 - share) * len(log.time))
        for log in prepared.logs
    ]


def predict_held(
    prepared: Experiment,
    machine: Machine,
    settings: IdentifySettings,
    stages: PipelineSettings,
    values: FloatArray,
) -> Validation | None:
    """Predict the ends of all logs with values (P,) that do not know them; None when they are too short for it.

    The motion of the end is filtered by itself.
    """
    pairs = zip(prepared.logs, held_from(prepared, settings.hold_out), strict=True)
    ends = [rows_of(log, slice(first, None)) for log, first in pairs if first < len(log.time)]
    made = _predicted(ends, machine, settings, stages, values)
    if made is None:
        return None
    return replace(made, source=prepared.sources[0], part=_part(settings.hold_out, len(ends)))


def held_out_part(share: float, source: str, count: int) -> str:
    """The end of so many logs, the first of which is `source`, in words."""
    return _in_words(_part(share, count), source)


def _predicted(
    logs: list[GuardedLog],
    machine: Machine,
    settings: IdentifySettings,
    stages: PipelineSettings,
    values: FloatArray,
) -> Validation | None:
    """Forces of logs as the values predict them; None when the logs are too short for the filters."""
    parameters, band = settings.parameter_set(machine), stages.estimator.band
    mapping = np.column_stack([parameters.mapping, parameters.known])
    weights = np.append(values, 1.0)
    edge = band.settling // 2
    times, raws, raw_predictions, smooth_measured, smooth_predicted = [], [], [], [], []
    for log in logs:
        motion, struts, _ = platform_samples(log, machine, settings, stages, causal=False)
        if len(motion) == 0:
            continue
        predicted = regressor(machine, motion, mapping) @ weights
        # the unfiltered force at the same instants
        raws.append(log.force[np.searchsorted(log.time, motion.time)])
        raw_predictions.append(predicted)
        for part in segment_slices(struts.segment):
            if part.stop - part.start <= 2 * edge + 1:
                continue
            inner = slice(edge, part.stop - part.start - edge)
            smooth_measured.append(zero_phase(band.sections, struts.force[part])[inner])
            smooth_predicted.append(zero_phase(band.sections, predicted[part])[inner])
            times.append(motion.time[part][inner])
    if not times:
        return None
    measured, modelled = np.concatenate(smooth_measured), np.concatenate(smooth_predicted)
    raw, predicted = np.concatenate(raws), np.concatenate(raw_predictions)
    return Validation(
        time=np.concatenate(times),
        measured=measured,
        predicted=modelled,
        rms_percent=_percent(measured, modelled, axis=0),
        rms_percent_total=float(_percent(measured, modelled)),
        rms_percent_raw=_percent(raw, predicted, axis=0),
        rms_percent_raw_total=float(_percent(raw, predicted)),
        source="",
    )


def _between_jumps(log: GuardedLog) -> list[GuardedLog]:
    """The log in pieces in which time increases."""
    ends = [0, *(np.nonzero(np.diff(log.time) < 0)[0] + 1), len(log.time)]
    return [rows_of(log, slice(first, last)) for first, last in pairwise(ends)]


def _part(share: float, count: int) -> str:
    end = f"last {100 * share:.0f} %"
    return end if count == 1 else f"{end} of each of {count} logs"


def _in_words(part: str, source: str) -> str:
    name = source.rstrip("/").rpartition("/")[2]
    return part if "logs" in part else f"{part} of {name}" if part else name


def rows_of(log: GuardedLog, chosen: slice) -> GuardedLog:
    """Some samples of a guarded log, without additional sensors."""
    return replace(
        log,
        time=log.time[chosen],
        length=log.length[chosen],
        force=log.force[chosen],
        segment=log.segment[chosen],
        filled=log.filled[chosen],
        imu=None,
        sensor=None,
    )


def _percent(measured: FloatArray, predicted: FloatArray, axis: int | None = None) -> FloatArray:
    error = np.sqrt(np.mean((measured - predicted) ** 2, axis=axis))
    return 100.0 * error / np.maximum(np.sqrt(np.mean(measured**2, axis=axis)), 1e-300)
