# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What a misfit does to an estimate: what it may have moved is in doubt, and other explanations widen deviations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

from ..estimate import ParameterEstimate
from ..identifiability import IDENTIFIABLE, IN_DOUBT, Combination

DOUBTFUL = 2.0  # standard deviations that another explanation moves a parameter by


def flag_affected(
    estimate: ParameterEstimate, moved: FloatArray, unexplained: bool = False
) -> ParameterEstimate:
    """Return an estimate by a model that does not fit, with what the misfit affects in doubt.

    Deviations come from the residual, misfit included, and are not widened by its size once more.

    Parameters
    ----------
    estimate : ParameterEstimate
    moved : ndarray, shape (n, P)
        By what each of the other explanations would change it, SI units.
    unexplained : bool
        Whether no explanation makes the misfit go: every parameter and combination that is shown is then in doubt.

    Returns
    -------
    ParameterEstimate
        Every shown parameter or combination that an explanation moves by more than DOUBTFUL deviations is in doubt; the
        covariance has the largest change of each parameter added.
    """
    moved = np.reshape(moved, (-1, len(estimate.names)))
    change = np.max(np.abs(moved), axis=0) if len(moved) else np.zeros(len(estimate.names))
    covariance = estimate.covariance + moved.T @ moved
    std = np.sqrt(estimate.std**2 + np.sum(moved**2, axis=0))
    status = tuple(
        IN_DOUBT if one == IDENTIFIABLE and (unexplained or changed > DOUBTFUL * own) else one
        for one, changed, own in zip(estimate.status, change, estimate.std, strict=True)
    )
    combinations = tuple(
        _flag_combination(one, moved @ one.weights, unexplained) for one in estimate.combinations
    )
    return replace(estimate, covariance=covariance, std=std, status=status, combinations=combinations)


def _flag_combination(combination: Combination, moved: FloatArray, unexplained: bool) -> Combination:
    """Return a combination of an estimate in doubt; `moved` (n,) is what other explanations change about it."""
    affected = unexplained or bool(np.any(np.abs(moved) > DOUBTFUL * combination.std))
    return replace(
        combination,
        std=float(np.sqrt(combination.std**2 + np.sum(moved**2))),
        status=IN_DOUBT if affected else combination.status,
    )
