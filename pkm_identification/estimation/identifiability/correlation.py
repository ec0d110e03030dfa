# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Correlations of an estimate: which of its errors go together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.numerics.arrays import FloatArray

from . import UNIDENTIFIABLE

STRONG = 0.9


@dataclass(frozen=True)
class Correlation:
    """Correlations of the parameters that data show, alone or in combinations.

    Attributes
    ----------
    names : tuple of str, length K
    matrix : ndarray, shape (K, K)
        Coefficients, -1 to 1.
    """

    names: tuple[str, ...]
    matrix: FloatArray

    @property
    def strong(self) -> tuple[tuple[str, str, float], ...]:
        """Pairs with at least STRONG, the strongest first."""
        first, second = np.triu_indices(len(self.names), 1)
        values = self.matrix[first, second]
        order = [k for k in np.argsort(-np.abs(values), kind="stable") if abs(values[k]) >= STRONG]
        return tuple((self.names[first[k]], self.names[second[k]], float(values[k])) for k in order)


def correlation(estimate: ParameterEstimate) -> Correlation:
    """Correlations of an estimate; what data do not show has none, and parameters that are known are left out."""
    variance = np.diag(estimate.covariance)
    chosen = [i for i, status in enumerate(estimate.status) if status != UNIDENTIFIABLE and variance[i] > 0.0]
    std = np.sqrt(variance[chosen])
    matrix = estimate.covariance[np.ix_(chosen, chosen)] / np.outer(std, std)
    return Correlation(tuple(estimate.names[i] for i in chosen), np.clip(matrix, -1.0, 1.0))
