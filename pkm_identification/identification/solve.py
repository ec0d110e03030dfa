# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""An experiment fitted: equations, estimate, test by held out ends, other cutoffs, convergence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.errors import LogError, MotionRefused
from pkm_identification.estimation.convergence import (
    compute_white_covariance,
    narrow_by_drift,
    nonconvergence,
)
from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.estimation.identifiability import IDENTIFIABLE
from pkm_identification.estimation.lack_of_fit.start_values import remove_start_values
from pkm_identification.estimation.problem import Fit, Problem
from pkm_identification.motion import DriveLog
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.large_arrays import is_large
from pkm_identification.numerics.memory import LONG
from pkm_identification.numerics.parallel_maps import map_parallel, start_background
from pkm_identification.progress import announce

from .diagnosis.length_order import ExchangedLengths, find_possible_length_order
from .elastic_drives.elastic_drive_model import apply_elastic_drive_model
from .equations.transition_correction import FACTOR_CORRECTED, FACTOR_RESIDUAL
from .experiment import Experiment
from .model_errors.estimated.relinearise import relinearise
from .procedures.free_fall import add_falls
from .rates.kinematic_cutoff import compute_error_weights
from .result import refuse_unidentifiable
from .settings import FULL
from .validation import FEWEST_EQUATIONS, Validation, predict_ends

SEVERAL = 5.0  # standard deviations


def disagreement(estimate: ParameterEstimate, batch: FloatArray) -> str:
    """Return how an estimate contradicts the batch fit (P,) of the same equations, in words; empty where they agree.

    On one log both minimise the same squares: what is between them is not noise. An estimate that is kept consistent
    may differ by what no body can have, and then says so here.
    """
    shown = np.array([one == IDENTIFIABLE for one in estimate.status])
    apart = np.where(shown, np.abs(estimate.values - batch) / estimate.std, 0.0)
    worst = int(np.argmax(apart))
    if not apart[worst] > SEVERAL:
        return ""
    return (
        f"{estimate.estimator} and least squares differ by {apart[worst]:.2g} standard deviations in "
        f"{estimate.names[worst]}"
    )


PARTS = 6  # of an identification, as `announce_part` counts them
UNREACHABLE = 0.02  # of the samples that the machine cannot be in: the log of another machine


@dataclass(frozen=True)
class Solution:
    """What an experiment's logs say of its machine's parameters.

    Attributes
    ----------
    experiment : Experiment
        Without what was estimated as well and undone.
    problem : Problem
    fit : Fit
    middle : ndarray, shape (P,)
        Values of the estimator's batch form on the same equations.
    systematic : ndarray, shape (P, P)
        Covariance of what other kinematic cutoffs tell.
    estimate : ParameterEstimate
    validation : Validation or None
        Of the end of each log, by an estimate without it; None of logs too short for it, or where nothing is held.
    nonconvergence : str
        What has not converged, in words; empty when all has.
    """

    experiment: Experiment
    problem: Problem
    fit: Fit
    middle: FloatArray
    systematic: FloatArray
    estimate: ParameterEstimate
    validation: Validation | None
    nonconvergence: str


def solve(experiment: Experiment, falls: Sequence[DriveLog] = ()) -> Solution:
    """Fit an experiment; raises as `identify.identify`."""
    settings = experiment.settings
    with _begin_other_cutoffs(experiment) as others:
        experiment, problem, unsettled = relinearise(experiment)
        experiment, problem = apply_elastic_drive_model(experiment, problem)
        if not settings.causal:  # a causal run finds what the online estimator would
            problem = remove_start_values(problem)
        problem = add_falls(problem, falls, experiment)
        _refuse_too_few(experiment, problem)
        _refuse_unreachable(experiment, problem)
        announce_part(1)
        fit = experiment.estimator.fit(problem, experiment.tuning)
        middle = experiment.estimator.batch_mean(problem, fit)
        validation = predict_ends(
            experiment,
            problem,
            lambda part: experiment.estimator.fit(part, experiment.tuning).mean[: part.reported],
        )
        announce_part(2)
        full = settings.estimator.name == FULL  # whose widths and effects have both
        systematic = np.zeros((len(middle), len(middle)))
        if not full:
            systematic = compute_systematic_covariance(experiment, problem, middle, others)
    announce_part(3)
    estimate = fit.estimate(problem, systematic)
    refuse_unidentifiable(estimate, experiment.sources[0])
    # judged by the deviations that the estimator states, which a misfit would widen
    reason = fit.nonconvergence or unsettled
    if not settings.causal and settings.estimator.forgetting == 1.0:
        reason = reason or disagreement(estimate, middle[: problem.reported])
    reason = reason or _explain_nonconvergence(experiment, problem, fit, estimate)
    announce_part(4)
    return Solution(experiment, problem, fit, middle, systematic, estimate, validation, reason)


def announce_part(part: int) -> None:
    """Equations, estimate and its test, other cutoffs, the result and its diagnosis are done."""
    announce("identifying", part, PARTS)


@contextmanager
def _begin_other_cutoffs(experiment: Experiment) -> Iterator[Iterable[Problem] | None]:
    """Problems at other kinematic cutoffs, made while the first is made and fitted; None where they have to wait.

    That is where the experiment is still to change, and where their samples are too large to be there together.
    """
    settings = experiment.settings
    changes = experiment.point is not None or settings.validation.transfers is not None
    if changes or _is_too_large(experiment) or _is_in_memory(experiment) or settings.estimator.name == FULL:
        yield None
        return
    with start_background(experiment.problem, experiment.other_cutoffs) as others:
        yield others


def compute_systematic_covariance(
    experiment: Experiment, problem: Problem, middle: FloatArray, others: Iterable[Problem] | None = None
) -> FloatArray:
    """Covariance (P, P) of what other kinematic cutoffs tell of the error of the estimate `middle` (P,), SI units.

    `others` are the problems at these cutoffs, if somebody has made them.
    """
    batch = experiment.estimator.batch_mean
    if experiment.corrects_transition:
        # smoothing's own part is taken off: what may be left of it, as online
        plain = replace(experiment.problem(corrected=False), relations=problem.relations)
        error = FACTOR_RESIDUAL / FACTOR_CORRECTED * (batch(plain) - middle)
        return np.outer(error, error)
    changes, factors = [], []
    cutoffs = experiment.other_cutoffs
    if others is None:
        # beside each other where their samples are small enough to be there together
        others = (map if _is_too_large(experiment) else map_parallel)(experiment.problem, cutoffs)
    for cutoff, other in zip(cutoffs, others, strict=True):
        if len(other.equations) == 0:
            continue
        changes.append(batch(replace(other, relations=problem.relations, prior=problem.prior)) - middle)
        factors.append(cutoff / experiment.settings.filter.cutoff)
    error = np.zeros(len(middle))
    for weight, change in zip(compute_error_weights(tuple(factors)), changes, strict=True):
        error += weight * change
    return np.outer(error, error)


def _is_in_memory(experiment: Experiment) -> bool:
    """Return whether all samples of a log are worked on at once, not segment after segment."""
    return experiment.settings.causal or experiment.estimator.instruments or experiment.point is not None


def _is_too_large(experiment: Experiment) -> bool:
    """Return whether the samples of two problems are too large to be there together."""
    whole = _is_in_memory(experiment)
    return any(len(log.time) > LONG if whole else is_large(log.length) for log in experiment.logs)


def _refuse_too_few(experiment: Experiment, problem: Problem) -> None:
    if len(problem.equations) >= FEWEST_EQUATIONS * len(problem.parameters):
        return
    order = find_possible_length_order(experiment)
    if order is not None:
        raise ExchangedLengths(experiment.sources[0], order)
    equations, unknowns = len(problem.equations), len(problem.parameters)
    resting = f", {problem.resting} more are at standstill" if problem.resting else ""
    dropped = ", ".join(f"{name} {number}" for name, number in experiment.dropped.items() if number)
    dropped = f" (faults of the log: {dropped})" if dropped else ""
    least = (FEWEST_EQUATIONS * unknowns + 20) / (2.5 * experiment.settings.band.cutoff)
    correction = f"a longer uninterrupted log is needed (at least {np.ceil(least):.0f} s)"
    if equations + problem.resting >= FEWEST_EQUATIONS * unknowns:
        correction = "the drives stand still in most of the log; record one in which they move"
    raise LogError(
        f"{experiment.sources[0]}: only {equations} equations remain after filtering for {unknowns} "
        f"parameters{resting}{dropped}; {correction}"
    )


def _explain_nonconvergence(
    experiment: Experiment, problem: Problem, fit: Fit, estimate: ParameterEstimate
) -> str:
    """Return what of a recursive estimator's estimate has not converged; a batch fit has no trace to judge it by."""
    if not len(fit.trace):
        return ""
    forgetting = experiment.settings.estimator.forgetting
    own = slice(0, len(estimate.names))
    prior, noise = problem.prior, fit.noise * problem.redundancy
    rows = None if problem.relations is None else problem.relations.rows
    scale = np.outer(prior.std, prior.std)
    narrow = narrow_by_drift(problem.equations, fit.mean, fit.noise, prior, problem.redundancy)
    # what else the estimate may be off by stays as it is stated
    less = fit.covariance - narrow @ (fit.covariance / scale) @ narrow.T * scale
    return nonconvergence(
        fit.trace,
        estimate,
        estimate.covariance - less[own, own],
        prior.std,
        # either half must hold half of what an identification needs at all (`identify`)
        fewest=FEWEST_EQUATIONS * len(problem.parameters.names) // 2,
        entry=float(np.median(np.abs(np.diff(problem.equations.time)))),
        memory=1.0 / (1.0 - forgetting) if forgetting < 1.0 else np.inf,
        white_covariance=lambda count: compute_white_covariance(
            problem.equations[:count], noise, prior, rows
        )[own, own],
    )


def residual_rms(problem: Problem, values: FloatArray) -> FloatArray:
    """Return the rms (m,) of what values (P,) leave of the rows that are used; infinite where none of a drive is."""
    left = problem.equations.compute_residual(values)
    if problem.used is None:
        return np.asarray(np.sqrt(np.mean(left**2, axis=0)))
    counts = problem.used.sum(axis=0)
    return np.where(counts > 0, np.sqrt(np.sum(left**2, axis=0) / np.maximum(counts, 1)), np.inf)


def _refuse_unreachable(experiment: Experiment, problem: Problem) -> None:
    """Refuse logs of which the machine cannot be in too many samples."""
    share = problem.failed / max(problem.failed + problem.samples, 1)
    if share <= UNREACHABLE:
        return
    raise MotionRefused(
        f"{experiment.sources[0]}: {100 * share:.3g} % of the samples are out of reach of "
        f"'{experiment.machine.name}': check the machine file and the units"
    )
