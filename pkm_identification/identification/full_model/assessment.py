# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""An identification judged by the full model: values with total deviations, one verdict, and causes where it asks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pkm_identification.document import format_percent
from pkm_identification.errors import LogError
from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.estimation.posterior.answer import Answer, FoundModel
from pkm_identification.estimation.posterior.status import CONTRADICTS as CONTRADICTS_FILE
from pkm_identification.estimation.posterior.status import FROM_FILE
from pkm_identification.estimation.posterior.thresholds import (
    FOUND,
    MAX_FLOOR_RATIO,
    MAX_RESIDUAL_SHARE,
    MOST_OF_MISFIT,
)
from pkm_identification.estimation.posterior.verdict import CONTRADICTS, DO_NOT_USE, FITS, Verdict
from pkm_identification.estimation.problem import Problem
from pkm_identification.numerics.arrays import FloatArray

from ..diagnosis.diagnose import find_causes
from ..diagnosis.findings import Cause, Diagnosis, Residuals, Unseen
from ..diagnosis.noise_floor import NoiseFloor, measure_noise_floor
from ..diagnosis.saturation import find_clipped_equations, find_clipped_forces
from ..diagnosis.unmeasured_forces import find_unmeasured_forces, refuse_unmeasured
from ..experiment import Experiment
from ..long_logs.excerpt import excerpt, format_excerpt_sentence
from ..result import Identification
from ..settings import FULL, EstimatorSettings
from ..solve import Solution, residual_rms
from .answer import answer
from .coloured_noise import measure_coloured_floor
from .posterior import Posterior, find_posterior, find_posterior_of
from .prediction import predict_end
from .stream_estimate import give_total_deviations
from .stream_floor import measure_stream_floor

ROUNDING = 1.0 / 3.0  # of the least floor: below, there is nothing to find
FIRST_WIDE = 4.0  # times their widths, of effects where something is wrong
WIDE = 2.0  # widths that an effect was given: it is four stated ones large
LEFT_OF_MISFIT = 0.1  # of a misfit's power: what leaves less explains it
LEAST_STD = 1e-9  # of its size: deviation of a value that nothing can change


def with_answer(result: Identification, solution: Solution) -> Identification:
    """Return an identification with values, total deviations and a verdict by the full model.

    Where the full model was asked for, its values are the estimate; those of another estimator are refused where they
    leave more of the same equations than it does.

    Parameters
    ----------
    result : Identification
        By any estimator.
    solution : Solution
        Of equations of the force model, of the same logs.

    Raises
    ------
    LogError
        If the logs are too short for deviations.
    """
    judged = experiment = excerpt(solution.experiment)
    sentences = format_excerpt_sentence(solution.experiment, judged)
    streamed = is_streamed(experiment)
    if streamed:  # judged as its stream is
        experiment = judged = experiment.as_streams()
    elif experiment.settings.causal:  # the full model's equations are zero-phase
        settings = replace(experiment.settings, causal=False)
        judged = experiment = replace(experiment, settings=settings)
    if experiment.estimator.instruments:  # which the full model does without
        plain = replace(experiment.settings, estimator=EstimatorSettings(name=FULL))
        experiment = replace(experiment, settings=plain)
    problem = solution.problem if streamed or judged is solution.experiment else judged.problem()
    whole = problem if solution.experiment.settings.causal else solution.problem
    parameters = solution.problem.parameters
    values = solution.fit.mean if streamed else solution.middle
    basis = parameters.mapping @ values + parameters.known
    floor = (
        measure_stream_floor(experiment, basis) if streamed else measure_noise_floor(judged, problem, basis)
    )
    # from below: a residual that is an effect looks like noise to weights that are made of it
    noise = solution.fit.noise if floor is None else np.diag(floor.std**2)

    def measure_fit(posterior: Posterior) -> tuple[float, float]:
        if streamed:
            return compute_fit_residual(posterior, basis), 0.0
        spread = _compute_spread(result.estimate, whole)
        return _compute_residual(result.estimate, whole, solution.middle), spread

    replaced = streamed and result.settings.estimator.takes_full_values
    fitted = None if replaced or result.settings.estimator.name == FULL else measure_fit
    verdict = judge_experiment(experiment, basis, floor, noise, fitted)
    if verdict is None:
        raise LogError(
            f"{experiment.sources[0]}: the log is too short for deviations: 12 blocks of motion are needed"
        )
    found, posterior = verdict.answer, verdict.posterior
    result = replace(
        result, answer=found, found=verdict.model, notes=(*result.notes, *sentences),
        fit=verdict.fit or result.fit,
    )  # fmt: skip
    if result.settings.estimator.name == FULL:
        if result.validation is not None and judged is solution.experiment:
            end = _find_end(judged, posterior)
            if end.any() and not end.all():
                result = replace(result, validation=predict_end(posterior, end, result.validation))
        # whether the mode was found is part of the verdict; how the fit it began from ended says nothing
        return replace(
            result,
            estimate=_view(result.estimate, found),
            tolerance_changes=_select(found, result),
            converged=True,
            nonconvergence="",
        )
    if streamed:
        recursion = result.estimate if replaced else None
        result = replace(result, estimate=give_total_deviations(result.estimate, found, recursion))
        return replace(result, converged=True, nonconvergence="") if replaced else result
    return result if found.verdict.good else replace(result, estimate=result.estimate.mark_doubtful())


@dataclass(frozen=True)
class Judged:
    """What the full model says of an experiment.

    Attributes
    ----------
    answer : Answer
    model : FoundModel
    fit : Diagnosis or None
        None where no noise floor is known.
    posterior : Posterior
    """

    answer: Answer
    model: FoundModel
    fit: Diagnosis | None
    posterior: Posterior


def is_streamed(experiment: Experiment) -> bool:
    """Return whether an experiment is a causal run that finds what the stream of its log would find."""
    settings = experiment.settings
    plain = settings.estimator.model == "force" and not experiment.estimator.instruments
    return settings.causal and plain and experiment.point is None


def judge_experiment(
    experiment: Experiment,
    basis: FloatArray,
    floor: NoiseFloor | None,
    noise: FloatArray,
    measure_fit: Callable[[Posterior], tuple[float, float]] | None = None,
) -> Judged | None:
    """Return the full model's answer and verdict, with causes where it asks; None of logs too short for deviations.

    Parameters
    ----------
    experiment : Experiment
    basis : ndarray, shape (B,)
        A first estimate.
    floor : NoiseFloor or None
        Of its zero-phase equations, were the noise white.
    noise : ndarray, shape (m, m)
        Covariance of their noise, a first guess.
    measure_fit : callable, optional
        The rms residual of another estimator's fit, which is refused where it leaves more than the full model does, and
        what of it that fit's own deviations say; None where the full model's values stand for it.
    """
    posterior = find_posterior(experiment, basis[: len(experiment.machine.basis)], noise)
    if posterior is None:
        return None
    white = coloured = None
    unmeasured = [] if floor is None else find_unmeasured_forces(posterior.equations, floor.std)
    if floor is not None:
        coloured = measure_coloured_floor(experiment, posterior.equations.rows, posterior.basis)
        white, floor = floor.std, replace(floor, std=np.maximum(floor.std, coloured))
        if _is_exact(posterior, floor):
            white = None
    usual = posterior
    posterior, found = assess_posterior(posterior, noise, white, coloured)
    clipped: list[Cause] = []
    if floor is not None and white is not None:
        # what is just above the band is of clipping, too: noise is what is white
        ratio, full = posterior.compute_residual_ratio(white), usual.equations
        if ratio > MAX_FLOOR_RATIO:
            clipped = find_clipped_forces(experiment, full.problem, posterior.residual / white)
        if clipped:
            left = find_clipped_equations(experiment, full.problem)
            rest = find_posterior_of(full.leave_out(left), noise)
            if rest is None or _compute_left(rest.compute_residual_ratio(white), ratio) >= MOST_OF_MISFIT:
                clipped = []
            else:
                floor, usual = replace(floor, std=white), rest
                posterior, found = assess_posterior(rest, noise, white, None)
                found = _say_left_out(found, float(np.mean(left)))
    model = FoundModel(
        posterior.mode.values, posterior.equations.basis, posterior.equations.effect_widths,
        posterior is not usual, posterior.equations.resonance,
    )  # fmt: skip
    fit_refused = False
    if measure_fit is not None:
        good = found.verdict.good
        least = 0.0 if floor is None else ROUNDING * float(np.sqrt(np.mean(floor.exact**2)))
        of_full = max(float(np.sqrt(np.mean(posterior.residual**2))), least)
        residual, spread = measure_fit(posterior)
        found = _compare_fit(found, residual, float(np.hypot(of_full, spread)))
        fit_refused = good and not found.verdict.good
    fit = None
    if floor is not None:
        if unmeasured:  # everything else is judged once these are
            causes, found = tuple(unmeasured), refuse_unmeasured(found, experiment.machine, unmeasured)
        else:
            causes = _find_causes(found, posterior, experiment, floor, fit_refused)
            found = _refuse_for_cause(found, causes)
        named = {one.name for one in clipped}
        causes = (*clipped, *(one for one in causes if one.name not in named))
        fit = _compare_with_floor(posterior, floor, found, causes)
    return Judged(found, model, fit, posterior)


def _say_left_out(found: Answer, share: float) -> Answer:
    """Return an answer that says how much of the equations clipped forces enter, and that this is left out."""
    clipped = f"Clipped forces affect {format_percent(share)} of the equations, which are left out."
    sentence = f"{found.verdict.sentence} {clipped}"
    return replace(found, verdict=replace(found.verdict, sentence=sentence))


def compute_fit_residual(posterior: Posterior, basis: FloatArray) -> float:
    """Return the rms residual of values (B,) of the basis in a posterior's equations.

    Reversals and the full model's effects are as they fit these values, effects with their priors: what forces are
    late by, or drives differ in, is no error of the values.
    """
    full = posterior.equations
    first = full.basis
    widened = [one.widened for one in posterior.model.unknowns if one.effect]
    precision = np.concatenate([np.zeros(full.reversals), 1.0 / np.square(widened)])
    values = posterior.mode.values.copy()
    values[:first] = basis[:first]
    rest = slice(first, len(values))
    information = posterior.normal.gram[rest, rest] + np.diag(precision)
    slope = posterior.normal.find_score(values)[rest] - precision * values[rest]
    values[rest] += np.linalg.lstsq(information, slope)[0]
    left = full.measured - full.columns @ values
    return float(np.sqrt(np.mean(left**2)))


def _find_end(experiment: Experiment, posterior: Posterior) -> NDArray[np.bool_]:
    """Return which equations (K,) are of the ends of the logs that are held out."""
    problem = posterior.equations.problem
    end = np.zeros(len(problem.log), dtype=bool)
    for number, (log, first) in enumerate(zip(experiment.logs, experiment.held_from(), strict=True)):
        if first < len(log.time):
            end |= (problem.log == number) & (problem.equations.time >= log.time[first])
    return end


def assess_posterior(
    posterior: Posterior, noise: FloatArray, white: FloatArray | None, coloured: FloatArray | None
) -> tuple[Posterior, Answer]:
    """Return a posterior and its answer, with effects that seldom are where they alone make it fit."""
    found = answer(posterior, white, coloured)
    verdict = found.verdict
    wrong = verdict.grade != FITS or verdict.contradicted or posterior.widest > WIDE
    several = len(found.effects) > 1  # which one that seldom is may explain
    if (wrong or several) and verdict.residual_share <= MAX_RESIDUAL_SHARE:
        usual, values = posterior.equations, posterior.mode.values
        resonance = usual.find_resonance(values, np.sqrt(np.diag(noise))) if wrong else None
        full = usual.with_seldom(values, resonance)
        seldom = find_posterior_of(full, noise, FIRST_WIDE)
        if seldom is not None:
            other = answer(seldom, white, coloured)
            fewer = len(other.effects) < len(found.effects)
            fits = other.verdict.grade == FITS and (wrong or fewer)
            if (
                fits
                or _explains(other.verdict, verdict)
                or _is_elsewhere(other, verdict)
                or (fewer and not _holds(other) and other.verdict.floor_ratio <= MAX_FLOOR_RATIO)
            ):
                return seldom, other
    return posterior, found


def _explains(other: Verdict, verdict: Verdict) -> bool:
    """Return whether a usable answer leaves next to nothing of a misfit: what leaves one is not what is wrong."""
    left = _compute_left_of_misfit(other, verdict)
    return other.good and verdict.floor_ratio > MAX_FLOOR_RATIO and left < LEFT_OF_MISFIT


def _is_elsewhere(other: Answer, verdict: Verdict) -> bool:
    """Return whether an answer explains most of a misfit by places and scales at which no value holds."""
    left = _compute_left_of_misfit(other.verdict, verdict)
    return not _holds(other) and verdict.floor_ratio > MAX_FLOOR_RATIO and left < MOST_OF_MISFIT


def _holds(other: Answer) -> bool:
    """Return whether any value holds, whatever of the file is contradicted."""
    return any(one.status != CONTRADICTS_FILE for one in other.values)


def _compute_left_of_misfit(other: Verdict, verdict: Verdict) -> float:
    """Return the share of a misfit's power beyond noise that another answer leaves."""
    return _compute_left(other.floor_ratio, verdict.floor_ratio)


def _compute_left(ratio: float, before: float) -> float:
    """Return the share of the power beyond noise that a ratio of residual and noise has of one before."""
    return max(ratio**2 - 1.0, 0.0) / max(before**2 - 1.0, 1e-300)


def _compute_residual(fitted: ParameterEstimate, problem: Problem, middle: FloatArray) -> float:
    """Return the rms residual that a fit of few parameters leaves of force equations; `middle` (P,) fits these."""
    values = middle.copy()
    values[: len(fitted.values)] = fitted.values
    return float(np.sqrt(np.mean(residual_rms(problem, values) ** 2)))


def _compute_spread(fitted: ParameterEstimate, problem: Problem) -> float:
    """Return the rms of force equations' predictions by the fit's own deviations: few equations of energy say less."""
    columns = problem.equations.regressor[:, :, : len(fitted.values)]
    return float(np.sqrt(np.mean(np.sum((columns @ fitted.covariance) * columns, axis=2))))


def _compare_fit(found: Answer, residual: float, of_full: float) -> Answer:
    """Return the answer, refused where a fit of few parameters leaves more than the full model and noise do."""
    left = residual / max(of_full, 1e-150)
    floor_ratio = found.verdict.floor_ratio
    of_noise = (
        left * floor_ratio if floor_ratio < 1.0 else left
    )  # what leaves no more than noise is no worse for less
    if not found.verdict.good or of_noise <= MAX_FLOOR_RATIO:
        return found
    sentence = (
        f"Do not use this fit: its residual is {left:.3g} times that of the full model. Use the full model's values "
        f"instead. Verdict of the full model: {found.verdict.sentence}"
    )
    return replace(found, verdict=replace(found.verdict, grade=DO_NOT_USE, sentence=sentence))


def _is_exact(posterior: Posterior, floor: NoiseFloor) -> bool:
    """Return whether the model leaves no more than rounding."""
    return float(np.mean(posterior.residual**2)) < ROUNDING**2 * float(np.mean(floor.exact**2))


def _refuse_for_cause(found: Answer, causes: tuple[Cause, ...]) -> Answer:
    """Return the answer, refused where something is to be set right that none of its effects allows for."""
    cause = next((one for one in causes if one.correction), None)
    if cause is None or not found.verdict.good:
        return found
    what = cause.detail or cause.name
    sentence = f"Do not use: {what}. That explains {100.0 * cause.explains:.0f} % of the residual of the file's model."
    verdict = replace(found.verdict, grade=DO_NOT_USE, sentence=sentence)
    return replace(found, values=tuple(one.affected() for one in found.values), verdict=verdict)


def _find_causes(
    found: Answer, posterior: Posterior, experiment: Experiment, floor: NoiseFloor, fit_refused: bool
) -> tuple[Cause, ...]:
    """Return known causes of a misfit or of a conflict with the file, the likeliest first."""
    verdict = found.verdict
    if verdict.grade not in (CONTRADICTS, DO_NOT_USE) and not verdict.floor_ratio > MAX_FLOOR_RATIO:
        return ()
    return find_causes(posterior, experiment, floor.std, verdict, fit_refused)


def _compare_with_floor(
    posterior: Posterior, floor: NoiseFloor, found: Answer, causes: tuple[Cause, ...]
) -> Diagnosis:
    """Return the residual of the full model against the noise floor, of the verdict."""
    problem = posterior.equations.problem
    each = posterior.residual / floor.std
    used = problem.used
    share = np.ones(each.shape[1]) if used is None else np.maximum(used.mean(axis=0), 1.0 / len(used))
    force = problem.equations.force
    ratio = found.verdict.floor_ratio
    own = problem.log == np.bincount(problem.log).argmax()
    residuals = Residuals(problem.equations.time[own], each[own])
    return Diagnosis(
        adequate=found.verdict.good,
        floor=floor,
        floor_percent=100.0 * float(np.sqrt(np.mean(floor.std**2) / max(np.mean(force**2), 1e-300))),
        ratio=ratio,
        per_strut=np.sqrt(np.mean(each**2, axis=0) / share),
        causes=causes,
        unseen=_list_unseen(posterior),
        residuals=(residuals,),
        unexplained=not found.verdict.good and not any(one.correction for one in causes),
    )


def _list_unseen(posterior: Posterior) -> tuple[Unseen, ...]:
    """Return how large each effect had to be before this motion would have shown it, of its kinds the worst."""
    std = FOUND * np.sqrt(np.diag(posterior.mode.covariance))
    effects = [k for k, one in enumerate(posterior.model.unknowns) if one.effect]
    sizes: dict[str, Unseen] = {}
    kinds = [nuisance.effect.name for nuisance in posterior.equations.nuisances for _ in nuisance.names]
    for name, k in zip(kinds, effects, strict=True):
        one = posterior.model.unknowns[k]
        if one.widened < 1.0:  # at its bound
            continue
        size = float(std[k]) * one.width
        if name not in sizes or size > sizes[name].size:
            sizes[name] = Unseen(name, size, one.unit)
    return tuple(sizes.values())


def _view(fitted: ParameterEstimate, found: Answer) -> ParameterEstimate:
    """Return the estimate whose values are those of the answer, under the names of a fit of the same set."""
    rows = {one.name: k for k, one in enumerate(found.values)}
    count = len(fitted.names)
    values, std = fitted.nominal.copy(), LEAST_STD * np.maximum(np.abs(fitted.nominal), 1e-3)
    status = [FROM_FILE] * count
    covariance = np.diag(std**2)
    mine = [k for k, name in enumerate(fitted.names) if name in rows]
    its = [rows[fitted.names[k]] for k in mine]
    for k, row in zip(mine, its, strict=True):
        one = found.values[row]
        values[k], std[k], status[k] = one.value, one.std, one.status
    covariance[np.ix_(mine, mine)] = found.covariance[np.ix_(its, its)]
    return replace(
        fitted, values=values, std=std, status=tuple(status), covariance=covariance, combinations=(),
        estimator=FULL,
    )  # fmt: skip


def _select(found: Answer, result: Identification) -> FloatArray:
    """Return what numbers of the file, off by their widths, do to the parameters (K, P)."""
    changes = np.zeros((len(found.shared), len(result.estimate.names)))
    for row, one in enumerate(found.values):
        if one.name in result.estimate.names:
            changes[:, result.estimate.names.index(one.name)] = found.shared[:, row]
    return changes
