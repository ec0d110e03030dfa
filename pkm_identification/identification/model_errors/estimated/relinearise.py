# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Effects that are not linear: Gauss-Newton passes until their values move no more."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pkm_identification.estimation.estimators import ESTIMATORS, Tuning
from pkm_identification.estimation.problem import Problem
from pkm_identification.numerics.arrays import FloatArray

from ...experiment import Experiment

MOST_PASSES = 12
HALVINGS = 4
STILL = 0.1  # standard deviations
# A step within the deviation (in deviations) that costs next to nothing (of the squares); seen on one log alone.
WITHIN, FLAT = 1.0, 0.01
NEAR = 0.5  # standard deviations within which slopes by differences do not lead to a better fit
ROUNDING = 1e-4  # of the prior's standard deviation: nothing is known better


def relinearise(experiment: Experiment) -> tuple[Experiment, Problem, str]:
    """Return the experiment without its effects as they are estimated, its problem, and what did not settle, in words.

    Every pass fits by least squares what is left of machine and logs without the effects, and undoes them anew; a step
    after which the equations fit worse, even with all else fitted to them, is halved, and not taken if that does not
    help; where no step is to fit better, or the whole step was a small one that hardly changed the fit, the values are
    settled. An experiment without effects is returned as it is.
    """
    problem = experiment.problem()
    count = len(problem.equations)
    point = experiment.point
    if point is None or point.linear or count < len(problem.parameters):
        return experiment, problem, ""
    estimator = ESTIMATORS["robust" if experiment.settings.estimator.name == "robust" else "ls"]
    places = [
        index for effect in point.effects if not effect.linear for index in effect.places(point.parameters)
    ]
    held = [index for effect in point.effects for index in effect.places(point.parameters)]
    own = len(point.parameters)
    values = problem.prior.mean.copy()
    moved = places[0]
    for number in range(MOST_PASSES):
        fit = estimator.fit(replace(problem, physical=None), Tuning())
        known = np.maximum(np.sqrt(np.diag(fit.covariance)), ROUNDING * problem.prior.std)
        change = np.abs(fit.mean - values) / known
        moved = max(places, key=lambda index: change[index])
        if change[moved] < STILL:
            return experiment, problem, ""
        # as the fit weighs them against the prior
        weights = np.asarray(np.linalg.inv(fit.noise * problem.redundancy), dtype=float)
        before = _compute_misfit(problem, values, weights, count) if number else np.inf
        if before - _compute_misfit(problem, fit.mean, weights, count) < STILL**2:
            return experiment, problem, ""  # no step is to fit better, though flat directions are left
        proposal = fit.mean
        worse = []
        for _ in range(HALVINGS + 1):
            after = experiment.at(proposal)
            changed = after.problem()
            tried = proposal.copy()
            tried[:own] = proposal[:own] if after.point is None else after.point.values
            left = _compute_misfit(changed, tried, weights, count)
            if left > before:
                tried = _refit_others(changed, tried, weights, held)
                left = _compute_misfit(changed, tried, weights, count)
            if left <= before:
                break
            worse.append(left - before)
            proposal = 0.5 * (values + proposal)
        else:
            near = change[moved] < NEAR and worse[0] < NEAR**2
            # which samples are left changes a little with every delay: no slope tells of that
            flat = change[moved] < WITHIN and worse[-1] < FLAT * before
            if near or flat:
                return experiment, problem, ""
            return experiment, problem, f"{point.parameters.names[moved]}: no step fits better"
        experiment, problem, values = after, changed, tried
        if 0.0 <= before - left < STILL**2:
            # what the data do not show may move for ever
            return experiment, problem, ""
    return experiment, problem, f"{point.parameters.names[moved]} still moves after {MOST_PASSES} passes"


def _refit_others(problem: Problem, values: FloatArray, weights: FloatArray, held: list[int]) -> FloatArray:
    """Return values (P,) of which all but the held ones fit best; as they are where relations tie them.

    A gain and the masses that it goes with fit alike along a curve, which no step follows that moves both at once.
    """
    free = np.setdiff1d(np.arange(len(values)), held)
    if problem.relations is not None and np.any(problem.relations.rows[:, free]):
        return values
    std, equations = problem.prior.std[free], problem.equations
    columns = equations.regressor[:, :, free] * std
    weighted = (weights @ columns).reshape(-1, len(free))
    left = (equations.measured - equations.regressor @ values).ravel()
    off = (problem.prior.mean - values)[free] / std
    normal = weighted.T @ columns.reshape(-1, len(free)) + np.eye(len(free))
    fitted = values.copy()
    fitted[free] += std * np.linalg.solve(normal, weighted.T @ left + off)
    return fitted


def _compute_misfit(problem: Problem, values: FloatArray, weights: FloatArray, count: int) -> float:
    """Weighted squares of what values (P,) leave of so many equations as these, and of the prior; NaN without any.

    A step that loses equations, as delays do, would fit better by their sum alone.
    """
    left = problem.equations.measured - problem.equations.regressor @ values
    if len(left) == 0:
        return np.nan
    own = (values - problem.prior.mean) / problem.prior.std
    return float(np.einsum("ki,ij,kj->", left, weights, left) * (count / len(left)) + own @ own)
