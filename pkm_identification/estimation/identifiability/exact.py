# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Base parameters without rounding: rank and null space of a regressor modulo a prime power.

Rows are whole numbers modulo p^K. Pivots that p divides least come first, so that no remainder loses a digit; what is
not zero modulo p^K is not zero, hence the rank found is never above the true one. It is below only if a determinant
that is not zero happens to be divisible by p^K, which for random rows has a chance of about p^-K. Coefficients are read
as fractions of few digits and confirmed with another prime.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from fractions import Fraction
from math import log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .null_space import Eliminated

# A number that is not zero looks like it modulo p^n by a chance of p^-n: no rank is counted with fewer bits than these.
_SPARE_BITS = 64


class NotConfirmed(ArithmeticError):
    """Primes that do not lead to the same fractions, or too few digits."""


@dataclass(frozen=True)
class ModularRows:
    """A regressor modulo p^K.

    Attributes
    ----------
    prime, modulus : int
        p and p^K.
    rows : ndarray of object, shape (R, P)
        Whole numbers from 0 to p^K.
    rate : ndarray of object, shape (N, n), or None
        Of the driven coordinates, where the rows are those of n forces in N states.
    """

    prime: int
    modulus: int
    rows: Any
    rate: Any = None


@dataclass(frozen=True)
class ExactBaseParameters:
    """What a model's parameters come down to, without rounding.

    Attributes
    ----------
    names : tuple of str, length P
    primes : tuple of int
        With which rank and coefficients are the same.
    invisible : ndarray of int64
        Parameters without any effect.
    elimination : Eliminated
        With fractions.
    """

    names: tuple[str, ...]
    primes: tuple[int, ...]
    invisible: NDArray[np.int64]
    elimination: Eliminated

    @property
    def rank(self) -> int:
        """How many base parameters there are."""
        return len(self.elimination.kept)


def list_exact_base_parameters(
    regressor: Callable[[int], ModularRows | None],
    names: tuple[str, ...],
    primes: Collection[int],
    wanted_out: Collection[str] = (),
) -> ExactBaseParameters:
    """Base parameters of a regressor that can be made modulo powers of primes.

    Parameters
    ----------
    regressor : callable
        Of a prime: the rows modulo one of its powers; None if it cannot be made with this prime.
    names : tuple of str, length P
    primes : collection of int
        To try one after another, until two agree.
    wanted_out : collection of str
        Parameters to eliminate first, as far as they can be.

    Returns
    -------
    ExactBaseParameters

    Raises
    ------
    NotConfirmed
        If no two primes agree, of those whose modulus has digits enough.
    """
    last = np.array([name in wanted_out for name in names])
    best: tuple[int, ModularRows, _Echelon] | None = None
    why = "no two primes lead to the same base parameters"
    for prime in primes:
        rows = regressor(prime)
        if rows is None:
            continue
        try:
            echelon = _Echelon.of(rows, last)
            if (
                best is not None
                and len(echelon.pivots) == len(best[2].pivots)
                and set(echelon.kept) != set(best[2].kept)
            ):
                # another choice of parameters, as good modulo this prime
                echelon = _Echelon.of(rows, ~np.isin(np.arange(len(names)), best[2].kept))
        except NotConfirmed as error:  # numbers that this prime divides cost digits; another prime may not
            why = str(error)
            continue
        if best is not None and len(echelon.pivots) == len(best[2].pivots):
            kept, given_up = best[2].kept, best[2].given_up
            fractions = _reconstruct_fractions(best[2], echelon)
            if echelon.kept.tolist() == kept.tolist() and fractions is not None:
                invisible = np.flatnonzero(~(best[1].rows != 0).any(axis=0))
                return ExactBaseParameters(
                    names, (best[0], prime), invisible.astype(np.int64), Eliminated(kept, given_up, fractions)
                )
        if best is None or len(echelon.pivots) >= len(best[2].pivots):
            best = (prime, rows, echelon)
    raise NotConfirmed(why)


@dataclass(frozen=True)
class _Echelon:
    """Eliminated rows: pivots, and the coefficients of the other columns modulo p^digits."""

    prime: int
    digits: int
    pivots: tuple[int, ...]
    kept: NDArray[np.int64]
    given_up: NDArray[np.int64]
    coefficients: Any  # (r, P - r), None where p divides a denominator

    @classmethod
    def of(cls, rows: ModularRows, last: NDArray[np.bool_]) -> _Echelon:
        p, modulus = rows.prime, rows.modulus
        known = _compute_valuation(modulus, p)
        work = np.array(rows.rows, dtype=object)
        count, size = work.shape
        pivots: list[int] = []
        most = 0
        order = np.arange(size)
        for step in range(min(count, size)):
            index = None
            for among in (~last, last):
                columns = np.array([k for k in np.flatnonzero(among) if k not in pivots], dtype=np.int64)
                index = _find_least_divided(work[step:][:, columns], p)
                if index is not None:
                    break
            if index is None:
                break
            row, column = step + index[0], int(columns[index[1]])
            work[[step, row]] = work[[row, step]]
            divided = _compute_valuation(work[step, column], p)
            most = max(most, divided)
            # other columns of this row may be less divided than the pivot: then digits are lost
            left = [k for k in order if k not in pivots]
            least = min(_compute_valuation(value, p) for value in work[step, left] if value)
            known -= divided - least
            if known <= divided:
                break
            inverse = pow(work[step, column] // p**divided, -1, p**known)
            factors = (work[step + 1 :, column] // p**divided) * inverse % p**known
            work[step + 1 :] = (work[step + 1 :] - np.multiply.outer(factors, work[step])) % p**known
            pivots.append(column)
        if (known - most) * log2(p) < _SPARE_BITS:
            raise NotConfirmed(f"a modulus of {modulus.bit_length()} bits is too short")
        kept = np.sort(np.array(pivots, dtype=np.int64))
        given_up = np.setdiff1d(order, kept)
        digits, coefficients = _solve_coefficients(work, pivots, given_up, p, known)
        if coefficients is not None:
            coefficients = coefficients[np.argsort(np.array(pivots, dtype=np.int64))]
        return cls(p, digits, tuple(pivots), kept, given_up, coefficients)


def _solve_coefficients(
    work: Any, pivots: list[int], given_up: NDArray[np.int64], p: int, known: int
) -> tuple[int, Any]:
    """B of W_2 = W_1 B by back substitution, rows in the order of the pivots; None where p divides a denominator."""
    rank = len(pivots)
    coefficients = np.zeros((rank, len(given_up)), dtype=object)
    digits = known
    for i in range(rank - 1, -1, -1):
        right = work[i, given_up].copy()
        # what is divided by p, too, brings errors of the rows below with it that are as much smaller
        least = known
        for j in range(i + 1, rank):
            if work[i, pivots[j]]:
                right = right - work[i, pivots[j]] * coefficients[j]
                least = min(least, _compute_valuation(work[i, pivots[j]], p))
        divided = _compute_valuation(work[i, pivots[i]], p)
        here = min(known, digits + least)
        right = right % p**here
        digits = min(digits, here - divided)
        if digits <= 0 or any(value % p**divided for value in right):
            return digits, None
        inverse = pow(work[i, pivots[i]] // p**divided, -1, p**digits)
        coefficients[i] = (right // p**divided) * inverse % p**digits
    return digits, coefficients % p**digits


def _reconstruct_fractions(first: _Echelon, second: _Echelon) -> Any:
    """Coefficients as fractions, if both primes have the same."""
    if first.coefficients is None or second.coefficients is None:
        return None
    modulus, other = first.prime**first.digits, second.prime**second.digits
    fractions = np.empty(first.coefficients.shape, dtype=object)
    for index, value in np.ndenumerate(first.coefficients):
        fraction = rational(value, modulus)
        if fraction is None:
            return None
        if (fraction.numerator - fraction.denominator * second.coefficients[index]) % other:
            return None
        fractions[index] = fraction
    return fractions


def rational(value: int, modulus: int) -> Fraction | None:
    """The fraction of small numerator and denominator that a number modulo m is, if there is one (Wang's method)."""
    bound = modulus.bit_length() // 2 - 1
    before, now = (modulus, 0), (value % modulus, 1)
    while now[0].bit_length() > bound:
        quotient = before[0] // now[0]
        before, now = now, (before[0] - quotient * now[0], before[1] - quotient * now[1])
    if now[1] == 0 or now[1].bit_length() > bound:
        return None
    return Fraction(now[0], now[1])


def _find_least_divided(block: Any, p: int) -> tuple[int, int] | None:
    """Place of an entry that p divides least; None if all are zero."""
    left = block
    if not left.size or not (left != 0).any():
        return None
    power = 1
    while True:
        power *= p
        places = np.argwhere(left % power != 0)
        if len(places):
            return int(places[0][0]), int(places[0][1])


def _compute_valuation(value: int, p: int) -> int:
    """Return how many times p divides a number that is not zero."""
    count = 0
    while value % p == 0:
        value //= p
        count += 1
    return count
