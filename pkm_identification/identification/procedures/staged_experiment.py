# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The staged procedure on logs: every log is a trajectory of its own, then the cross-check, then all logs together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from pkm_identification.errors import LogError, PkmError
from pkm_identification.estimation.equations import Equations
from pkm_identification.estimation.problem import Problem
from pkm_identification.machines.load import AnyMachine
from pkm_identification.motion import DriveLog
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet

from ..experiment import Experiment
from ..settings import Settings
from ..validation import FEWEST_EQUATIONS, Validation, predict_ends
from .cross_check import CrossCheck, cross_check
from .staged import (
    FRICTION,
    StagedResult,
    StageSettings,
    free_of,
    join_equations,
    joint,
    staged,
)


@dataclass(frozen=True)
class Trajectories:
    """Equations of every trajectory.

    Attributes
    ----------
    parameters : ParameterSet
    equations : dict of str to Equations
        By the trajectory's name.
    others : tuple of dict of str to Equations
        The same behind other kinematic low-passes, which should change nothing.
    redundancy : float
        Equations per independent one.
    dropped : dict of str to int
        Samples not used, by reason.
    warnings : tuple of str
    predict : callable, or None
        Prediction of the end of every log by what an estimator makes of the rest; None where there are no logs.
    """

    parameters: ParameterSet
    equations: dict[str, Equations]
    others: tuple[dict[str, Equations], ...]
    redundancy: float
    dropped: dict[str, int]
    warnings: tuple[str, ...]
    predict: Callable[[Callable[[Problem], FloatArray]], Validation | None] | None = None


@dataclass(frozen=True)
class StagedIdentification:
    """The procedure on all trajectories.

    Attributes
    ----------
    machine : Machine
    trajectories : Trajectories
    start : ndarray, shape (R,)
        First guess, without nuisance parameters.
    results : dict of str to StagedResult
    cross : CrossCheck
    joint : StagedResult
        One estimation from all trajectories.
    settings : StageSettings
        Of every stage.
    validation : Validation or None
        Of the end of every log by such an estimation from the rest (`with_prediction`).
    """

    machine: AnyMachine
    trajectories: Trajectories
    start: FloatArray
    results: dict[str, StagedResult]
    cross: CrossCheck
    joint: StagedResult
    settings: StageSettings
    validation: Validation | None = None


def trajectories_of(
    logs: Sequence[DriveLog],
    machine: AnyMachine,
    parameters: str = "oh24",
    cutoff: float | None = None,
) -> Trajectories:
    """Equations of each log.

    Parameters
    ----------
    logs : sequence of DriveLog
    machine : Machine
    parameters : str
        Name of the parameter set; one with friction.
    cutoff : float, optional
        Kinematic low-pass in Hz; the encoders decide if it is not given.

    Raises
    ------
    LogError
        If a log holds no forces, runs at a wrong rate, or is too short.
    PkmError
        If the set has no friction, or two logs have one name.
    """
    names = [trajectory_name(log.source) for log in logs]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise PkmError(f"two logs are called '{twice[0]}': give every trajectory (its file) a different name")
    settings = Settings.of(parameters=parameters, cutoff=cutoff or 0.0)
    experiment = Experiment.of(logs, machine, settings)
    problem = experiment.problem()
    if not np.any(free_of(problem.parameters, FRICTION)):
        raise PkmError(f"parameter set '{parameters}': has no friction, which is what stage A estimates")
    equations = _separate_logs(problem, names)
    _refuse_too_short(logs, equations)
    dropped = experiment.dropped | {"no_pose": problem.failed}
    return Trajectories(
        problem.parameters,
        equations,
        tuple(_separate_logs(experiment.problem(other), names) for other in experiment.other_cutoffs),
        problem.redundancy,
        {name: number for name, number in dropped.items() if number},
        experiment.warnings,
        partial(predict_ends, experiment, problem),
    )


def _refuse_too_short(logs: Sequence[DriveLog], equations: dict[str, Equations]) -> None:
    for log, part in zip(logs, equations.values(), strict=True):
        outputs, unknowns = part.regressor.shape[1:]
        # each equation is one for every drive
        if outputs * len(part) < FEWEST_EQUATIONS * unknowns:
            raise LogError(
                f"{log.source}: only {len(part)} equations remain after filtering for {unknowns} parameters; a "
                "longer uninterrupted log is needed"
            )


def _separate_logs(problem: Problem, names: list[str]) -> dict[str, Equations]:
    return {name: problem.equations[problem.log == k] for k, name in enumerate(names)}


def trajectory_name(source: str) -> str:
    """Return a log's name: that of its file without folder and ending, or what comes after a colon."""
    return Path(source.rpartition(": ")[2]).name.split(".")[0]


def identify_staged(
    machine: AnyMachine,
    trajectories: Trajectories,
    start: FloatArray | None = None,
    settings: StageSettings | None = None,
) -> StagedIdentification:
    """Stages 1-A to 3 on each trajectory, the cross-check, and all trajectories together.

    Parameters
    ----------
    machine : Machine
    trajectories : Trajectories
    start : ndarray, shape (R,), optional
        First guess in SI units, without nuisance parameters; the machine file's values if it is not given.
    settings : StageSettings, optional
        Of every stage; their redundancy is that of the trajectories.
    """
    parameters, equations = trajectories.parameters, trajectories.equations
    first = first_guess(parameters, start)
    settings = replace(settings or StageSettings(), redundancy=trajectories.redundancy)
    results = {
        name: staged(part, parameters, first, settings, tuple(others[name] for others in trajectories.others))
        for name, part in equations.items()
    }
    return StagedIdentification(
        machine=machine,
        trajectories=trajectories,
        start=first[: len(first) - parameters.nuisance],
        results=results,
        cross=cross_check(results, equations, parameters, settings),
        joint=joint(equations, parameters, first, settings, tuple(map(join_equations, trajectories.others))),
        settings=settings,
    )


def with_prediction(result: StagedIdentification) -> StagedIdentification:
    """Return the procedure with a prediction of the end of every log by one estimation from the rest of all."""
    trajectories = result.trajectories
    if trajectories.predict is None:
        return result
    first = first_guess(trajectories.parameters, result.start)

    def values(part: Problem) -> FloatArray:
        return joint({"rest": part.equations}, part.parameters, first, result.settings).estimate.values

    return replace(result, validation=trajectories.predict(values))


def first_guess(parameters: ParameterSet, start: FloatArray | None) -> FloatArray:
    """Return a start of all parameters, shape (P,): the given ones (R,), nuisance parameters as the set has them."""
    if start is None:
        return parameters.nominal
    return np.concatenate([start, parameters.nominal[len(start) :]])
