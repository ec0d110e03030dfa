"""Offline identification by joint or dual estimation: samples instead of equations, additional sensors when present."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pkm_identification.errors import LogError, NotConverged, Unidentifiable
from pkm_identification.estimation.convergence import Path, nonconvergence
from pkm_identification.estimation.estimate import make_estimate
from pkm_identification.estimation.filters.recursive import History
from pkm_identification.estimation.identifiability import UNIDENTIFIABLE
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUTS, StrutLog
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.prior import Prior

from ..experiment import (
    Experiment,
    IdentifySettings,
    prepare,
    stages_of,
)
from ..identify import Identification
from ..validation import held_from, predict_held
from .iterated import (
    DualEstimate,
    Rounds,
    dual_estimate,
    iterate,
)
from .model import JointSamples
from .results import JointSettings

FEWEST_SECONDS = 1.0


def identify_states_and_parameters(
    logs: list[StrutLog], machine: Machine, settings: IdentifySettings, faults: dict[str, int]
) -> Identification:
    """Identify a machine from its logs by the estimator 'joint' or 'dual'; parameters and errors as of `identify`.

    The prior is that of every other estimator. The end of every log is predicted by an estimate from the rest, which
    comes first: the estimate from all of it begins where that ended, which takes a round or two.

    Raises
    ------
    NotConverged
        If a pose cannot be found, or the parameters leave what a machine can have.
    """
    prepared = prepare(logs, machine, faults)
    period = prepared.logs[0].period
    stages = stages_of(machine, settings, period)
    settings = replace(settings, cutoff=stages.filter.cutoff)
    parts = [JointSamples.of(log, machine) for log in prepared.logs]
    samples = JointSamples.joined(parts)
    if len(samples) * period < FEWEST_SECONDS:
        raise LogError(
            f"{logs[0].source}: {len(samples) * period:.2f} s are too short for the estimator '{settings.estimator}'; "
            f"at least {FEWEST_SECONDS:g} s are needed"
        )
    parameters = settings.parameter_set(machine)
    prior = Prior.of(parameters)
    rest = _estimate_from_the_rest(parts, prepared, machine, parameters, settings, period)
    found = dual_estimate(machine, parameters, samples, period, settings.estimator, start=rest)
    estimate = make_estimate(
        parameters,
        prior,
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
    dropped = prepared.dropped | {"gated": found.last.gated}
    stride = JointSettings().stride
    path = Path(
        mean=found.last.history_mean,
        std=found.last.history_std,
        fewest=round(0.5 * FEWEST_SECONDS / (stride * period)),
        entry=stride * period,
    )
    said = found.nonconvergence or nonconvergence(path, estimate, found.judged, prior.std)
    return Identification(
        machine=machine,
        settings=settings,
        estimate=estimate,
        samples=len(samples),
        dropped={name: number for name, number in dropped.items() if number},
        history=_history(found),
        residual_rms=np.sqrt(np.mean(found.states.force_noise**2, axis=0)),
        converged=not said,
        warnings=(*prepared.warnings, *_unused_sensors(prepared, machine, settings)),
        validation=None
        if rest is None
        else predict_held(prepared, machine, settings, stages, rest.mean[: len(estimate.names)]),
        nonconvergence=said,
    )


def _estimate_from_the_rest(
    parts: list[JointSamples],
    prepared: Experiment,
    machine: Machine,
    parameters: ParameterSet,
    settings: IdentifySettings,
    period: float,
) -> Rounds | None:
    """States and parameters without the end of each log; None when nothing is held out or too little is left."""
    ends = held_from(prepared, settings.hold_out)
    if all(end == len(part) for part, end in zip(parts, ends, strict=True)):
        return None
    rest = JointSamples.joined([part.first(end) for part, end in zip(parts, ends, strict=True)])
    if len(rest) * period < FEWEST_SECONDS:
        return None
    if settings.estimator == "dual":
        rest = rest.lengths_only()
    try:
        return iterate(machine, parameters, rest, period, settings.estimator)
    except NotConverged:
        return None  # too little for an estimate; what all of it says is another question


def _history(found: DualEstimate) -> History:
    """Estimates along the last pass."""
    last, history = found.last, History()
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
