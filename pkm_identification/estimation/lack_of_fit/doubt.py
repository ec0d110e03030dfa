# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What a misfit does to an estimate: other explanations of the data widen its deviations and put it in doubt."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

from ..estimate import ParameterEstimate
from ..identifiability import IDENTIFIABLE, IN_DOUBT

DOUBTFUL = 2.0  # standard deviations that another explanation moves a parameter by


def doubted(estimate: ParameterEstimate, moved: FloatArray, widened: float = 1.0) -> ParameterEstimate:
    """An estimate by a model that does not fit.

    Parameters
    ----------
    estimate : ParameterEstimate
    moved : ndarray, shape (n, P)
        By what each of the other explanations would change it, SI units.
    widened : float
        Factor of all standard deviations where nothing explains the misfit: every parameter that is shown is then in
        doubt.

    Returns
    -------
    ParameterEstimate
        Every shown parameter that an explanation moves by more than DOUBTFUL deviations is in doubt; the covariance has
        the largest change of each parameter added.
    """
    change = np.max(np.abs(moved), axis=0) if len(moved) else np.zeros(len(estimate.names))
    covariance = widened**2 * estimate.covariance + moved.T @ moved
    std = np.sqrt((widened * estimate.std) ** 2 + np.sum(moved**2, axis=0))
    status = tuple(
        IN_DOUBT if one == IDENTIFIABLE and (widened > 1.0 or changed > DOUBTFUL * own) else one
        for one, changed, own in zip(estimate.status, change, estimate.std, strict=True)
    )
    combinations = tuple(
        replace(c, std=float(np.sqrt((widened * c.std) ** 2 + np.sum((moved @ c.weights) ** 2))))
        for c in estimate.combinations
    )
    return replace(estimate, covariance=covariance, std=std, status=status, combinations=combinations)
