# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Base parameters by Gautier's null space form, and what it does in double precision (Iriarte et al. 2017).

W (rows x P) = U S V^T; the last P - r columns of V, V_2, span the null space: W (w + V_2 a) = W w for every a. With
P - r rows of V_2 that are regular, V_22, the parameters of those rows are eliminated, and base = w_1 + B w_2 with
B = -V_21 V_22^-1 (eq. 5-8). Columns are taken as they are, without a scale, as the text takes them.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pkm_identification.numerics.arrays import FloatArray

from .base_parameters import rounding_level

# A pivot below this part of the largest left is not taken for a parameter that is wanted out.
_SMALL_PIVOT = 1e-6


@dataclass(frozen=True)
class Eliminated:
    """A null space as parameters that are given up and what they come to in the others.

    Attributes
    ----------
    kept : ndarray of int64, shape (r,)
        In their original order.
    given_up : ndarray of int64, shape (P - r,)
        In their original order.
    coefficients : ndarray, shape (r, P - r)
        B: base = w[kept] + B w[given_up], numbers of the null space's arithmetic.
    """

    kept: NDArray[np.int64]
    given_up: NDArray[np.int64]
    coefficients: Any


def eliminated(null_space: Any, wanted: Collection[int] = ()) -> Eliminated:
    """B = -V_21 V_22^-1 by Gauss-Jordan elimination with full pivoting, in the arithmetic of what is given.

    Parameters
    ----------
    null_space : ndarray, shape (P, P - r)
        Columns span the null space: floats, mpmath numbers or fractions.
    wanted : collection of int
        Parameters to give up first, as far as the null space allows.

    Returns
    -------
    Eliminated
    """
    work = np.array(null_space).T.copy()
    count, size = work.shape
    order: list[int] = []
    for step in range(count):
        left = np.array([j for j in range(size) if j not in order], dtype=np.int64)
        sizes = np.abs(work[step:][:, left])
        best = sizes.max()
        first = np.array([j in wanted for j in left])
        if first.any() and sizes[:, first].max() > _SMALL_PIVOT * best:
            left, sizes = left[first], sizes[:, first]
        row, column = np.unravel_index(int(np.argmax(sizes)), sizes.shape)
        pivot = int(left[column])
        work[[step, step + row]] = work[[step + row, step]]
        work[step] = work[step] / work[step, pivot]
        others = np.arange(count) != step
        work[others] = work[others] - work[others][:, [pivot]] * work[step]
        order.append(pivot)
    given_up = np.sort(np.array(order, dtype=np.int64))
    kept = np.setdiff1d(np.arange(size), given_up)
    rows = np.argsort(np.array(order, dtype=np.int64))
    return Eliminated(kept, given_up, -work[rows][:, kept].T)


@dataclass(frozen=True)
class DoubleSpectrum:
    """Singular values of a regressor in double precision.

    Attributes
    ----------
    singular_values : ndarray, shape (P,)
        Falling; columns as they are.
    tolerance : float
        NumPy's: the larger side of the regressor times the machine epsilon times the largest value.
    null_space : ndarray, shape (P, P)
        V, columns in the order of the singular values.
    """

    singular_values: FloatArray
    tolerance: float
    null_space: FloatArray

    @property
    def rank(self) -> int:
        """NumPy's rank: how many singular values exceed the tolerance; what a motion hardly shows can be below it."""
        return int(np.count_nonzero(self.singular_values > self.tolerance))

    def eliminate(self, wanted: Collection[int] = (), rank: int | None = None) -> Eliminated:
        """Base parameters of NumPy's rank, or with another rank forced."""
        return eliminated(self.null_space[:, self.rank if rank is None else rank :], wanted)


def compute_double_spectrum(columns: FloatArray) -> DoubleSpectrum:
    """Singular values and null space of a regressor (..., P) with at least P rows, in double precision.

    Raises
    ------
    ValueError
        If there are fewer rows than columns or a value is not finite.
    """
    rows = np.asarray(columns, dtype=float).reshape(-1, np.shape(columns)[-1])
    if rows.shape[0] < rows.shape[1]:
        raise ValueError(
            f"{rows.shape[0]} equations are too few for the structure of {rows.shape[1]} parameters"
        )
    if not np.isfinite(rows).all():
        raise ValueError("the columns hold values that are not finite (singular poses?)")
    _, values, transposed = np.linalg.svd(rows, full_matrices=False)
    tolerance = rounding_level(rows.shape, float(values[0]))
    return DoubleSpectrum(values, tolerance, transposed.T)


def compute_spurious_coefficients(coefficients: Any, true: Any, zero: float) -> int:
    """Return how many coefficients are not zero though the true ones are: no larger than `zero`."""
    nothing = np.abs(np.asarray(true)) <= zero
    return int(np.count_nonzero(np.asarray(coefficients)[nothing]))
