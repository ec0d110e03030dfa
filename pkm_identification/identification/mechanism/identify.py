# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Logs of a mechanism's drives identified on the one road, and put into a mechanism's result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from pkm_identification.errors import LogError
from pkm_identification.estimation.disagreement import disagreement
from pkm_identification.estimation.equations import Equations
from pkm_identification.estimation.lack_of_fit.doubt import doubted
from pkm_identification.estimation.problem import Problem
from pkm_identification.machines.multibody import Multibody
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.prior import Prior
from pkm_identification.records.drive_log import DriveLog

from ..diagnosis.diagnose import diagnose_subject
from ..diagnosis.subject import RoadSubject
from ..experiment import Experiment
from ..identify import fill_result, identify
from ..identify import validate as predict
from ..model_errors.estimated.corrected_road import Besides, pad_set, relate_effects, settle_errors
from ..regression.equations import LogEquations, learn_noise, reduce_equations
from ..regression.road import Road, join_equations
from ..regression.scales import with_data_scales
from ..result import Identification, refuse_unidentifiable
from ..settings import Settings
from ..solve import Solution
from ..validation import FEWEST_EQUATIONS, Validation, end_part, predict_equations


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
    machine, settings = Multibody(mechanism), settings or Settings()
    besides = Besides.of(machine, also)
    settings.estimator.assumptions.apply(besides.padded)  # a wrong name is found before equations are made
    if not also:
        result = identify(logs, machine, settings)
        return result if validate is None else predict(result, validate)
    experiment = Experiment.of(logs, machine, settings)
    solution, judged, change = _solve_with_errors(experiment, besides)
    problem, values, estimate = solution.problem, solution.fit.mean, solution.estimate
    if validate is None:
        validation = _predict_ends(problem, experiment)
    else:
        other = Experiment.of([validate], machine, settings).validated[0]
        held = change(judged.road.equations(other).equations)
        validation = predict_equations(held, problem.parameters, values, validate.source)
    diagnosis = diagnose_subject(judged, problem, estimate)
    if diagnosis is not None and not diagnosis.adequate:
        estimate = doubted(solution.estimate_of_misfit(), diagnosis.moved, unexplained=True)
    result = fill_result(solution, machine, ())
    return replace(result, validation=validation, fit=diagnosis, estimate=estimate, also=tuple(also))


def _solve_with_errors(
    experiment: Experiment, besides: Besides
) -> tuple[Solution, RoadSubject, Callable[[Equations], Equations]]:
    """Return a solution with errors of model and logs estimated besides, and the logs that are judged by it."""
    settings, logs = experiment.settings, experiment.validated
    everything, assumptions, band = besides.padded, settings.estimator.assumptions, settings.band
    road = Road(besides.machine, besides.parameters, band)
    made = [road.equations(log) for log in logs]
    whole = join_equations(made)
    unknown = len(assumptions.apply(everything))
    if len(whole) < FEWEST_EQUATIONS * unknown:
        raise LogError(
            f"{logs[0].source}: the log is too short: {len(whole)} equations for {unknown} parameters"
        )
    extended = pad_set(with_data_scales(besides.parameters, whole))

    def build(made: Sequence[LogEquations], values: FloatArray) -> tuple[Problem, FloatArray, FloatArray]:
        parameters = assumptions.apply(extended)
        joined = join_equations(made, lambda equations: reduce_equations(equations, everything, parameters))
        prior, used = Prior.of(parameters), np.concatenate([one.used for one in made])
        problem = Problem(
            parameters=parameters,
            prior=prior,
            equations=joined,
            typical_force=float(np.mean(experiment.machine.force_size)),
            noise=learn_noise(joined, used, prior, band.redundancy),
            redundancy=band.redundancy,
            relations=relate_effects(besides.effects, everything, parameters, values),
            physical=experiment.machine.build_physical(parameters) if settings.estimator.consistent else None,
            log=np.repeat(np.arange(len(made)), [len(one) for one in made]),
            samples=sum(len(one.samples) for one in made),
            failed=sum(one.samples.failed for one in made),
            resting=sum(one.standing for one in made),
            used=None if used.all() else used,
        )
        constant = extended.mapping.T @ (parameters.known - extended.known)
        return problem, extended.mapping.T @ parameters.mapping, constant

    robust = settings.estimator.name == "robust"
    settled = settle_errors(road, logs, made, besides.effects, build, robust)
    problem = build(settled.made, settled.values)[0]
    fit = experiment.estimator.fit(problem, experiment.tuning)
    middle = experiment.estimator.batch_mean(problem, fit)
    estimate = fit.estimate(problem)
    refuse_unidentifiable(estimate, experiment.sources[0])
    reason = settled.unsettled or fit.nonconvergence
    if settings.estimator.forgetting == 1.0:
        reason = reason or disagreement(estimate, middle)
    nothing = np.zeros((len(middle), len(middle)))
    solution = Solution(experiment, problem, fit, middle, nothing, (), estimate, None, reason)

    def change(equations: Equations) -> Equations:
        return reduce_equations(equations, everything, problem.parameters)

    subject = RoadSubject(
        settled.road, logs, tuple(settled.made), lambda made: build(made, settled.values)[0], change, middle
    )
    return solution, subject, change


def _predict_ends(problem: Problem, experiment: Experiment) -> Validation | None:
    """Return the end of each log by an estimate from the rest, at the equations."""
    share, log = experiment.settings.hold_out, problem.log
    count = np.bincount(log)
    place = np.arange(len(log)) - (np.cumsum(count) - count)[log]
    held = place >= np.round((1.0 - share) * count)[log]
    rest = problem.part(~held)
    if len(rest.equations) < FEWEST_EQUATIONS * len(problem.parameters) or not held.any():
        return None
    values = experiment.estimator.fit(rest, experiment.tuning).mean
    part, source = end_part(share, len(count)), experiment.sources[0]
    return predict_equations(problem.equations[held], problem.parameters, values, source, part)
