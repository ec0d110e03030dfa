"""Held-out validation: the forces of a log that was not used, predicted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .dynamics.regressor import regressor
from .errors import LogError
from .estimation.parameter_set import ParameterSet
from .experiment import IdentifySettings, platform_samples, prepare, stages_of
from .machine import Machine
from .motion import FloatArray, StrutLog
from .signals.butterworth import segment_slices, zero_phase


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
    """

    time: FloatArray
    measured: FloatArray
    predicted: FloatArray
    rms_percent: FloatArray
    rms_percent_total: float
    rms_percent_raw: FloatArray
    rms_percent_raw_total: float
    source: str


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
    parameters = ParameterSet.of(machine, settings.parameters)
    guarded = prepared.logs[0]
    motion, struts, _ = platform_samples(guarded, machine, settings, stages, causal=False)
    if len(motion) == 0:
        raise LogError(f"{log.source}: too short to validate with: nothing is left after filtering")
    mapping = np.column_stack([parameters.mapping, parameters.known])
    weights = np.append(values, 1.0)
    band = stages.estimator.band
    predicted = regressor(machine, motion, mapping) @ weights
    # the unfiltered force at the same instants
    raw = guarded.force[np.searchsorted(guarded.time, motion.time)]
    times, smooth_measured, smooth_predicted = [], [], []
    edge = band.settling // 2
    for part in segment_slices(struts.segment):
        if part.stop - part.start <= 2 * edge + 1:
            continue
        inner = slice(edge, part.stop - part.start - edge)
        smooth_measured.append(zero_phase(band.sections, struts.force[part])[inner])
        smooth_predicted.append(zero_phase(band.sections, predicted[part])[inner])
        times.append(motion.time[part][inner])
    if not times:
        raise LogError(f"{log.source}: too short to validate with: no segment outlasts the band filter")
    measured, modelled = np.concatenate(smooth_measured), np.concatenate(smooth_predicted)
    return Validation(
        time=np.concatenate(times),
        measured=measured,
        predicted=modelled,
        rms_percent=_percent(measured, modelled, axis=0),
        rms_percent_total=float(_percent(measured, modelled)),
        rms_percent_raw=_percent(raw, predicted, axis=0),
        rms_percent_raw_total=float(_percent(raw, predicted)),
        source=log.source,
    )


def _percent(measured: FloatArray, predicted: FloatArray, axis: int | None = None) -> FloatArray:
    error = np.sqrt(np.mean((measured - predicted) ** 2, axis=axis))
    return 100.0 * error / np.maximum(np.sqrt(np.mean(measured**2, axis=axis)), 1e-300)
