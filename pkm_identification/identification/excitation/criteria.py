# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a motion is worth: numbers of its information that no unit changes, smaller is better.

All are of the covariance C = (S Y^T Y S + p)^-1 of parameters in units of their own sizes S, for a noise of one on the
weighted rows of Y; p is a prior of a thousand sizes that keeps it finite where a motion shows nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.estimation.identifiability.homogenized import homogenize_regressor
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter import Kind

D, A, E, CONDITION = "d", "a", "e", "condition"
CRITERIA = (D, A, E, CONDITION)
_PRIOR = 1e-6
_WEIGHTED = (A, E)
_NO_WORSE = 1.05  # times the deviation after the motion that one begins with
_PROTECTION = 300.0  # of the square of the logarithm of what is more than that


class Criterion:
    """A criterion for a set of parameters.

    Parameters
    ----------
    name : {'d', 'a', 'e', 'condition'}
        Log-determinant of the covariance; weighted mean of the logarithms of the variances; logarithm of its largest
        eigenvalue, rows and columns times the weights; condition of the unitless regressor (`homogenize_regressor`).
    scale : ndarray, shape (P,)
    kinds : sequence of Kind
    weights : ndarray, shape (P,), optional
    earlier : ndarray, shape (R, P), optional
        Weighted rows of what is recorded already.

    Raises
    ------
    SettingsError
        If there is no such criterion, or it takes no weights.
    """

    def __init__(
        self,
        name: str,
        scale: FloatArray,
        kinds: Sequence[Kind],
        weights: FloatArray | None = None,
        earlier: FloatArray | None = None,
    ) -> None:
        if name not in CRITERIA:
            raise SettingsError(f"criterion '{name}': must be one of {', '.join(CRITERIA)}")
        if weights is not None and name not in _WEIGHTED:
            raise SettingsError(
                f"criterion '{name}' does not change with weights; {' and '.join(_WEIGHTED)} do"
            )
        self._name, self._scale, self._kinds = name, scale, tuple(kinds)
        self._weights = np.ones(len(scale)) if weights is None else weights
        self._earlier = earlier
        self._known = _PRIOR * np.eye(len(scale))
        self._most: FloatArray | None = None
        if earlier is not None:
            scaled = earlier * scale
            self._known = self._known + scaled.T @ scaled

    def covariance(self, columns: FloatArray) -> FloatArray:
        """C of weighted rows (R, P) and of what is known already."""
        return np.asarray(np.linalg.inv(self._information(columns)), dtype=np.float64)

    def deviations(self, columns: FloatArray) -> FloatArray:
        """Return standard deviations (P,) in units of the parameters' own sizes."""
        # what is known already has no smaller eigenvalue: below it there is rounding, which can be negative
        size, direction = np.linalg.eigh(self._information(columns))
        return np.asarray(np.sqrt(direction**2 @ (1.0 / np.maximum(size, _PRIOR))), dtype=np.float64)

    def protect(self, reference: FloatArray) -> None:
        """Let it cost where a parameter that has a weight is shown worse than by these weighted rows (R, P)."""
        self._most = np.log(np.diag(self.covariance(reference))) + 2 * np.log(_NO_WORSE)

    def _worse(self, covariance: FloatArray) -> FloatArray:
        """Logarithms of what each deviation is more than input validation allows, (P,)."""
        if self._most is None:
            return np.zeros(len(covariance))
        excess = 0.5 * np.maximum(np.log(np.diag(covariance)) - self._most, 0.0)
        return np.where(self._weights > 0, excess, 0.0)

    def _information(self, columns: FloatArray) -> FloatArray:
        scaled = columns * self._scale
        return scaled.T @ scaled + self._known

    @property
    def smooth(self) -> bool:
        """Whether it has a derivative by the information."""
        return self._name != CONDITION

    def slope(self, rows: FloatArray) -> FloatArray:
        """Return derivative (P, P) of the criterion by the information Y^T Y of weighted rows (R, P)."""
        covariance, scale = self.covariance(rows), self._scale
        if self._name == D:
            by_scaled = -covariance
        elif self._name == A:
            share = self._weights / self._weights.sum() / np.diag(covariance)
            by_scaled = -(covariance * share) @ covariance
        else:
            weighted = covariance * np.outer(self._weights, self._weights)
            values, vectors = np.linalg.eigh(weighted)
            worst = covariance @ (self._weights * vectors[:, -1])
            by_scaled = -np.outer(worst, worst) / values[-1]
        share = _PROTECTION * self._worse(covariance) / np.diag(covariance)
        by_scaled = by_scaled - (covariance * share) @ covariance
        return by_scaled * np.outer(scale, scale)

    def __call__(self, columns: FloatArray) -> float:
        if self._name == CONDITION:
            rows = columns if self._earlier is None else np.concatenate([self._earlier, columns])
            unitless = homogenize_regressor(rows, self._kinds)
            # what is not shown at all is worse than any condition
            return (
                unitless.condition if unitless.rank == len(self._scale) else 1e15 * (1 - unitless.rank / 1e3)
            )
        covariance = self.covariance(columns)
        cost = _PROTECTION * float(np.sum(self._worse(covariance) ** 2))
        if self._name == D:
            return cost - float(np.linalg.slogdet(self._information(columns))[1])
        if self._name == A:
            return cost + float(self._weights @ np.log(np.diag(covariance)) / self._weights.sum())
        weighted = covariance * np.outer(self._weights, self._weights)
        return cost + float(np.log(np.linalg.eigvalsh(weighted)[-1]))
