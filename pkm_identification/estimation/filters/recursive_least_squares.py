# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Recursive least squares with exponential forgetting, by QR of the information.

The data seen so far are kept as a triangle R and a right side z with R^T R = sum lambda^(k-i) H_i^T N^-1 H_i; the next
equation is stacked below sqrt(lambda) [R z] and triangularised anew (Bierman 1977, chapter V), so nothing is ever
subtracted. The prior is kept apart and never forgotten: the estimate solves [R; 1] w = [z; w_0]. Hence with lambda = 1
it is batch least squares with that prior, and with lambda < 1 a direction no longer excited returns to the prior, its
standard deviation too, where the usual form's covariance grows without bound.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.linear_systems import lower_cholesky, whiten
from pkm_identification.numerics.rows import copy_matrix, copy_vector
from pkm_identification.parameters.prior import Prior

from .scaled_filter import ScaledFilter, to_prior_units
from .square_root import normalized_square, triangularize
from .unscented import UnscentedSettings


@kernel
def with_prior(data, center, mean, root):
    """Mean, and the square root (triangle^-1) of the covariance, of data [R z] with the unit normal at `center`."""
    size = data.shape[0]
    joined = np.zeros((2 * size, size + 1))
    copy_matrix(data, joined[:size])
    for i in range(size):
        joined[size + i, i] = 1.0
        joined[size + i, size] = center[i]
    triangularize(joined, size)
    root[:] = 0.0
    for k in range(size):
        root[k, k] = 1.0 / joined[k, k]
        for i in range(k - 1, -1, -1):
            total = 0.0
            for j in range(i + 1, k + 1):
                total += joined[i, j] * root[j, k]
            root[i, k] = -total / joined[i, i]
    for i in range(size):
        mean[i] = 0.0
        for j in range(i, size):
            mean[i] += root[i, j] * joined[j, size]


@kernel
def absorb_rows(columns, measured, prior, noise, forgetting, gate, seen, estimate):
    """Forget, take one equation, solve anew: (NIS, status) as the other filters; state changes only with status 0.

    `prior` is (mean, std), `seen` the data [R z] and the prior's center, `estimate` mean and root.
    """
    data, center = seen
    mean, root = estimate
    size, width = columns.shape
    scaled, target = np.empty((size, width)), np.empty(size)
    to_prior_units(columns, measured, prior, scaled, target)
    faded = np.sqrt(forgetting) * data
    if forgetting < 1.0:
        before, before_root = np.empty(width), np.empty((width, width))
        with_prior(faded, center, before, before_root)
    else:
        before, before_root = mean, root
    innovation = target - scaled @ before
    rows = scaled @ before_root
    factor = np.zeros((size, size))
    if not lower_cholesky(noise, factor):
        return np.inf, 2
    whiten(factor, rows, innovation)
    nis = normalized_square(rows, innovation, np.empty((size, size)), factor, np.empty(size))
    if not np.isfinite(nis):
        return np.inf, 2
    if nis > gate:
        return nis, 1
    lower_cholesky(noise, factor)
    stacked = np.empty((width + size, width + 1))
    copy_matrix(faded, stacked[:width])
    whiten(factor, scaled, target)
    copy_matrix(scaled, stacked[width:, :width])
    copy_vector(target, stacked[width:, width])
    triangularize(stacked, width)
    copy_matrix(stacked[:width], data)
    with_prior(data, center, mean, root)
    return nis, 0


class RecursiveLeastSquares(ScaledFilter):
    """Parameters by exponentially forgetting least squares; used as `UnscentedFilter` is.

    Parameters
    ----------
    prior : Prior
    outputs : int
        Number m of outputs of the model.
    settings : UnscentedSettings
        Of which only `forgetting` matters: 1 - 1 / n remembers about n equations. There is no process noise.
    """

    def __init__(self, prior: Prior, outputs: int, settings: UnscentedSettings | None = None) -> None:
        self.settings = settings or UnscentedSettings()
        super().__init__(prior)

    def reset(self) -> None:
        """Return to the prior."""
        super().reset()
        width = len(self._mean)
        self._data = np.zeros((width, width + 1))
        self._center = np.zeros(width)

    def start_from(self, mean: FloatArray, covariance: FloatArray) -> None:
        """Continue from an estimate in SI units; what is forgotten returns to that mean from now on."""
        self._center = (np.asarray(mean) - self.prior.mean) / self.prior.std
        scaled = np.asarray(covariance) / np.outer(self.prior.std, self.prior.std)
        values, vectors = np.linalg.eigh(scaled)
        gained = np.maximum(1.0 / np.maximum(values, 1e-300) - 1.0, 0.0)
        triangle = np.linalg.qr(np.sqrt(gained)[:, None] * vectors.T, mode="r")
        self._data = np.column_stack([triangle, triangle @ self._center])
        with_prior(self._data, self._center, self._mean, self._root)

    def step_linear(
        self, columns: FloatArray, measured: FloatArray, noise: FloatArray, gate: float = np.inf
    ) -> tuple[float, bool]:
        """Take one measurement of a linear model; see `UnscentedFilter.step_linear`."""
        nis, status = absorb_rows(
            columns, measured, self._plain_prior, noise, self.settings.forgetting, gate,
            (self._data, self._center), (self._mean, self._root),
        )  # fmt: skip
        self.count += status == 0
        return float(nis), status == 0
