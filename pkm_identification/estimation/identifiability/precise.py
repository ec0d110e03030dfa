# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Base parameters in as many digits as it takes: which singular values fall with the digits, and which stay.

In exact arithmetic a regressor's rank is plain; in floating point what a motion hardly shows looks like rounding.
Rounding falls with the number of digits, a genuine value does not: the regressor is made with D1 and with D2 > D1
digits, and each singular value is kept, null or undecided by what became of it (Iriarte et al. 2017, section on
variable precision; the numbers of the rule are ours). While one is undecided, the digits are doubled.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pkm_identification.errors import SettingsError

from .null_space import Eliminated, eliminated

KEPT, NULL, UNDECIDED = "kept", "null", "undecided"
# A kept value agrees with itself to this part; a null one falls by the difference of digits over four, which leaves
# room for what falls more slowly than the digits.
_SAME = 1e-6
# Rounding of the square of rounding is now and then all that the fewer digits leave: then nothing falls from D1 to D2,
# and null is what in either setting is no more than this many roundings for each parameter.
_ROUNDINGS = 10
_SHARE_OF_DIGITS = 4
LEAST_DIGITS = 30
MOST_DIGITS = 480
# Of the digits, besides those that the spread of the singular values costs.
_LOST_DIGITS = 4


@dataclass(frozen=True)
class PreciseBaseParameters:
    """What a model's parameters come down to, in many digits.

    Attributes
    ----------
    names : tuple of str, length P
    digits : tuple of int
        D1 and D2, the two settings that are compared.
    singular_values : tuple, length P
        Falling, of the columns as they are, mpmath numbers of D2 digits.
    verdicts : tuple of str, length P
        KEPT, NULL or UNDECIDED.
    invisible : ndarray of int64
        Parameters whose columns are null by the same rule.
    elimination : Eliminated
        With mpmath numbers of D2 digits; of the kept rank also where values are undecided.
    """

    names: tuple[str, ...]
    digits: tuple[int, int]
    singular_values: tuple[Any, ...]
    verdicts: tuple[str, ...]
    invisible: NDArray[np.int64]
    elimination: Eliminated

    @property
    def kept(self) -> int:
        """How many base parameters there are: the rank."""
        return self.verdicts.count(KEPT)

    @property
    def null(self) -> int:
        return self.verdicts.count(NULL)

    @property
    def undecided(self) -> int:
        return self.verdicts.count(UNDECIDED)

    @property
    def decided(self) -> bool:
        """Whether every value is kept or null, and all kept ones come before all null ones."""
        return self.verdicts == (KEPT,) * self.kept + (NULL,) * self.null

    @property
    def coefficient_error(self) -> float:
        """What rounding can have left in a coefficient, and below which one counts as zero."""
        if not self.kept:
            return 0.0
        spread = self.singular_values[0] / self.singular_values[self.kept - 1]
        context = self.singular_values[0].context
        return float(spread * context.mpf(10) ** (_LOST_DIGITS - self.digits[1]))


def checked_digits(digits: Collection[int]) -> tuple[int, int, int]:
    """Two settings to compare, and the most digits to go to.

    Raises
    ------
    SettingsError
        If they are not two or three rising numbers from 30 up.
    """
    given = tuple(digits)
    rising = all(a < b for a, b in pairwise(given))
    if len(given) not in (2, 3) or not rising or given[0] < LEAST_DIGITS:
        raise SettingsError(
            f"digits {','.join(str(d) for d in given)}: must be two rising numbers from {LEAST_DIGITS} up, "
            "and if wanted a third, the most to go to"
        )
    return given[0], given[1], given[2] if len(given) == 3 else max(MOST_DIGITS, given[1])


def list_precise_base_parameters(
    rows: Callable[[int], Any],
    names: tuple[str, ...],
    digits: Collection[int] = (30, 60),
    wanted_out: Collection[str] = (),
) -> PreciseBaseParameters:
    """Base parameters of a regressor that can be made with any number of digits.

    Parameters
    ----------
    rows : callable
        Of a number of digits: the regressor (..., P) in mpmath numbers of a context with those digits.
    names : tuple of str, length P
    digits : collection of int
        D1 and D2 to begin with, and if wanted the most to go to; 480 unless given.
    wanted_out : collection of str
        Parameters to eliminate first, as far as they can be.

    Returns
    -------
    PreciseBaseParameters
        Not `decided` where the most digits left a value undecided.

    Raises
    ------
    SettingsError
        If the digits cannot be used.
    ValueError
        If the rows are fewer than the columns.
    """
    low, high, most = checked_digits(digits)
    first, second = _Spectrum.of(rows(low)), _Spectrum.of(rows(high))
    while True:
        comparison = _compare(first, second, names, (low, high), wanted_out)
        if comparison.decided or 2 * high > most:
            return comparison
        low, high = high, 2 * high
        first, second = second, _Spectrum.of(rows(high))


@dataclass(frozen=True)
class _Spectrum:
    """Singular values, right singular vectors and column norms of a regressor at one setting."""

    context: Any
    values: tuple[Any, ...]
    vectors: Any  # (P, P), columns in the order of the values
    norms: tuple[Any, ...]

    @classmethod
    def of(cls, rows: Any) -> _Spectrum:
        matrix = np.asarray(rows, dtype=object).reshape(-1, np.shape(rows)[-1])
        count, size = matrix.shape
        if count < size:
            raise ValueError(f"{count} equations are too few for the structure of {size} parameters")
        context = matrix[0, 0].context
        norms = tuple(context.norm(column) for column in matrix.T.tolist())
        # columns of nothing are null without further work
        shown = [j for j in range(size) if norms[j] != 0]
        empty = [j for j in range(size) if norms[j] == 0]
        nothing, one = context.mpf(0), context.mpf(1)
        vectors = np.full((size, size), nothing, dtype=object)
        vectors[empty, np.arange(len(shown), size)] = one
        values: list[Any] = []
        if shown:
            triangle = _compute_triangle(matrix[:, shown], context)
            _, singular_values, transposed = context.svd_r(context.matrix(triangle.tolist()))
            values = list(singular_values)
            vectors[np.ix_(shown, range(len(shown)))] = np.array(transposed.tolist(), dtype=object).T
        return cls(context, (*values, *[nothing] * len(empty)), vectors, norms)


def _compute_triangle(matrix: Any, context: Any) -> Any:
    """R of a QR factorisation by Householder reflections: the columns' geometry in fewer rows."""
    work = matrix.copy()
    size = work.shape[1]
    for k in range(size):
        mirror = work[k:, k].copy()
        length = context.norm(mirror.tolist())
        if length == 0:
            continue
        mirror[0] = mirror[0] + (length if mirror[0] >= 0 else -length)
        weight = 2 / context.fdot(zip(mirror, mirror, strict=True))
        products = np.array(
            [weight * context.fdot(zip(mirror, column, strict=True)) for column in work[k:, k:].T],
            dtype=object,
        )
        work[k:, k:] = work[k:, k:] - np.multiply.outer(mirror, products)
        work[k + 1 :, k] = context.mpf(0)
    return work[:size]


def _compare(
    first: _Spectrum,
    second: _Spectrum,
    names: tuple[str, ...],
    digits: tuple[int, int],
    wanted_out: Collection[str],
) -> PreciseBaseParameters:
    context = second.context
    # at most what rounding leaves with these digits
    noise = [
        len(names) * _ROUNDINGS * spectrum.values[0] * context.mpf(10) ** (-count)
        for spectrum, count in zip((first, second), digits, strict=True)
    ]
    fall = context.mpf(10) ** (-(digits[1] - digits[0]) / _SHARE_OF_DIGITS)

    def verdict(before: Any, after: Any) -> str:
        if before == 0 or after == 0 or (before <= noise[0] and after <= noise[1]):
            return NULL
        ratio = context.mpf(after) / context.mpf(before)
        if abs(ratio - 1) < _SAME:
            return KEPT
        return NULL if ratio < fall else UNDECIDED

    verdicts = tuple(verdict(a, b) for a, b in zip(first.values, second.values, strict=True))
    rank = verdicts.count(KEPT)
    wanted = [k for k, name in enumerate(names) if name in wanted_out]
    invisible = [
        k for k, pair in enumerate(zip(first.norms, second.norms, strict=True)) if verdict(*pair) == NULL
    ]
    return PreciseBaseParameters(
        names,
        digits,
        second.values,
        verdicts,
        np.array(invisible, dtype=np.int64),
        eliminated(second.vectors[:, rank:], [*wanted, *invisible]),
    )
