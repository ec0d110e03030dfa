# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""p-adic numbers: whole numbers modulo p^K in which a mechanism can be computed without any rounding.

A fraction whose denominator p does not divide is a whole number modulo p^K. A number is small if a high power of p
divides it, and errors never grow: what is known modulo p^K stays so under sums, products and quotients by numbers that
p does not divide. Newton's method converges here as it does among real numbers (Hensel's lemma), so the loops of a
mechanism are closed exactly, modulo p^K. Angles are pairs of a cosine and a sine.

A number may hold a whole array of residues, so that many configurations are computed in one go: with K = 1 any of them,
with K > 1 some that are the same modulo p, so that what has an inverse or a root in one has it in all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import gcd, log
from typing import Any

import numpy as np

from pkm_identification.numerics.compiled import Function

from .evaluation import Evaluation
from .exact import Expression

_TRIAL_DIVISIONS = 10_000


class NotInThisField(ArithmeticError):
    """A number that these p-adic numbers do not have; another prime may do."""


class NotAlgebraic(ValueError):
    """A constant that no p-adic number is: an angle, pi, or a root of what is no fraction."""


class Residue:
    """A p-adic number, known modulo p^K."""

    __slots__ = ("field", "value")

    def __init__(self, value: Any, of: Padic) -> None:
        self.value = value
        self.field = of

    def _made(self, value: Any) -> Residue:
        return Residue(value % self.field.modulus, self.field)

    # Half of all sums and products are with a zero or one of some placement: they cost no array's remainder. What else
    # costs is the interpreter: the common case, two residues, calls nothing.

    def __add__(self, other: Any) -> Residue:
        mine, own = self.value, other.value if type(other) is Residue else _read_value(other)
        if type(own) is int and own == 0:
            return self
        if type(mine) is int and mine == 0 and type(other) is Residue:
            return other
        return Residue((mine + own) % self.field.modulus, self.field)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Residue:
        own = other.value if type(other) is Residue else _read_value(other)
        if type(own) is int and own == 0:
            return self
        return Residue((self.value - own) % self.field.modulus, self.field)

    def __rsub__(self, other: Any) -> Residue:
        return self._made(_read_value(other) - self.value)

    def __mul__(self, other: Any) -> Residue:
        mine, own = self.value, other.value if type(other) is Residue else _read_value(other)
        if type(own) is int:
            if own == 0:
                return Residue(0, self.field)
            if own == 1:
                return self
        if type(mine) is int:
            if mine == 0:
                return self
            if mine == 1 and type(other) is Residue:
                return other
        return Residue(mine * own % self.field.modulus, self.field)

    __rmul__ = __mul__

    def __neg__(self) -> Residue:
        return self._made(-self.value)

    def __truediv__(self, other: Any) -> Residue:
        return self._made(self.value * self.field.inverse(_read_value(other)))

    def __rtruediv__(self, other: Any) -> Residue:
        return self._made(_read_value(other) * self.field.inverse(self.value))

    def __pow__(self, power: float) -> Residue:
        if power != 0.5:
            raise TypeError("only square roots are taken of p-adic numbers")
        return Residue(self.field.root(self.value), self.field)

    def __abs__(self) -> float:
        """The p-adic size: 1 if p does not divide the number, less the more often it does."""
        return self.field.size(self.value)

    def __eq__(self, other: object) -> bool:
        return bool(np.all(self.value == _read_value(other) % self.field.modulus))

    __hash__ = None  # type: ignore[assignment]

    def __lt__(self, other: Any) -> bool:
        # p-adic numbers have no order; signs of determinants mean nothing here
        return False


class Turn:
    """An angle as its cosine and sine; rows that ask for its value get zero, those of rates need none."""

    __slots__ = ("cosine", "field", "sine")

    def __init__(self, cosine: Any, sine: Any, of: Padic) -> None:
        self.cosine, self.sine, self.field = cosine, sine, of

    @property
    def context(self) -> Padic:
        return self.field

    def __mul__(self, other: Any) -> Residue:
        return Residue(0, self.field)

    __rmul__ = __mul__

    def __add__(self, step: Residue) -> Turn:
        """Turned by a small angle, by Cayley's formula: exactly on the circle, and right to second order."""
        half = step / 2
        down = 1 / (half * half + 1)
        c, s = (1 - half * half) * down, 2 * half * down
        old_c, old_s = Residue(self.cosine, self.field), Residue(self.sine, self.field)
        return Turn((old_c * c - old_s * s).value, (old_s * c + old_c * s).value, self.field)


def _read_value(other: Any) -> Any:
    if isinstance(other, Residue):
        return other.value
    if isinstance(other, Turn):
        return 0
    return other if isinstance(other, int) else int(other)


@dataclass(frozen=True)
class Padic(Evaluation):
    """The p-adic numbers modulo p^K.

    Attributes
    ----------
    prime : int
        p, odd.
    exponent : int
        K.
    """

    prime: int
    exponent: int
    modulus: int = field(init=False, repr=False)
    dtype: Any = field(init=False, default=object, compare=False, repr=False)
    _inverses: Any = field(init=False, compare=False, repr=False)
    _roots: dict[int, int] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        p = self.prime
        object.__setattr__(self, "modulus", p**self.exponent)
        # zero has no inverse; a batch that needs it is refused by its residuals later
        object.__setattr__(self, "_inverses", np.array([0] + [pow(k, -1, p) for k in range(1, p)]))
        object.__setattr__(self, "_roots", {k * k % p: k for k in range(p // 2, 0, -1)})

    @property
    def step(self) -> float:
        """A Newton step below which the next would be zero."""
        return float(self.prime) ** -(self.exponent // 2 + 1)

    @property
    def tolerance(self) -> float:
        """Residual of closed loops: none."""
        return 0.0

    def _fraction(self, value: Fraction) -> Residue:
        return Residue(value.numerator * self.inverse(value.denominator) % self.modulus, self)

    def _expression(self, value: Expression) -> Residue:
        if value.operation == "sqrt" and isinstance(value.arguments[0], Fraction):
            return self._root_of_fraction(value.arguments[0])
        return super()._expression(value)

    def _root_of_fraction(self, value: Fraction) -> Residue:
        """Return a root for each prime number, products of them for the rest: so sqrt(2) sqrt(3) = sqrt(6)."""
        left = value.numerator * value.denominator
        root, number = 1, 2
        while number * number <= left and number < _TRIAL_DIVISIONS:
            while left % (number * number) == 0:
                left //= number * number
                root *= number
            if left % number == 0:
                left //= number
                root = root * self.root(number) % self.modulus
            number += 1
        root = root * (self.root(left) if left != 1 else 1)
        return Residue(root * self.inverse(value.denominator) % self.modulus, self)

    def _function(self, name: str) -> Callable[..., Any]:
        raise NotAlgebraic(f"it has a constant with {name}()")

    @property
    def _pi(self) -> Any:
        raise NotAlgebraic("it has a constant with pi")

    def same(self, value: Any) -> Any:
        return value if isinstance(value, (Residue, Turn)) else self._fraction(Fraction(value))

    def compile(self, kernel: Function) -> Function:
        """Return the form of a kernel that runs in this arithmetic: its interpreted source."""
        return kernel.py_func  # type: ignore[attr-defined]

    def cos(self, angle: Turn) -> Residue:
        return Residue(angle.cosine, self)

    def sin(self, angle: Turn) -> Residue:
        return Residue(angle.sine, self)

    def inverse(self, value: Any) -> Any:
        """One over a number.

        Raises
        ------
        NotInThisField
            If p divides it.
        """
        if isinstance(value, np.ndarray):
            return self._inverses[value] if self.exponent == 1 else self._invert(value)
        if value % self.prime == 0:
            raise NotInThisField(f"{self.prime} divides a divisor")
        return pow(value, -1, self.modulus)

    def _invert(self, values: Any) -> Any:
        """One over each of an array of numbers: one division, the rest products (Montgomery)."""
        flat = values.ravel().tolist()
        products = list(accumulate(flat, lambda one, other: one * other % self.modulus))
        left = self.inverse(products[-1])
        inverses = np.empty(len(flat), dtype=object)
        for k in range(len(flat) - 1, 0, -1):
            inverses[k] = left * products[k - 1] % self.modulus
            left = left * flat[k] % self.modulus
        inverses[0] = left
        return inverses.reshape(values.shape)

    def root(self, value: Any) -> Any:
        """Return a square root, the same one whenever it is asked for.

        Raises
        ------
        NotInThisField
            If there is none.
        """
        root: Any = self._roots.get((value.flat[0] if isinstance(value, np.ndarray) else value) % self.prime)
        if root is None:
            raise NotInThisField(f"no root modulo {self.prime}")
        known = 1
        while known < self.exponent:
            known *= 2
            root = (root + value * self.inverse(root)) * self.inverse(2) % self.modulus
        return root

    def size(self, value: Any) -> float:
        """p to the minus how many times p divides a number; zero of zero; the largest of an array."""
        values = value.flat if isinstance(value, np.ndarray) else (value,)
        # what p divides least is what all have in common with p^K
        common = gcd(self.modulus, *(int(one) for one in values))
        return 0.0 if common == self.modulus else float(self.prime) ** -round(log(common, self.prime))

    @cached_property
    def circle(self) -> np.ndarray:
        """Cosines and sines (n, 2) modulo p of all angles there are."""
        return self._unit_vectors(2)

    @cached_property
    def unit_quaternions(self) -> np.ndarray:
        """All of them modulo p, shape (n, 4)."""
        return self._unit_vectors(4)

    def _unit_vectors(self, size: int) -> np.ndarray:
        every = np.stack(np.meshgrid(*[np.arange(self.prime)] * size, indexing="ij"), axis=-1)
        every = every.reshape(-1, size)
        return every[(every**2).sum(axis=1) % self.prime == 1]

    def turn(self, cosine: int, sine: int, small: Any) -> Turn:
        """An angle whose cosine and sine are these modulo p, another one for each `small`."""
        if (1 + cosine) % self.prime:
            half = sine * pow(1 + cosine, -1, self.prime) + self.prime * small
            sign = 1
        else:
            half, sign = self.prime * small, -1
        down = self.inverse(1 + half * half)
        return Turn(
            sign * (1 - half * half) * down % self.modulus, sign * 2 * half * down % self.modulus, self
        )
