# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Equations of any machine in the estimation band: forces linear in a set's parameters, standing drives left out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pkm_identification.estimation.batch.least_squares import compute_residual_covariance, least_squares
from pkm_identification.estimation.equations import Equations
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.prior import Prior
from pkm_identification.signals.band import BandSettings

from ..equations.band_rows import in_band
from ..equations.standstill import drop_still
from ..samples import Samples


@dataclass(frozen=True)
class LogEquations:
    """Equations of one log.

    Attributes
    ----------
    equations : Equations
        Rows of drives that stand still are zero.
    used : ndarray of bool, shape (K, n)
        Whether a drive's row is used.
    standing : int
        Equations left out because all drives stand still.
    samples : Samples
    still : ndarray of bool, shape (K + standing, n)
        Which drives stand still, of all equations.
    band : BandSettings
    """

    equations: Equations
    used: NDArray[np.bool_]
    standing: int
    samples: Samples
    still: NDArray[np.bool_]
    band: BandSettings

    def in_band(self, columns: FloatArray) -> FloatArray:
        """Return columns at all samples, (N, n, ...), in the band at the equations, zero where a drive stands still."""
        return drop_still(in_band(columns, self.samples.segment, self.band), self.still)

    def __len__(self) -> int:
        return len(self.equations)


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
