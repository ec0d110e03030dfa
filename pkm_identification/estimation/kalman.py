"""The extended Kalman filter for parameters: the model's own derivative instead of sigma points."""

from __future__ import annotations

import numpy as np

from ..compiled import kernel
from ..motion import FloatArray
from .prior import Prior
from .square_root import inflate, lower_cholesky, normalized_square, potter_update, whiten
from .unscented import UnscentedFilter


@kernel
def jacobian_step(columns, innovation, noise, process, gate, adaptation, mean, root, work):
    """Time update, measurement update by columns = d output / d parameters, Robbins-Monro: (NIS, status)."""
    size, width = columns.shape
    noisy = False
    for j in range(width):
        noisy = noisy or process[j] > 0.0
    if noisy:
        inflate(root, process, work)
    factor = np.zeros((size, size))
    if not lower_cholesky(noise, factor):
        return np.inf, 2
    rows = np.zeros((size, width))
    for k in range(size):
        for i in range(width):
            for j in range(width):
                rows[k, j] += columns[k, i] * root[i, j]
    whiten(factor, rows, innovation)
    nis = normalized_square(rows, innovation, np.empty((size, size)), factor, np.empty(size))
    if not np.isfinite(nis):
        return np.inf, 2
    if nis > gate:
        return nis, 1
    before = mean.copy()
    potter_update(mean, root, rows, innovation, np.empty(width))
    for j in range(width):
        process[j] = (1.0 - adaptation) * process[j] + adaptation * (mean[j] - before[j]) ** 2
    return nis, 0


class ExtendedFilter(UnscentedFilter):
    """Random-walk parameters estimated by the EKF; settings and state as the UKF's."""

    def __init__(self, prior: Prior, outputs: int, settings=None) -> None:  # noqa: ANN001
        super().__init__(prior, outputs, settings)

    def step_linear(
        self, columns: FloatArray, measured: FloatArray, noise: FloatArray, gate: float = np.inf
    ) -> tuple[float, bool]:
        """Take one measurement of a linear model; see `UnscentedFilter.step_linear`."""
        scaled = columns * self.prior.std
        innovation = measured - columns @ self.prior.mean - scaled @ self._mean
        nis, status = jacobian_step(
            scaled, innovation, noise, self._process, gate, self._rate(), self._mean, self._root, self._work
        )
        self.count += status == 0
        return float(nis), status == 0
