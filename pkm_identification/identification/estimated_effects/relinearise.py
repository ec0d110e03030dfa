"""Effects that are not linear: Gauss-Newton passes until their values move no more."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pkm_identification.estimation.estimators import ESTIMATORS, Tuning
from pkm_identification.estimation.problem import Problem

from ..experiment import Experiment

MOST_PASSES = 8
STILL = 0.1  # standard deviations
ROUNDING = 1e-4  # of the prior's standard deviation: nothing is known better


def relinearised(experiment: Experiment) -> tuple[Experiment, Problem, str]:
    """The experiment without its effects as they are estimated, its problem, and what did not settle, in words.

    Every pass undoes the effects in machine and logs and fits what is left by least squares. An experiment without
    effects is returned as it is.
    """
    problem = experiment.problem()
    point = experiment.point
    if point is None or point.linear or len(problem.equations) == 0:
        return experiment, problem, ""
    estimator = ESTIMATORS["robust" if experiment.settings.estimator.name == "robust" else "ls"]
    places = [place for effect in point.effects if effect.undo for place in effect.places(point.parameters)]
    worst = places[0]
    for _ in range(MOST_PASSES):
        fit = estimator.fit(replace(problem, physical=None), Tuning())
        before = experiment.point.values if experiment.point is not None else fit.mean
        known = np.maximum(np.sqrt(np.diag(fit.covariance)), ROUNDING * problem.prior.std)
        change = np.abs(fit.mean[: len(before)] - before) / known[: len(before)]
        worst = max(places, key=lambda place: change[place])
        if change[worst] < STILL:
            return experiment, problem, ""
        experiment = experiment.at(fit.mean)
        problem = experiment.problem()
    return (
        experiment,
        problem,
        f"{point.parameters.names[worst]} still moved after {MOST_PASSES} passes of Gauss-Newton",
    )
