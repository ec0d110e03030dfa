# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Why a model does not fit: asked where the full model's answer is refused, or leaves more than noise."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pkm_identification.estimation.posterior.thresholds import MAX_FLOOR_RATIO
from pkm_identification.estimation.posterior.verdict import Verdict
from pkm_identification.numerics.arrays import FloatArray

from ..experiment import Experiment
from ..full_model.posterior import Posterior
from .discrete import find_discrete_cause
from .discrete_causes import build_factor_cause
from .findings import Cause
from .nearest import find_nearest_effects, list_found_effects
from .saturation import find_clipped_forces

MOST = 5  # causes that are told


def find_causes(
    posterior: Posterior, experiment: Experiment, floor: FloatArray, verdict: Verdict, fit_refused: bool
) -> tuple[Cause, ...]:
    """Return what may be wrong, the likeliest first; only what explains the misfit has a correction.

    Parameters
    ----------
    posterior : Posterior
    experiment : Experiment
        Whose posterior it is.
    floor : ndarray, shape (n,)
        Noise of its equations, N or N m.
    verdict : Verdict
        On the answer: where that is good, nobody is to act on what it allows for.
    fit_refused : bool
        Whether another fit is refused that leaves more than the posterior: what it lacks is then what is wrong.
    """
    relative, full = posterior.residual / floor, posterior.equations
    ratio = posterior.compute_residual_ratio(floor)
    misfit = ratio > MAX_FLOOR_RATIO
    discrete = find_discrete_cause(posterior, floor, float(np.sum(relative**2)), misfit)
    if discrete is not None and discrete.correction:  # everything else is judged once that is set right
        return (discrete,)
    factor = posterior.common_factor if verdict.contradicted else None
    causes = [build_factor_cause(factor)] if factor else []
    if discrete is not None:
        causes.append(discrete)
    if fit_refused and not misfit:
        causes += list_found_effects(posterior, ratio, 0.0)
    if misfit:
        causes += find_clipped_forces(experiment, full.problem, relative)
        nearest = find_nearest_effects(posterior, experiment, ratio)
        if causes:
            nearest = [replace(one, correction="") for one in nearest]
        causes += nearest
    causes = causes[:MOST]
    return tuple(replace(one, correction="") for one in causes) if verdict.good else tuple(causes)
