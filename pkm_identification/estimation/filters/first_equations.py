# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The first equations of a recursive filter, kept until they have shown how noisy they are, and then taken again.

A filter has to weigh its first equations by a guess of their noise. A guess that is a hundred times too large is not
forgotten by averaging: until residuals have brought it down, seconds of data count for next to nothing, and the
covariance believes that for good. So the first equations are kept, a fit of them tells their noise, and the filter
takes them again from where it started.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

from ..batch.least_squares import compute_residual_covariance, solve_whitened

KEPT = 60  # equations: with six outputs their noise is known to 8 %, besides what the fit of all parameters takes
ITERATIONS = 4  # of the fit's weights; they need not be better than the noise is known


@dataclass(frozen=True)
class Kept:
    """An equation as the filter was given it: stamp (s), columns (m, P), measured (m,), and its friction transition."""

    time: float
    columns: FloatArray
    measured: FloatArray
    transition: FloatArray | None
    late: int


class FirstEquations:
    """Equations since a filter's start, until there are enough of them.

    Parameters
    ----------
    mean : ndarray, shape (P,)
        What the filter started from.
    covariance : ndarray, shape (P, P)
    """

    def __init__(self, mean: FloatArray, covariance: FloatArray) -> None:
        self.mean, self.covariance = mean, covariance
        self.equations: list[Kept] = []

    def add(self, equation: Kept) -> bool:
        """Keep one more; whether there are enough now."""
        self.equations.append(equation)
        return len(self.equations) == KEPT

    def noise(self, redundancy: float) -> FloatArray:
        """Variances of the equations' noise, as a fit from the start leaves it, on the diagonal of (m, m).

        So few equations do not show how outputs are correlated: weights by a full covariance of theirs, which the
        fit of all parameters has thinned, move an estimate by more than its deviation.

        Raises
        ------
        numpy.linalg.LinAlgError
            If the covariance at the start is not positive definite, or numbers are not finite.
        """
        root = np.linalg.cholesky(self.covariance)
        columns = np.stack([one.columns for one in self.equations])
        target = np.stack([one.measured for one in self.equations]) - columns @ self.mean
        scaled = columns @ root
        if not (np.isfinite(scaled).all() and np.isfinite(target).all()):
            raise np.linalg.LinAlgError("equations are not finite")
        noise = np.diag(np.diag(compute_residual_covariance(target, 0)))
        for _ in range(ITERATIONS):
            solution, std = solve_whitened(scaled, target, noise * redundancy)
            # what the start knows already costs no degrees of freedom
            spent = round(float(np.sum(1.0 - std**2)))
            noise = np.diag(np.diag(compute_residual_covariance(target - scaled @ solution, spent)))
        return noise
