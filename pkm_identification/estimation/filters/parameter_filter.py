# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a recursive estimator of parameters is to those who use it.

`RecursiveEstimator`, the payload watch, the estimate's publisher and its keeper need nothing else. A new estimator is
one file with a class of these members and one line in `recursive.FILTERS`.
"""

from __future__ import annotations

from typing import Protocol, TypeAlias, runtime_checkable

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.prior import Prior

# What is believed of P parameters, as kernels take it: center, scale, moved (P,) and root (P, n). Their mean is
# center + scale moved, root is a square root of their covariance in units of scale. Names would cost a call 2 us.
Belief: TypeAlias = tuple[FloatArray, FloatArray, FloatArray, FloatArray]


@runtime_checkable
class ParameterFilter(Protocol):
    """An estimate of P parameters that takes equations of m outputs, linear in them, one by one.

    Attributes
    ----------
    count : int
        Equations taken.
    """

    count: int

    @property
    def prior(self) -> Prior:
        """Where the estimate starts; its standard deviations are the units of everything `scaled`."""

    @property
    def mean(self) -> FloatArray:
        """Estimate, shape (P,), SI units."""

    @property
    def covariance(self) -> FloatArray:
        """Covariance, shape (P, P), SI units."""

    @property
    def scaled_covariance(self) -> FloatArray:
        """Covariance, shape (P, P), in units of the prior's standard deviations."""

    @property
    def scaled_state(self) -> tuple[FloatArray, FloatArray]:
        """Mean (P,) less the prior's and a square root S (P, P) of the covariance, in the prior's deviations."""

    def reset(self) -> None:
        """Return to the prior."""

    def start_from(self, mean: FloatArray, covariance: FloatArray) -> None:
        """Continue from an estimate in SI units, whose covariance is not larger than the prior's."""

    def step_linear(
        self, columns: FloatArray, measured: FloatArray, noise: FloatArray, gate: float = ...
    ) -> tuple[float, bool]:
        """Take one equation measured (m,) = columns (m, P) parameters + noise of covariance (m, m).

        Returns its normalised innovation squared and whether it was taken; one whose square exceeds `gate`, or whose
        numbers are not finite, changes nothing.
        """


@runtime_checkable
class DriftingFilter(ParameterFilter, Protocol):
    """A filter whose parameters may walk."""

    def add_process_noise(self, std: FloatArray) -> None:
        """Set the random walk's standard deviation (P,) per step, SI units."""
