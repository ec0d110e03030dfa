# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Coordinates behind drives that yield, from where the motors were and what the model says of the machine.

Where only motors have encoders, coordinates are theirs less how far belts or shafts are deflected. Taken from measured
forces alone (`signals.forces.drive_transfer`), that carries the forces' noise into the rates, and its smoothing rounds
what happens where drives turn back: there friction hangs on millimetres a second. A first estimate tells it far better:
the machine, integrated behind its springs, with motors that move as their encoders showed (`springs`). It is asked for
twice, and believed if the equations then fit better: of a machine that the model does not know, measured forces tell
more.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pkm_identification.estimation.estimators import ESTIMATORS, Tuning
from pkm_identification.estimation.problem import Problem
from pkm_identification.machines.contract import Machine
from pkm_identification.mechanisms.actuators.transfer import Transfer
from pkm_identification.numerics.arrays import FloatArray, contiguous
from pkm_identification.numerics.rows import segment_slices
from pkm_identification.signals.forces.acting import apply_known_deflections
from pkm_identification.signals.input_validation import ValidatedLog

from ..experiment import Experiment
from ..long_logs.segments import compute_samples_by_segment
from ..model_errors.geometry import sizes_of
from ..samples import Samples
from .elastic_drive_stream import has_elastic_drive_model
from .springs import STEPS, Springs, follow_motors

PASSES = 2
FARTHEST = 0.2  # of what drives are wound up by measured forces, rms: a model that says otherwise is none


def apply_elastic_drive_model(experiment: Experiment, problem: Problem) -> tuple[Experiment, Problem]:
    """Return the experiment with its logs behind drives that yield as the model has them, and its problem.

    Themselves where no encoder sits in front of what is elastic, online, where joints rub or effects are estimated
    as well, and where the equations would not fit better.
    """
    transfers = experiment.settings.validation.transfers
    if transfers is None or not experiment.at_motors or not _list_asked(experiment, problem):
        return experiment, problem
    fit, left = _fit_values(problem)
    for _ in range(PASSES):
        basis = problem.parameters.known + problem.parameters.mapping @ fit
        logs = []
        for measured, log in zip(experiment.at_motors, experiment.logs, strict=True):
            deflection = compute_deflections(experiment, measured, log, basis, transfers)
            logs.append(
                None
                if deflection is None
                else apply_known_deflections(measured, experiment.settings.validation, deflection)
            )
        if any(log is None or len(log.time) == 0 for log in logs):
            break
        changed = replace(
            experiment, logs=tuple(log for log in logs if log is not None), elastic_drives_modelled=True
        )
        other = changed.problem()
        if len(other.equations) < len(problem.parameters):
            break
        again, rest = _fit_values(other)
        if not rest < left:
            break
        experiment, problem, fit, left = changed, other, again, rest
    return experiment, problem


def _list_asked(experiment: Experiment, problem: Problem) -> bool:
    if experiment.settings.causal or experiment.point is not None:
        return False
    modelled = has_elastic_drive_model(experiment.machine, experiment.settings.validation)
    return modelled and len(problem.equations) > len(problem.parameters)


def _fit_values(problem: Problem) -> tuple[FloatArray, float]:
    """Return values (P,) by least squares, and what they leave, N rms."""
    values = ESTIMATORS["ls"].fit(replace(problem, physical=None), Tuning()).mean
    left = problem.equations.measured - problem.equations.regressor @ values
    return values, float(np.sqrt(np.mean(left**2)))


def compute_deflections(
    experiment: Experiment,
    measured: ValidatedLog,
    log: ValidatedLog,
    basis: FloatArray,
    transfers: tuple[Transfer, ...],
) -> FloatArray | None:
    """Return how far drives were deflected, (N, n) in m or rad, at rows of a log at the motors; NaN without motion.

    Parameters
    ----------
    experiment : Experiment
    measured : ValidatedLog
        At the motors.
    log : ValidatedLog
        The same behind them, as far as that is known.
    basis : ndarray, shape (B,)
        Dynamic parameters in the basis.
    transfers : tuple of Transfer

    Returns
    -------
    ndarray, or None
        None if the model's course has nothing to do with the log's.
    """
    machine, settings = experiment.machine, experiment.settings
    springs = Springs.of(machine, basis, transfers)
    motors = np.diag([one.motor_mass for one in transfers])
    deflection = np.full(measured.coordinate.shape, np.nan)
    off = size = 0.0
    scale = sizes_of(machine)
    for samples in compute_samples_by_segment(log, machine, settings.filter, settings.band):
        for part in segment_slices(samples.segment):
            rows, own, position = _find_motor_rows(machine, samples, part, measured, basis, motors, springs)
            if position is None:
                continue
            smooth = samples.motion.coordinate[part][own]
            shown = measured.coordinate[rows][own]
            off += float(np.sum(((position[own] - smooth) / scale) ** 2))
            size += float(np.sum(((shown - smooth) / scale) ** 2))
            deflection[rows.start : rows.stop][own] = shown - position[own]
    return deflection if off <= FARTHEST**2 * size else None  # false of NaN, too


def _find_motor_rows(
    machine: Machine,
    samples: Samples,
    part: slice,
    measured: ValidatedLog,
    basis: FloatArray,
    motors: FloatArray,
    springs: Springs,
) -> tuple[slice, NDArray[np.bool_], FloatArray | None]:
    """Rows of the log at the motors that a run of samples stands for, which of them are its own, and places (K, n)."""
    motion, time = samples.motion[part], samples.time[part]
    first = int(np.searchsorted(measured.time, time[0] - 0.5 * measured.period))
    rows = slice(first, first + len(time))
    own = (time >= samples.begin) & (time < samples.end)
    shown = contiguous(measured.coordinate[rows])
    if len(shown) < len(time) or np.abs(measured.time[rows] - time).max() > 0.1 * measured.period:
        return rows, own, None  # the clock was set back
    mass, bias = machine.compute_mass_and_bias(motion, basis)
    if not np.isfinite(mass).all():
        return rows, own, None
    position, rate = np.empty(shown.shape), np.empty(shown.shape)
    position[0], rate[0] = motion.coordinate[0], motion.rate[0]
    follow_motors(mass - motors, bias, shown, measured.period, STEPS, springs, position, rate)
    return rows, own, position
