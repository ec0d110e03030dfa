# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Offline identification by an augmented-state filter: samples instead of equations, additional sensors if present."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pkm_identification.errors import LogError, NotConverged
from pkm_identification.estimation.convergence import nonconvergence
from pkm_identification.estimation.estimate import ParameterEstimate, make_estimate
from pkm_identification.estimation.trace import EstimateTrace
from pkm_identification.machines.capabilities import MotionSensors, has
from pkm_identification.machines.contract import Machine
from pkm_identification.motion import DriveLog
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.prior import Prior
from pkm_identification.signals.forces.acting import acting_within_periods

from ..experiment import Experiment
from ..regression.validation import validate_logs
from ..result import Identification, refuse_unidentifiable
from ..settings import Settings
from ..validation import predict_held
from .iterated import DualEstimate, Rounds, dual_estimate, iterate
from .log_pass import STRIDE
from .samples import JointSamples

FEWEST_SECONDS = 1.0


def identify_states_and_parameters(
    logs: Sequence[DriveLog],
    machine: Machine,
    settings: Settings,
) -> Identification:
    """Identify a machine from its logs by the estimator 'joint' or 'dual'; parameters and errors as of `identify`.

    The prior is that of every other estimator. An estimate without the end of every log predicts that end, which
    comes first: the estimate from all of it begins where that ended, which takes a round or two.

    Raises
    ------
    NotConverged
        If a pose cannot be found, or the parameters leave what a machine can have.
    """
    experiment = Experiment.of(logs, machine, settings)
    form, period = settings.estimator.name, experiment.period
    reported, validation = validate_logs(logs, machine, settings).logs, experiment.settings.validation
    parts = [
        JointSamples.of(log, machine, acting_within_periods(one, log, validation))
        for one, log in zip(reported, experiment.logs, strict=True)
    ]
    if form == "dual":
        parts = [part.without_readings() for part in parts]
    samples = JointSamples.concatenate(parts)
    if len(samples) * period < FEWEST_SECONDS:
        raise LogError(
            f"{logs[0].source}: {len(samples) * period:.2f} s are too short for the estimator '{form}'; "
            f"at least {FEWEST_SECONDS:g} s are needed"
        )
    parameters = settings.parameter_set(machine)
    rest = estimate_from_the_rest(parts, experiment, parameters)
    result = dual_estimate(machine, parameters, samples, period, start=rest)
    estimate = _estimate(settings, samples, result)
    refuse_unidentifiable(estimate, logs[0].source)
    return _build_identification(experiment, samples, result, estimate, rest)


def _estimate(settings: Settings, samples: JointSamples, result: DualEstimate) -> ParameterEstimate:
    parameters = result.rounds.parameters
    return make_estimate(
        parameters,
        Prior.of(parameters),
        result.mean,
        result.covariance,
        nis=result.nis,
        nis_dof=samples.coordinate.shape[1],
        count=len(samples),
        time=float(samples.time[-1]),
        estimator=settings.estimator.name,
        model=settings.estimator.model,
    )


def _build_identification(
    experiment: Experiment,
    samples: JointSamples,
    result: DualEstimate,
    estimate: ParameterEstimate,
    rest: Rounds | None,
) -> Identification:
    rounds, seconds = result.rounds, STRIDE * experiment.period  # from one entry to the next
    last, parameters = rounds.result, rounds.parameters
    dropped = experiment.dropped | {
        "gated": int(np.count_nonzero(samples.measured & ~rounds.samples.measured))
    }
    trace = EstimateTrace(last.history_time, last.history_mean, last.history_std)
    reason = rounds.nonconvergence or nonconvergence(
        trace,
        estimate,
        result.judged,
        Prior.of(parameters).std,
        fewest=round(0.5 * FEWEST_SECONDS / seconds),
        entry=seconds,
    )
    return Identification(
        machine=experiment.machine,
        settings=experiment.settings,
        parameters=parameters,
        estimate=estimate,
        samples=len(samples),
        dropped={name: number for name, number in dropped.items() if number},
        trace=trace[1:],  # the first entry is the start
        residual_rms=np.sqrt(np.mean(rounds.states.force_noise**2, axis=0)),
        converged=not reason,
        warnings=(*experiment.warnings, *_warn_of_unused_sensors(experiment)),
        validation=None if rest is None else predict_held(experiment, rest.mean[: len(estimate.names)]),
        nonconvergence=reason,
    )


def estimate_from_the_rest(
    parts: list[JointSamples], experiment: Experiment, parameters: ParameterSet
) -> Rounds | None:
    """States and parameters without the end of each log, the experiment's as samples.

    None when nothing is held out or too little is left.
    """
    ends = experiment.held_from()
    if all(end == len(part) for part, end in zip(parts, ends, strict=True)):
        return None
    rest = JointSamples.concatenate([part.first(end) for part, end in zip(parts, ends, strict=True)])
    if len(rest) * experiment.period < FEWEST_SECONDS:
        return None
    try:
        return iterate(experiment.machine, parameters, rest, experiment.period)
    except NotConverged:
        return None  # too little for an estimate; what all of it says is another question


def _warn_of_unused_sensors(experiment: Experiment) -> list[str]:
    """Warnings of additional sensors that are logged and not used."""
    machine, form = experiment.machine, experiment.settings.estimator.name
    described = (
        np.isfinite(machine.reading_noise) if has(machine, MotionSensors) else np.zeros(12, dtype=bool)
    )
    unused = []
    for name, key, first in (("imu", "imu", 0), ("sensor", "force", 6)):
        if all(getattr(log, name) is None for log in experiment.logs):
            continue
        if not described[first]:
            unused.append(f"columns {name}_… are not used: machine '{machine.name}' has no sensors.{key}")
        elif form != "joint":
            unused.append(f"columns {name}_… are not used by the estimator '{form}'; 'joint' uses them")
    return unused
