"""The extended Kalman filter for parameters: the model's own derivative instead of sigma points."""

from __future__ import annotations

import numpy as np

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.linear_systems import lower_cholesky, whiten

from .square_root import normalized_square, potter_update
from .unscented import (
    UnscentedFilter,
    adapt,
    time_update,
    variances,
)


@kernel
def jacobian_step(columns, innovation, noise, process, ratio, gate, kind, rate, mean, root, work, before,
                  after):  # fmt: skip
    """Time update, measurement update by columns = d output / d parameters, adaptation: (NIS, status)."""
    size, width = columns.shape
    time_update(root, process, work, before)
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
    started = mean.copy()
    potter_update(mean, root, rows, innovation, np.empty(width))
    if kind > 0:
        variances(root, after)
        adapt(kind, rate, mean - started, before - after, process, ratio)
    return nis, 0


class ExtendedFilter(UnscentedFilter):
    """Random-walk parameters estimated by the EKF; settings and state as the UKF's."""

    def step_linear(
        self, columns: FloatArray, measured: FloatArray, noise: FloatArray, gate: float = np.inf
    ) -> tuple[float, bool]:
        """Take one measurement of a linear model; see `UnscentedFilter.step_linear`."""
        scaled = columns * self.prior.std
        innovation = measured - columns @ self.prior.mean - scaled @ self._mean
        np.maximum(self._process, self._walk, out=self._process)
        nis, status = jacobian_step(
            scaled, innovation, noise, self._process, self._ratio, gate, self._kind, self.settings.rate, self._mean,
            self._root, self._work, self._before, self._after,
        )  # fmt: skip
        self.count += status == 0
        return float(nis), status == 0
