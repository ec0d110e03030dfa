# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""An estimate as mean and square root, in units of the prior's deviations: what the filters of this room build on."""

from __future__ import annotations

import numpy as np

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel
from pkm_identification.parameters.prior import Prior


@kernel
def to_prior_units(columns, measured, prior, scaled, target):
    """Write an equation in units of a prior (mean, std): columns (m, P), and measured (m,) less what the mean gives."""
    mean, std = prior
    for k in range(columns.shape[0]):
        left = measured[k]
        for i in range(columns.shape[1]):
            left -= columns[k, i] * mean[i]
            scaled[k, i] = columns[k, i] * std[i]
        target[k] = left


class ScaledFilter:
    """An estimate that starts at its prior.

    Everything inside is in units of the prior's standard deviation, so that parameters of 1e-6 and of 1e3 are alike.

    Attributes
    ----------
    prior : Prior
    count : int
        Equations taken.
    """

    def __init__(self, prior: Prior) -> None:
        self.prior = prior
        # as kernels are called, see `unscented.linear_step`
        self._plain_prior = prior.mean, prior.std
        self.reset()

    def reset(self) -> None:
        """Return to the prior."""
        width = len(self.prior.mean)
        self._mean = np.zeros(width)
        self._root = np.eye(width)
        self.count = 0

    @property
    def mean(self) -> FloatArray:
        """Estimate in SI units, shape (P,)."""
        return self.prior.mean + self.prior.std * self._mean

    @property
    def covariance(self) -> FloatArray:
        """Covariance in SI units, shape (P, P)."""
        return self.scaled_covariance * np.outer(self.prior.std, self.prior.std)

    @property
    def scaled_covariance(self) -> FloatArray:
        """Covariance in units of the prior's standard deviations."""
        return self._root @ self._root.T

    @property
    def scaled_state(self) -> tuple[FloatArray, FloatArray]:
        """Mean (P,) less the prior's and a square root S (P, P) of the covariance, in the prior's deviations."""
        return self._mean, self._root
