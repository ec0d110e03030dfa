# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The extended Kalman filter for parameters: the model's own derivative instead of sigma points."""

from __future__ import annotations

import numpy as np

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.linear_systems import lower_cholesky, whiten

from .scaled_filter import to_prior_units
from .square_root import normalized_square, potter_update
from .unscented import (
    RandomWalk,
    ScaledEstimate,
    UnscentedFilter,
    adapt,
    time_update,
    variances,
)


@kernel
def jacobian_step(columns, measured, prior, noise, gate, tuning, walk, estimate):
    """Time update, measurement update by columns = d output / d parameters, adaptation: (NIS, status).

    Prior and the last three are plain tuples as those of `linear_step`.
    """
    _, kind, rate = tuning
    walk, estimate = RandomWalk(*walk), ScaledEstimate(*estimate)
    mean, root = estimate.mean, estimate.root
    size, width = columns.shape
    scaled, innovation = np.empty((size, width)), np.empty(size)
    to_prior_units(columns, measured, prior, scaled, innovation)
    before = np.empty(width)
    time_update(root, walk.process, walk.least, before)
    factor = np.zeros((size, size))
    if not lower_cholesky(noise, factor):
        return np.inf, 2
    rows = np.zeros((size, width))
    for k in range(size):
        left = innovation[k]
        for i in range(width):
            left -= scaled[k, i] * mean[i]
            for j in range(width):
                rows[k, j] += scaled[k, i] * root[i, j]
        innovation[k] = left
    whiten(factor, rows, innovation)
    nis = normalized_square(rows, innovation, np.empty((size, size)), factor, np.empty(size))
    if not np.isfinite(nis):
        return np.inf, 2
    if nis > gate:
        return nis, 1
    start = mean.copy()
    potter_update(mean, root, rows, innovation)
    if kind > 0:
        after = np.empty(width)
        variances(root, after)
        adapt(kind, rate, mean - start, before - after, walk.process, walk.ratio)
    return nis, 0


class ExtendedFilter(UnscentedFilter):
    """Random-walk parameters estimated by the EKF; settings and state as the UKF's."""

    def step_linear(
        self, columns: FloatArray, measured: FloatArray, noise: FloatArray, gate: float = np.inf
    ) -> tuple[float, bool]:
        """Take one measurement of a linear model; see `UnscentedFilter.step_linear`."""
        nis, status = jacobian_step(
            columns, measured, self._plain_prior, noise, gate, self._plain_tuning,
            (self._process, self._ratio, self._walk), (self._mean, self._root),
        )  # fmt: skip
        self.count += status == 0
        return float(nis), status == 0
