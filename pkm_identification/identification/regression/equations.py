# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Equations of any machine in the estimation band: forces linear in a set's parameters, standing drives left out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pkm_identification.estimation.batch.least_squares import compute_residual_covariance, least_squares
from pkm_identification.estimation.equations import Equations
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.prior import Prior


def learn_noise(
    equations: Equations, used: NDArray[np.bool_], prior: Prior, redundancy: float
) -> FloatArray | None:
    """Return the covariance (n, n) of the noise of equations with unused rows; None where all are used.

    An estimator that learns the noise from its residuals would count unused rows, and find too little.

    Parameters
    ----------
    equations : Equations
        Unused rows are zero.
    used : ndarray of bool, shape (K, n)
    prior : Prior
    redundancy : float
        Equations per independent one.
    """
    if used.all():
        return None
    share = 1.0 / np.sqrt(np.maximum(np.mean(used, axis=0), 1.0 / len(used)))
    noise = None
    for _ in range(2):  # with the weights of unequal counts, then with right ones
        residual = least_squares(equations, prior, redundancy, noise).residual
        noise = np.outer(share, share) * compute_residual_covariance(residual, equations.regressor.shape[2])
    return noise
