# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Base parameters: the smallest set of combinations that a model's forces depend on, found numerically.

With columns W (rows x P), rank r, a permutation puts r independent columns W_1 first, and W_2 = W_1 B. Then

    W w = W_1 (w_1 + B w_2) :

the r sums w_1 + B w_2 are the base parameters (Gautier; Iriarte et al., arXiv 1706.09153, eq. 5-9), W_2 - W_1 B = 0
their test. Columns are scaled to unit norm first, so that units do not decide the pivots, and the pivots come from a
rank-revealing QR. Structure is a property of the model: it is found on random states, never on measured ones.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr, solve_triangular

from pkm_identification.numerics.arrays import FloatArray

# Singular values of unit columns: rounding leaves some 1e-15, motions as large as a machine's show more than 1e-4.
RANK_TOLERANCE = 1e-10
# A column counts as zero below this part of the largest one, a grouping coefficient in unit columns below it.
ZERO = 1e-12
NEGLIGIBLE = 1e-9
CLEAR_RIDGE = 1e5
# Largest singular value that rounding alone leaves of unit columns, per row or column: LAPACK's bound. Measured of
# hexapods and four-bars: 4e-16 and less, whatever their size.
ROUNDING = float(np.finfo(float).eps)


@dataclass(frozen=True)
class BaseParameters:
    """What a model's parameters come down to.

    Attributes
    ----------
    names : tuple of str, length P
    independent : ndarray of int64, shape (r,)
        Parameters that stand for a base parameter each, in their original order.
    grouped : ndarray of int64, shape (G,)
        Parameters that only enter sums.
    invisible : ndarray of int64, shape (P - r - G,)
        Parameters without any effect.
    coefficients : ndarray, shape (r, G)
        B: base = w[independent] + B w[grouped].
    singular_values : ndarray, shape (P - len(invisible),)
        Of the columns scaled to unit norm, falling.
    rounding : float
        Singular values up to here can be rounding alone.
    """

    names: tuple[str, ...]
    independent: NDArray[np.int64]
    grouped: NDArray[np.int64]
    invisible: NDArray[np.int64]
    coefficients: FloatArray
    singular_values: FloatArray
    rounding: float

    @property
    def count(self) -> int:
        """How many base parameters there are: the rank."""
        return len(self.independent)

    @property
    def ridge(self) -> float:
        """Smallest singular value kept over the largest given up; inf when none is."""
        if self.count == 0 or self.count == len(self.singular_values):
            return float("inf")
        return float(self.singular_values[self.count - 1] / max(self.singular_values[self.count], 1e-300))

    @property
    def clear(self) -> bool:
        """Whether the singular values leave no doubt of the rank; small motions leave some.

        A wide ridge is not enough: what a motion hardly shows can lie below one. What is given up must be rounding.
        """
        return clear_ridge(self.singular_values, self.count, self.rounding)

    @property
    def mapping(self) -> FloatArray:
        """Base parameters of parameters: base = mapping w, shape (r, P)."""
        mapping = np.zeros((self.count, len(self.names)))
        mapping[np.arange(self.count), self.independent] = 1.0
        mapping[:, self.grouped] = self.coefficients
        return mapping

    @property
    def groupings(self) -> tuple[str, ...]:
        """Each base parameter as a sum of parameters, as in 'm_p + 0.4 m_e'."""
        return tuple(self._grouping(k) for k in range(self.count))

    def _grouping(self, k: int) -> str:
        text = self.names[self.independent[k]]
        for j in np.flatnonzero(self.coefficients[k]):
            weight = self.coefficients[k, j]
            size = f"{abs(weight):.4g} "
            text += (" - " if weight < 0 else " + ") + ("" if size == "1 " else size)
            text += self.names[self.grouped[j]]
        return text


def rounding_level(shape: tuple[int, ...], largest: float) -> float:
    """Return largest singular value that rounding alone leaves of a matrix with this shape and this largest one."""
    return max(shape) * ROUNDING * largest


def clear_ridge(values: FloatArray, rank: int, rounding: float) -> bool:
    """Return whether a wide ridge stands at a rank of falling singular values, and rounding alone below it."""
    if rank in (0, len(values)):
        return True
    return bool(values[rank - 1] > CLEAR_RIDGE * values[rank] and values[rank] <= rounding)


def base_parameters(
    columns: FloatArray,
    names: tuple[str, ...],
    tolerance: float = RANK_TOLERANCE,
    keep: Collection[str] = (),
) -> BaseParameters:
    """Base parameters of a regressor.

    Parameters
    ----------
    columns : ndarray, shape (..., P)
        A regressor on states that show everything the model has; leading axes are rows. All rows in the same unit.
    names : tuple of str, length P
    tolerance : float
        Singular values (columns scaled to unit norm) below this part of the largest count as zero.
    keep : collection of str
        Parameters to let others be grouped with, as far as they are independent of each other.

    Returns
    -------
    BaseParameters

    Raises
    ------
    ValueError
        If names and columns do not fit, there are fewer rows than columns, or a value is not finite.
    """
    rows = np.asarray(columns, dtype=float).reshape(-1, np.shape(columns)[-1])
    if rows.shape[1] != len(names):
        raise ValueError(f"{len(names)} names for {rows.shape[1]} columns")
    if rows.shape[0] < rows.shape[1]:
        raise ValueError(
            f"{rows.shape[0]} equations are too few for the structure of {rows.shape[1]} parameters"
        )
    if not np.isfinite(rows).all():
        raise ValueError("the columns hold values that are not finite (singular poses?)")
    norms = np.linalg.norm(rows, axis=0)
    visible = np.flatnonzero(norms > ZERO * norms.max(initial=0.0))
    none = np.empty(0, dtype=np.int64)
    if visible.size == 0:
        return BaseParameters(
            tuple(names), none, none, np.arange(len(names)), np.empty((0, 0)), np.empty(0), 0.0
        )
    norms = norms[visible]
    # the triangle has the columns' geometry in fewer rows
    unit = qr(rows[:, visible] / norms, mode="r")[0][: visible.size]
    values = np.linalg.svd(unit, compute_uv=False)
    rank = int(np.count_nonzero(values > tolerance * values[0]))
    wanted = np.array([names[k] in keep for k in visible])
    pivots = _order_pivots(unit, wanted, tolerance * values[0])
    triangle = qr(unit[:, pivots], mode="r")[0]
    scaled = solve_triangular(triangle[:rank, :rank], triangle[:rank, rank:])
    scaled[np.abs(scaled) < NEGLIGIBLE] = 0.0
    kept, given_up = pivots[:rank], pivots[rank:]
    coefficients = scaled * norms[given_up] / norms[kept][:, None]
    first, second = np.argsort(kept), np.argsort(given_up)
    return BaseParameters(
        names=tuple(names),
        independent=visible[kept[first]].astype(np.int64),
        grouped=visible[given_up[second]].astype(np.int64),
        invisible=np.setdiff1d(np.arange(len(names)), visible),
        coefficients=coefficients[first][:, second],
        singular_values=values,
        rounding=rounding_level(rows.shape, float(values[0])),
    )


def _order_pivots(unit: FloatArray, wanted: NDArray[np.bool_], threshold: float) -> NDArray[np.int64]:
    """Order of columns by rank-revealing QR, independent wanted ones first."""
    first, rest = np.flatnonzero(wanted), np.flatnonzero(~wanted)
    basis: FloatArray = np.empty((len(unit), 0))
    if first.size:
        directions, triangle, order = qr(unit[:, first], mode="economic", pivoting=True)
        rank = int(np.count_nonzero(np.abs(np.diag(triangle)) > threshold))
        basis = directions[:, :rank].astype(float, copy=False)
        rest = np.concatenate([rest, first[order[rank:]]])
        first = first[order[:rank]]
    left = unit[:, rest] - basis @ (basis.T @ unit[:, rest])
    return np.concatenate([first, rest[qr(left, mode="r", pivoting=True)[1]]])
