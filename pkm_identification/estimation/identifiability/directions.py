# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a motion shows, direction by direction: singular vectors of the unitless regressor (`homogenize_regressor`).

D = [U_m U_c U_J ...] acts on y_g = W_g V_g^T z_g. A singular vector v of D is a direction of y; E = V_g v_g, group by
group, has an entry for each parameter, and the null space of each V_g^T what its group does not show at all. Together
they are an orthogonal matrix without a unit: E_ij^2 is the share of parameter i in direction j, the shares of a
direction add up to one, and so do those of a parameter. (E and its shares are ours: the text ends at the groups.)

D has no size: half the amplitude makes the same D as long as the directions stay. How strongly a direction is shown is
therefore asked of columns divided by the largest singular value of their kind, which changes with no unit either.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter import Kind

from .base_parameters import RANK_TOLERANCE
from .homogenized import homogenize_regressor


@dataclass(frozen=True)
class SingularDirections:
    """Directions of a set of P parameters, those shown best first.

    Attributes
    ----------
    values : ndarray, shape (P,)
        Singular values of D, falling, between 0 and the root of the number of kinds; zero along what a kind of
        parameter does not show by itself.
    shares : ndarray, shape (P, P)
        Of each parameter (row) in each direction (column).
    sizes : ndarray, shape (P,)
        One over the largest singular value of each column's kind; zero of a kind that does nothing.
    """

    values: FloatArray
    shares: FloatArray
    sizes: FloatArray

    @property
    def relative(self) -> FloatArray:
        """Singular values over the largest one, (P,); zeros where nothing is shown at all."""
        return _normalise(self.values)

    @property
    def rank(self) -> int:
        """How many directions are shown."""
        return int(np.count_nonzero(self.relative > RANK_TOLERANCE))


@dataclass(frozen=True)
class Growth:
    """How the weakest direction that a motion shows comes up as there is more of the motion.

    Attributes
    ----------
    steps : ndarray, shape (K,)
        Of time in s, or parts of the amplitude.
    relative : ndarray, shape (K,)
        s_r / s_1 of columns over the size of their kind, r the rank of the whole.
    """

    steps: FloatArray
    relative: FloatArray


def singular_directions(rows: FloatArray, kinds: Sequence[Kind]) -> SingularDirections:
    """Decompose a regressor.

    Parameters
    ----------
    rows : ndarray, shape (R, P)
        All in the same unit.
    kinds : sequence of Kind, length P
        Columns of a kind have one unit.

    Raises
    ------
    ValueError
        As `homogenize_regressor`.
    """
    unitless = homogenize_regressor(rows, kinds)
    count = unitless.count
    _, shown, transposed = np.linalg.svd(_pad_rows(unitless.matrix), full_matrices=False)
    values, vectors, sizes = np.zeros(count), np.zeros((count, count)), np.zeros(count)
    values[: len(shown)] = shown
    index, free = 0, len(shown)
    for group in unitless.groups:
        own = slice(index, index + group.rank)
        vectors[group.columns, : len(shown)] = group.parameters @ transposed[:, own].T
        unseen = np.linalg.svd(group.parameters)[0][:, group.rank :]
        vectors[group.columns, free : free + unseen.shape[1]] = unseen
        if group.rank:
            sizes[group.columns] = 1.0 / group.values[0]
        index, free = own.stop, free + unseen.shape[1]
    return SingularDirections(values, vectors**2, sizes)


def growth(parts: Sequence[FloatArray], steps: FloatArray, sizes: FloatArray, rank: int) -> Growth:
    """s_r / s_1 of some regressors (R, P) of ever more motion, a step each.

    Parameters
    ----------
    parts : sequence of ndarray
    steps : ndarray, shape (K,)
    sizes : ndarray, shape (P,)
        What columns are multiplied by: `SingularDirections.sizes` of the whole motion.
    rank : int
        Of the whole motion, r.
    """
    spectra = [np.asarray(np.linalg.svd(_pad_rows(rows * sizes), compute_uv=False)) for rows in parts]
    ratios = [_normalise(values)[rank - 1] if rank else 0.0 for values in spectra]
    return Growth(np.asarray(steps, dtype=float), np.array(ratios))


def _pad_rows(rows: FloatArray) -> FloatArray:
    """Return rows with zeros below, as many as columns at least."""
    missing = max(rows.shape[1] - len(rows), 0)
    return np.concatenate([rows, np.zeros((missing, rows.shape[1]))])


def _normalise(values: FloatArray) -> FloatArray:
    """Falling values over the largest; zeros where that is zero."""
    return values / values[0] if len(values) and values[0] > 0 else np.zeros_like(values)
