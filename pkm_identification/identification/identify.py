# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Offline identification: logs in, a validated dynamic model out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from pkm_identification.errors import LogError, SettingsError
from pkm_identification.machines.contract import Machine
from pkm_identification.machines.load import AnyMachine, as_machine
from pkm_identification.motion import DriveLog
from pkm_identification.numerics.memory import whole_beyond_memory

from .augmented_state import FORMS
from .diagnosis.units import in_machine_units
from .experiment import Experiment
from .physical_verdict import find_contradiction
from .result import Identification
from .settings import FULL, EstimatorSettings, Settings
from .solve import PARTS, Solution, announce_part, residual_rms, solve
from .validation import held_out


def identify(
    logs: Sequence[DriveLog],
    machine: AnyMachine,
    settings: Settings | None = None,
    falls: Sequence[DriveLog] = (),
) -> Identification:
    """Identify a machine from its logs; whatever estimates it, the full model judges it.

    Parameters
    ----------
    logs : sequence of DriveLog
        Pieces of one experiment or several motions; nothing is differentiated or filtered across them.
    machine : Machine
        Of the contract, or a description: geometry, nominal values and drives.
    settings : Settings, optional
    falls : sequence of DriveLog
        Falls from rest with the drives off and no friction, of which only the lengths are used
        (`procedures.free_fall`).

    Returns
    -------
    Identification

    Raises
    ------
    PkmError
        If what is fixed, tied or known beforehand does not fit the parameter set.
    LogError
        If the logs hold no forces, run at a wrong rate, or are too short for the filters.
    Unidentifiable
        If the data show no parameter and no combination of them, so that nothing but the prior is left.
    """
    machine, settings = as_machine(machine), settings or Settings()
    _refuse_beyond_memory(logs, settings)
    _refuse_useless_falls(settings, falls)
    if settings.estimator.name in FORMS:
        return _identify_states(logs, machine, settings)
    solution = solve(_validate_logs(logs, machine, settings), falls)
    announce_part(5)
    result = _fill_result(solution, machine, falls)
    if settings.estimator.model != "force":
        result = _assess(result, lambda: _solve_force_equations(logs, machine, settings))
    else:
        result = _assess(result, lambda: solution)
    if settings.estimator.consistent:
        # kept within what is possible: whether the data lead there is asked of the estimate without that
        free = replace(result.estimate, values=solution.middle[: solution.problem.reported])
        contradiction = find_contradiction(machine, result.parameters, free)
        if contradiction:
            result = replace(result, contradiction=contradiction, estimate=result.estimate.mark_doubtful())
    announce_part(PARTS)
    return result


def _validate_logs(
    logs: Sequence[DriveLog],
    machine: Machine,
    settings: Settings,
) -> Experiment:
    """Return the experiment of logs; a LogError says which unit they may be in."""
    try:
        return Experiment.of(logs, machine, settings)
    except LogError as error:
        if any(log.coordinate.shape[1] != len(machine.drives) for log in logs):
            raise
        units = "; ".join(cause.detail for cause in in_machine_units(logs, machine).causes)
        raise LogError(f"{error}; {units}" if units else str(error)) from None


def _identify_states(
    logs: Sequence[DriveLog],
    machine: Machine,
    settings: Settings,
) -> Identification:
    """Return what the joint estimation of states and parameters finds, judged by the force equations."""
    # here, because its kernels take longer to load than the others run
    from .augmented_state.identify import identify_states_and_parameters

    result = identify_states_and_parameters(logs, machine, settings)
    return _assess(result, lambda: _solve_force_equations(logs, machine, settings))


def _solve_force_equations(logs: Sequence[DriveLog], machine: Machine, settings: Settings) -> Solution:
    """Return the zero-phase force equations of logs with their least-squares fit, of an estimator that has others."""
    estimator = EstimatorSettings(
        name="ls", parameters=settings.estimator.parameters, assumptions=settings.estimator.assumptions,
        also=settings.estimator.also,
    )  # fmt: skip
    plain = replace(settings, estimator=estimator, causal=False, hold_out=0.0)
    return solve(_validate_logs(logs, machine, plain))


def _assess(result: Identification, find_solution: Callable[[], Solution]) -> Identification:
    """Return an identification with the full model's verdict; without one, and in doubt, where logs are too short."""
    # a room of its own that what is live does without
    from .full_model.assessment import with_answer

    try:
        return with_answer(result, find_solution())
    except LogError as error:
        if result.settings.estimator.name == FULL:
            raise
        return replace(
            result, estimate=result.estimate.mark_doubtful(), notes=(*result.notes, f"Not assessed: {error}.")
        )


def _fill_result(solution: Solution, machine: Machine, falls: Sequence[DriveLog]) -> Identification:
    """Return a solution as a result, not judged yet."""
    experiment, problem, fit = solution.experiment, solution.problem, solution.fit
    return Identification(
        machine=machine,
        settings=experiment.settings,
        parameters=problem.parameters.without_nuisance(),
        estimate=solution.estimate,
        samples=problem.samples,
        dropped=_count_dropped(solution),
        trace=fit.trace,
        residual_rms=residual_rms(problem, fit.mean),
        converged=fit.converged and not solution.nonconvergence,
        warnings=experiment.warnings,
        validation=solution.validation,
        delay=experiment.delay,
        notes=_list_assumptions(solution, falls),
        nonconvergence=solution.nonconvergence,
        also=experiment.settings.estimator.also,
    )


def validate(result: Identification, log: DriveLog) -> Identification:
    """Return the identification with a prediction of a log that was not used; raises as `held_out`."""
    validation = held_out(result.machine, result.settings, result.estimate.values, log)
    if result.found is not None and result.is_full:
        from .full_model.prediction import predict_with_effects

        settings = replace(result.settings, causal=False)
        validation = predict_with_effects(
            result.found, Experiment.of([log], result.machine, settings), validation
        )
    return replace(result, validation=validation)


def _count_dropped(solution: Solution) -> dict[str, int]:
    """Return samples and equations left out, by reason."""
    problem = solution.problem
    standing = 0 if problem.used is None else int(np.count_nonzero(~problem.used))
    left_out = {"no_pose": problem.failed, "wrong_rate": problem.wrong_rate, "resting": problem.resting}
    counts = solution.experiment.dropped | left_out | {"standing": standing} | solution.fit.dropped
    return {name: number for name, number in counts.items() if number}


def _list_assumptions(solution: Solution, falls: Sequence[DriveLog]) -> tuple[str, ...]:
    """Return what else the estimate rests on, in words."""
    sentences = [f"free fall with the drives off: the lengths of {log.source}" for log in falls]
    if solution.problem.assumed is not None:
        spread = 100 * solution.experiment.settings.estimator.strut_spread
        sentences.append(f"struts are taken as equal within {spread:g} % (standard deviation)")
    return tuple(sentences)


def _refuse_useless_falls(settings: Settings, falls: Sequence[DriveLog]) -> None:
    if not falls:
        return
    if settings.estimator.name == FULL:
        raise SettingsError(f"a free fall is no use to the estimator '{FULL}'; the others take it")
    if settings.estimator.name in FORMS:
        raise SettingsError(
            f"a free fall is no use to the estimator '{settings.estimator.name}'; the others take it"
        )
    if settings.estimator.also:
        raise SettingsError("a free fall cannot be combined with --also")


def _refuse_beyond_memory(logs: Sequence[DriveLog], settings: Settings) -> None:
    """Refuse logs of hours where all samples are worked on at once; the others are taken in segments."""
    estimator = settings.estimator
    of_all = {
        f"--also {','.join(estimator.also)}": bool(estimator.also),
        f"--estimator {estimator.name}": estimator.name in FORMS,
    }
    # these take one log after the other
    of_each = {
        "--causal": settings.causal,
        f"--estimator {estimator.name}": estimator.name not in FORMS and estimator.registered.instruments,
    }
    for asked, measure in ((of_all, sum), (of_each, max)):
        option = next((name for name, given in asked.items() if given), "")
        problem = whole_beyond_memory(measure(map(len, logs))) if option else ""
        if problem:
            raise LogError(f"{max(logs, key=len).source}: {option}: {problem}")
