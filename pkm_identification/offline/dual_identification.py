"""Offline identification by joint or dual estimation: samples instead of equations, additional sensors when present."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..errors import LogError, Unidentifiable
from ..estimation.dual.iterated import DualEstimate, dual_estimate
from ..estimation.dual.model import JointSamples
from ..estimation.estimate import make_estimate
from ..estimation.filters.recursive import History
from ..estimation.parameters.prior import Prior
from ..identifiability import UNIDENTIFIABLE
from ..machine import Machine
from ..motion import STRUTS, StrutLog
from .experiment import Experiment, IdentifySettings, prepare, stages_of
from .identification import Identification

FEWEST_SECONDS = 1.0


def identify_states_and_parameters(
    logs: list[StrutLog], machine: Machine, settings: IdentifySettings, faults: dict[str, int]
) -> Identification:
    """Identify a machine from its logs by the estimator 'joint' or 'dual'; parameters and errors as of `identify`.

    The prior is that of every other estimator. Forces of the end of the log are not predicted from the rest, which
    would take as long again.

    Raises
    ------
    NotConverged
        If a pose cannot be found, or the parameters leave what a machine can have.
    """
    prepared = prepare(logs, machine, faults)
    period = prepared.logs[0].period
    settings = replace(settings, cutoff=stages_of(machine, settings, period).filter.cutoff)
    samples = JointSamples.joined([JointSamples.of(log, machine) for log in prepared.logs])
    if len(samples) * period < FEWEST_SECONDS:
        raise LogError(
            f"{logs[0].source}: {len(samples) * period:.2f} s are too short for the estimator '{settings.estimator}'; "
            f"at least {FEWEST_SECONDS:g} s are needed"
        )
    parameters = settings.parameter_set(machine)
    found = dual_estimate(machine, parameters, samples, period, settings.estimator)
    estimate = make_estimate(
        parameters,
        Prior.of(parameters),
        found.mean,
        found.covariance,
        nis=found.nis,
        nis_dof=STRUTS,
        count=len(samples),
        time=float(samples.time[-1]),
        estimator=settings.estimator,
        model=settings.model,
    )
    if set(estimate.status) == {UNIDENTIFIABLE}:
        raise Unidentifiable(
            f"{logs[0].source}: the data show none of the parameters, not even combined "
            f"({', '.join(estimate.names)}): the machine must move, or more be estimated at once"
        )
    dropped = prepared.dropped | {"gated": found.gated}
    return Identification(
        machine=machine,
        settings=settings,
        estimate=estimate,
        samples=len(samples),
        dropped={name: number for name, number in dropped.items() if number},
        history=_history(found),
        residual_rms=np.sqrt(np.mean(found.states.force_noise**2, axis=0)),
        converged=found.converged,
        warnings=(*prepared.warnings, *_unused_sensors(prepared, machine, settings)),
    )


def _history(found: DualEstimate) -> History:
    """Estimates along the last pass of the joint form; nothing of the dual one."""
    last, history = found.filtered, History()
    if last is not None:
        for k in range(1, len(last.history_time)):
            history.time.append(float(last.history_time[k]))
            history.values.append(last.history_mean[k])
            history.std.append(last.history_std[k])
    return history


def _unused_sensors(prepared: Experiment, machine: Machine, settings: IdentifySettings) -> list[str]:
    """What is said of additional sensors that are logged and not used."""
    unused = []
    for name, key in (("imu", "imu"), ("sensor", "force")):
        if all(getattr(log, name) is None for log in prepared.logs):
            continue
        if getattr(machine.sensors, key) is None:
            unused.append(f"columns {name}_… are not used: machine '{machine.name}' has no sensors.{key}")
        elif settings.estimator != "joint":
            unused.append(
                f"columns {name}_… are not used by the estimator '{settings.estimator}'; 'joint' uses them"
            )
    return unused
