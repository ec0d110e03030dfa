# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Effects that come nearest to a misfit: those that the full model found, and those that it does not ask for.

The first are read off the posterior: without one, the weighted squares would be larger by (x / std)². The
others are columns in addition to all that the full model has, each judged alone by its evidence.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pkm_identification.estimation.lack_of_fit.evidence import DECISIVE, Base, Score
from pkm_identification.estimation.posterior.thresholds import FOUND, MAX_FLOOR_RATIO

from ..experiment import Experiment
from ..full_model.posterior import Posterior
from ..model_errors.effect import Effect
from ..model_errors.effects import find_effects
from ..model_errors.situation import build_situations
from .findings import Cause


def find_nearest_effects(posterior: Posterior, experiment: Experiment, ratio: float) -> list[Cause]:
    """Return effects that explain most of a misfit first; with a correction where one explains it as a whole.

    Parameters
    ----------
    posterior : Posterior
    experiment : Experiment
        Whose posterior it is.
    ratio : float
        Residual over noise floor.
    """
    beyond = [_assess_beyond(*one, ratio) for one in _score_beyond(posterior, experiment)]
    found = [replace(one, correction="") for one in list_found_effects(posterior, ratio)]
    best: dict[str, Cause] = {}
    for cause in sorted([*found, *beyond], key=lambda one: -one.explains):
        best.setdefault(cause.name, cause)
    return list(best.values())


def list_found_effects(posterior: Posterior, ratio: float, least: float = 1.0) -> list[Cause]:
    """Return the effects that are surely there, those that take most away first, with what a fit without them can do.

    What is estimated as well is no cause: nobody can ask for it once more.

    Parameters
    ----------
    posterior : Posterior
    ratio : float
        Residual over noise floor.
    least : float
        How many widths of the file's they are off at least.
    """
    mode = posterior.mode
    variance = np.diag(mode.covariance)
    unknowns = iter([k for k, one in enumerate(posterior.model.unknowns) if one.effect])
    found = []
    for nuisance in posterior.equations.nuisances:
        effect = nuisance.effect
        for name in nuisance.names:
            k = next(unknowns)
            one, size = posterior.model.unknowns[k], float(mode.unknowns[k])
            gone = size**2 / float(variance[k])
            asked = posterior.equations.is_asked(effect.name, name)
            if asked or gone < FOUND**2 or abs(size) * one.widened < least:
                continue
            correction = (
                effect.correction_of_one
                if effect.correction_of_one and name in effect.members
                else effect.correction
            )
            value, std = effect.read(size * one.width, float(np.sqrt(variance[k])) * one.width)
            called = nuisance.name_cause(name)
            cause = Cause(
                called,
                effect.offset + value,
                std,
                one.unit,
                gone,
                correction.replace("{name}", called),
                effect.family,
            )
            found.append(cause)
    misfit = posterior.normal.cost(mode.values) * _compute_excess(ratio)
    whole = sum(one.explains for one in found) + misfit
    largest = {one.name: one for one in sorted(found, key=lambda one: one.explains)}
    return [
        one.with_share(one.explains / whole)
        for one in sorted(largest.values(), key=lambda one: -one.explains)
    ]


def _score_beyond(posterior: Posterior, experiment: Experiment) -> list[tuple[Effect, Score, float]]:
    """Return effects that the full model does not ask for and the data do, with the squares before."""
    full, mode = posterior.equations, posterior.mode
    parameters, basis = full.problem.parameters, full.basis + full.reversals
    known = {nuisance.effect.name for nuisance in full.nuisances}
    situations = build_situations(full.problem, full.rows, mode.values[:basis])
    size = np.sqrt(np.mean(posterior.residual**2, axis=0) * full.problem.redundancy)
    size[size == 0.0] = 1.0  # a drive that stands still has no equations
    base = Base.of(full.columns @ mode.slope, posterior.residual, size)
    found = []
    for effect in find_effects(full.machine, parameters, experiment.logs):
        if effect.name in known or full.is_asked(effect.name):
            continue
        columns = np.concatenate([effect.columns(one) for one in situations])
        if np.all(np.isfinite(columns)) and np.any(columns):
            score = base.score(columns, effect.scale, effect.positive)
            if score.evidence > DECISIVE:
                found.append((effect, score, base.power))
    return found


def _assess_beyond(effect: Effect, score: Score, before: float, ratio: float) -> Cause:
    """Return such an effect as a cause."""
    size = float(np.linalg.norm(score.coefficients))
    along = score.coefficients / max(size, 1e-300)
    std = float(np.sqrt(along @ score.covariance @ along))
    value = float(score.coefficients[0]) if len(along) == 1 else size
    value, std = effect.read(value, std)
    left = max(score.left, 0.0) / before
    correction = (
        effect.correction.replace("{name}", effect.name) if ratio * np.sqrt(left) <= MAX_FLOOR_RATIO else ""
    )
    explains = float(np.clip((1.0 - left) / max(_compute_excess(ratio), 1e-300), 0.0, 1.0))
    return Cause(effect.name, effect.offset + value, std, effect.unit, explains, correction, effect.family)


def _compute_excess(ratio: float) -> float:
    """Return the part of the squares that is more than noise."""
    return max(1.0 - 1.0 / ratio**2, 0.0)
