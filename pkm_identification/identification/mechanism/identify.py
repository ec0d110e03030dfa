# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Identify a mechanism that is no hexapod: base parameters and friction of its drives, from logs of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pkm_identification.errors import LogError, SettingsError
from pkm_identification.estimation.batch.block_jackknife import with_block_jackknife
from pkm_identification.estimation.disagreement import disagreement
from pkm_identification.estimation.equations import Equations
from pkm_identification.estimation.estimators import ESTIMATORS, Tuning
from pkm_identification.estimation.lack_of_fit.doubt import doubted
from pkm_identification.estimation.problem import Problem
from pkm_identification.machines.multibody import Multibody
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter import Kind
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.prior import Prior
from pkm_identification.records.drive_log import DriveLog
from pkm_identification.signals.band import BandSettings
from pkm_identification.signals.guard.unusable import refuse_unsigned_forces

from ..diagnosis.diagnose import diagnose_subject
from ..diagnosis.subject import RoadSubject
from ..model_errors.estimated.corrected_road import Besides, pad_set, relate_effects, settle_errors
from ..regression.equations import LogEquations, learn_noise, reduce_equations
from ..regression.road import Road, join_equations, residual_rms
from ..regression.validation import ValidatedLog, validate_log, validate_logs
from ..result import Identification, refuse_unidentifiable
from ..settings import Settings
from ..validation import FEWEST_EQUATIONS, Validation, end_part, predict_equations
from .sizes import with_friction_sizes

WIDE = 10.0  # times what would make all of the force by itself: what a parameter may be off before the data


def identify_mechanism(
    mechanism: Mechanism,
    logs: Sequence[DriveLog],
    settings: Settings | None = None,
    validate: DriveLog | None = None,
    also: Sequence[str] = (),
) -> Identification:
    """Estimate base parameters and friction of the drives.

    Parameters
    ----------
    mechanism : Mechanism
        In float64; its actuators, if any, say what lies between the logs and the mechanism.
    logs : sequence of DriveLog
        Pieces of one experiment or several motions, of one sample rate; nothing is filtered across them.
    settings : Settings, optional
        Of estimator, assumptions, band and what is held out; the rest is for hexapods.
    validate : DriveLog, optional
        Whose forces are predicted; else the end of each log is, by an estimate from the rest.
    also : sequence of str
        What is estimated besides (`model_errors.estimated.registry.FORMS`); forces are predicted as without it.

    Raises
    ------
    LogError
        If a log is too short or another machine's, a drive's force is 0 throughout, or sample rates differ.
    SettingsError
        If the base parameters are in doubt, drives report no force, or the estimator needs more than equations.
    Unidentifiable
        If the logs show no parameter and no combination of them.
    MotionRefused
        If more than a fiftieth of the samples are out of the mechanism's reach.
    """
    settings = settings or Settings()
    _refuse(settings)
    machine = Multibody(mechanism)
    besides = Besides.of(machine, also)
    everything = besides.padded
    assumptions = settings.estimator.assumptions
    unknown = len(assumptions.apply(everything))  # a wrong name is found before equations are made
    validated = validate_logs(logs if validate is None else [*logs, validate], machine)
    for log in validated:
        refuse_unsigned_forces(log.force, log.source, "N or N m")
    band = replace(settings.band, period=validated[0].period)
    road = Road(besides.machine, besides.parameters, band)
    made = [road.equations(log) for log in validated[: len(logs)]]
    whole = join_equations(made)
    standing = sum(one.standing for one in made)
    if len(whole) < FEWEST_EQUATIONS * unknown:
        raise LogError(
            f"{logs[0].source}: the log is too short: {len(whole)} equations for {unknown} parameters"
            + (f", {standing} more are of drives that stand still" if standing else "")
        )
    extended = pad_set(_scaled(besides.parameters, whole))
    samples = sum(len(log) for log in logs)

    def build(made: Sequence[LogEquations], values: FloatArray) -> tuple[Problem, FloatArray, FloatArray]:
        parameters = assumptions.apply(extended)
        joined = join_equations(made, lambda equations: reduce_equations(equations, everything, parameters))
        relations = relate_effects(besides.effects, everything, parameters, values)
        constant = extended.mapping.T @ (parameters.known - extended.known)
        problem = _problem(parameters, made, joined, band, samples)
        if settings.estimator.consistent:
            problem = replace(problem, physical=machine.build_physical(parameters))
        return replace(problem, relations=relations), extended.mapping.T @ parameters.mapping, constant

    settled = settle_errors(
        road, validated[: len(logs)], made, besides.effects, build, settings.estimator.name == "robust"
    )
    road, made = settled.road, settled.made
    problem = build(made, settled.values)[0]
    parameters = problem.parameters

    def reduced(equations: Equations) -> Equations:
        return reduce_equations(equations, everything, parameters)

    used = np.concatenate([one.used for one in made])
    estimator, tuning = ESTIMATORS[settings.estimator.name], _tuning(settings)
    fit = estimator.fit(problem, tuning)
    estimate = fit.estimate(problem)
    refuse_unidentifiable(estimate, logs[0].source)
    forgets = settings.estimator.forgetting != 1.0
    reason = (
        settled.unsettled
        or fit.nonconvergence
        or ("" if forgets else disagreement(estimate, estimator.batch_mean(problem)))
    )
    residual = residual_rms(problem.equations.left(fit.mean), used)
    judged = RoadSubject(
        road, tuple(validated[: len(logs)]), tuple(made), lambda made: build(made, settled.values)[0], reduced
    )
    diagnosis = diagnose_subject(judged, problem, estimate)
    if diagnosis is not None and not diagnosis.adequate:
        if not forgets and settings.estimator.name != "robust":  # whose equations count alike
            fit = with_block_jackknife(problem, fit)
        estimate = doubted(fit.estimate(problem), diagnosis.moved, unexplained=True)
    if validate is None:
        validation = _of_ends(problem, settings, logs, lambda part: estimator.fit(part, tuning).mean)
    else:
        other = reduced(road.equations(validated[-1]).equations)
        validation = predict_equations(other, parameters, fit.mean, validate.source)
    return Identification(
        machine=machine,
        settings=replace(settings, band=band),
        parameters=parameters,
        estimate=estimate,
        samples=samples,
        dropped=_dropped(validated[: len(logs)], problem, used),
        residual_rms=residual,
        converged=not reason,
        warnings=tuple(warning for log in logs for warning in log.warnings),
        validation=validation,
        nonconvergence=reason,
        trace=fit.trace,
        fit=diagnosis,
        also=tuple(also),
    )


def predict_log(result: Identification, log: DriveLog) -> Validation:
    """Return the forces of a log that was not used as an identification predicts them.

    Raises
    ------
    LogError
        If it is too short, or another machine's.
    SettingsError
        If effects were estimated besides, which are not undone here.
    """
    if result.also:
        raise SettingsError(f"predict: '{result.also[0]}' was estimated besides; name the log in validate")
    validated = validate_log(log, result.machine, result.settings.band.period)
    made = Road(result.machine, result.parameters, result.settings.band).equations(validated)
    return predict_equations(made.equations, result.parameters, result.estimate.values, log.source)


def _refuse(settings: Settings) -> None:
    name = settings.estimator.name
    taken = [one for one, estimator in ESTIMATORS.items() if not estimator.twins]
    if name not in taken:
        raise SettingsError(f"estimator '{name}': of a mechanism one of {', '.join(taken)}")


def _scaled(everything: ParameterSet, equations: Equations) -> ParameterSet:
    """With a prior that pulls nothing: what each parameter would be to make all of the force by itself, and more."""
    width = np.sqrt(np.mean(equations.regressor**2, axis=(0, 1)))
    size = float(np.sqrt(np.mean(equations.force**2)))
    entries = tuple(
        entry if entry.kind is Kind.EFFECT else replace(entry, scale=WIDE * size / max(one, 1e-12))
        for entry, one in zip(everything.entries, width, strict=True)
    )
    return with_friction_sizes(replace(everything, entries=entries), equations)


def _problem(
    parameters: ParameterSet,
    made: Sequence[LogEquations],
    joined: Equations,
    band: BandSettings,
    samples: int,
) -> Problem:
    prior, used = Prior.of(parameters), np.concatenate([one.used for one in made])
    return Problem(
        parameters=parameters,
        prior=prior,
        equations=joined,
        typical_force=float(np.sqrt(np.mean(joined.force**2))),
        noise=learn_noise(joined, used, prior, band.redundancy),
        redundancy=band.redundancy,
        log=np.repeat(np.arange(len(made)), [len(one) for one in made]),
        samples=samples,
        failed=sum(one.samples.failed for one in made),
        resting=sum(one.standing for one in made),
    )


def _dropped(logs: Sequence[ValidatedLog], problem: Problem, used: NDArray[np.bool_]) -> dict[str, int]:
    """What was left out of the logs, by reason."""
    counts: Counter[str] = Counter()
    for log in logs:
        counts.update(log.dropped)
        counts["resampled"] += len(log) if log.resampled else 0
    counts.update(no_pose=problem.failed, resting=problem.resting, standing=int(np.count_nonzero(~used)))
    return {name: number for name, number in counts.items() if number}


def _tuning(settings: Settings) -> Tuning:
    estimator = settings.estimator
    return Tuning(estimator.unscented, order=estimator.data_order, passes=estimator.passes)


def _of_ends(
    problem: Problem, settings: Settings, logs: Sequence[DriveLog], mean: Callable[[Problem], FloatArray]
) -> Validation | None:
    """The end of each log by an estimate from the rest."""
    share, log = settings.hold_out, problem.log
    parts = [problem.equations[log == number] for number in range(int(log[-1]) + 1)]
    begins = [round((1.0 - share) * len(part)) for part in parts]
    rest = Equations.joined([part[:begin] for part, begin in zip(parts, begins, strict=True)])
    end = Equations.joined([part[begin:] for part, begin in zip(parts, begins, strict=True)])
    if len(rest) < FEWEST_EQUATIONS * len(problem.parameters) or not len(end):
        return None
    values = mean(replace(problem, equations=rest, log=np.repeat(np.arange(len(parts)), begins)))
    return predict_equations(end, problem.parameters, values, logs[0].source, end_part(share, len(parts)))
