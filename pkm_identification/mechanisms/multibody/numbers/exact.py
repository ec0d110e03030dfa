# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Exact numbers of a description: decimal text, fractions, expressions of named constants.

0.30 in a file is 3/10 here and not the nearest binary fraction: geometry with coincidences (a parallelogram) stays what
it is in every arithmetic. Sums, products, quotients and whole powers of fractions are worked out at once; roots, angles
and pi are kept as they were written and evaluated by the arithmetic that wants them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from math import isqrt
from typing import Any

# Functions of an expression, with the number of their arguments; `deg` turns degrees into radians.
FUNCTIONS = {"sqrt": 1, "sin": 1, "cos": 1, "tan": 1, "asin": 1, "acos": 1, "atan": 1, "atan2": 2, "deg": 1}
LONGEST_TEXT = 300
LARGEST_POWER = 64
MOST_OPERATIONS = 500  # of a number, those of the constants in it included
MOST_BITS = 4096  # of a fraction
DEEPEST = 50  # parentheses, signs and powers within each other
_DECIMAL_PLACES = 60
_PLAIN = re.compile(r"\s*[-+]?[0-9.]+([eE][-+]?[0-9]+)?\s*")
_TOKEN = re.compile(
    r"\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([A-Za-z_]\w*)|(\*\*|[-+*/^(),]))"
)


@dataclass(frozen=True)
class Expression:
    """A number that no fraction is: an operation or a function of exact numbers, kept as it was written.

    Attributes
    ----------
    operation : str
    arguments : tuple of Exact
    size : int
        Number of operations, those of the arguments included.
    """

    operation: str
    arguments: tuple[Exact, ...]
    size: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        inner = sum(argument.size for argument in self.arguments if isinstance(argument, Expression))
        object.__setattr__(self, "size", 1 + inner)

    def __add__(self, other: Exact | int) -> Exact:
        return _apply_operation("+", self, other)

    def __radd__(self, other: Exact | int) -> Exact:
        return _apply_operation("+", other, self)

    def __sub__(self, other: Exact | int) -> Exact:
        return _apply_operation("-", self, other)

    def __rsub__(self, other: Exact | int) -> Exact:
        return _apply_operation("-", other, self)

    def __mul__(self, other: Exact | int) -> Exact:
        return _apply_operation("*", self, other)

    def __rmul__(self, other: Exact | int) -> Exact:
        return _apply_operation("*", other, self)

    def __truediv__(self, other: Exact | int) -> Exact:
        return _apply_operation("/", self, other)

    def __rtruediv__(self, other: Exact | int) -> Exact:
        return _apply_operation("/", other, self)

    def __neg__(self) -> Exact:
        return _apply_operation("-", Fraction(0), self)


@dataclass(frozen=True)
class Constant(Expression):
    """A constant of a description by its name: for formulas. Every arithmetic takes its value.

    Attributes
    ----------
    name : str
    """

    name: str = ""

    @classmethod
    def of(cls, name: str, value: Exact) -> Constant:
        """Return the constant of this name and value."""
        return cls("constant", (value,), name)


Exact = Fraction | Expression
ExactVector = tuple[Exact, ...]
ZERO, ONE = Fraction(0), Fraction(1)


class NotANumber(ValueError):
    """Text that is no number: says why."""


def exact(value: Any, constants: Mapping[str, Exact] | None = None) -> Exact:
    """Return the exact number in a text, or of a number of Python's by its shortest decimal text.

    Parameters
    ----------
    value : str, int, float or Fraction
        Decimal (`0.30`, `5e-5`), fraction (`1/3`), or an expression of + - * / ^, parentheses, `pi`, the functions in
        FUNCTIONS and the names of constants.
    constants : mapping of str to Exact, optional

    Raises
    ------
    NotANumber
        If it is none, divides by zero, or is made of more than any machine needs.
    """
    if isinstance(value, (Fraction, Expression)):
        return value
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise NotANumber("is no number")
    text = value if isinstance(value, str) else repr(value)
    if len(text) > LONGEST_TEXT:
        raise NotANumber(f"is longer than {LONGEST_TEXT} characters")
    if _PLAIN.fullmatch(text):  # most numbers of a file, which is read again for each small change of it
        return _parse_plain(text)
    return _Parser(text, constants or {}).whole()


@lru_cache(maxsize=4096)
def _parse_plain(text: str) -> Exact:
    return _Parser(text, {}).whole()


def square_root(value: Exact) -> Exact:
    """Return the root of an exact number; a fraction where it is one."""
    if isinstance(value, Fraction) and value >= 0:
        above, below = isqrt(value.numerator), isqrt(value.denominator)
        if above * above == value.numerator and below * below == value.denominator:
            return Fraction(above, below)
    return Expression("sqrt", (value,))


def cross_product(a: Sequence[Exact], b: Sequence[Exact]) -> ExactVector:
    """Return the cross product of two vectors of exact numbers."""
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


def dot_product(a: Sequence[Exact], b: Sequence[Exact]) -> Exact:
    """Return the dot product of two vectors of exact numbers."""
    return sum((x * y for x, y in zip(a, b, strict=True)), start=ZERO)


def unit_vector(a: Sequence[Exact]) -> ExactVector:
    """Return a direction of length one."""
    length = square_root(dot_product(a, a))
    return tuple(x / length for x in a)


def _limit_size(value: Exact) -> Exact:
    """A number whose evaluation takes no more time and depth than there is."""
    if isinstance(value, Expression):
        if value.size > MOST_OPERATIONS:
            raise NotANumber("is made of too many operations")
    elif max(value.numerator.bit_length(), value.denominator.bit_length()) > MOST_BITS:
        raise NotANumber("has too many digits")
    return value


def _apply_operation(sign: str, a: Exact | int, b: Exact | int) -> Exact:
    """Return the result of an operation, a fraction where both are; zero and one leave the other as it is."""
    a, b = (Fraction(x) if isinstance(x, int) else x for x in (a, b))
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        if sign == "/" and b == 0:
            raise NotANumber("divides by zero")
        return {"+": a.__add__, "-": a.__sub__, "*": a.__mul__, "/": a.__truediv__}[sign](b)
    if (a == 0 and sign in "+*/") or (b == 0 and sign in "+-*"):
        return ZERO if sign in "*/" else (b if a == 0 else a)
    if (a == 1 and sign == "*") or (b == 1 and sign in "*/"):
        return b if a == 1 and sign == "*" else a
    return Expression(sign, (a, b))


def _call(name: str, arguments: tuple[Exact, ...]) -> Exact:
    if name == "sqrt":
        return square_root(arguments[0])
    if name == "deg":
        return arguments[0] * Expression("pi", ()) / 180 if arguments[0] != 0 else ZERO
    if all(argument == 0 for argument in arguments) and name in ("sin", "tan", "asin", "atan"):
        return ZERO
    if name == "cos" and arguments[0] == 0:
        return ONE
    return Expression(name, arguments)


class _Parser:
    """Recursive descent over the tokens of a text; nothing is ever evaluated as a program."""

    def __init__(self, text: str, constants: Mapping[str, Exact]) -> None:
        self._constants = constants
        self._tokens: list[tuple[str, str]] = []
        index = 0
        while index < len(text.rstrip()):
            match = _TOKEN.match(text, index)
            if match is None:
                raise NotANumber(f"is no number at {text[index : index + 12].strip()!r}")
            kind = ("number", "name", "sign")[(match.lastindex or 1) - 1]
            self._tokens.append((kind, match.group(match.lastindex or 1)))
            index = match.end()
        if not self._tokens:
            raise NotANumber("is no number")
        self._next = self._depth = 0

    def whole(self) -> Exact:
        value = self._sum()
        if self._next < len(self._tokens):
            raise NotANumber(f"is no number at {self._tokens[self._next][1]!r}")
        return _limit_size(value)

    def _take(self, *signs: str) -> str | None:
        """The next token if it is one of these signs."""
        if self._next < len(self._tokens) and self._tokens[self._next] in [("sign", sign) for sign in signs]:
            self._next += 1
            return self._tokens[self._next - 1][1]
        return None

    def _demand(self, sign: str) -> None:
        if not self._take(sign):
            raise NotANumber(f"is no number: {sign!r} is missing")

    def _sum(self) -> Exact:
        return self._left("+-", self._product)

    def _product(self) -> Exact:
        return self._left("*/", self._sign)

    def _left(self, signs: str, part: Callable[[], Exact]) -> Exact:
        value = part()
        while sign := self._take(*signs):
            value = _limit_size(_apply_operation(sign, value, part()))
        return value

    def _sign(self) -> Exact:
        self._depth += 1
        if self._depth > DEEPEST:
            raise NotANumber(f"has more than {DEEPEST} parentheses, signs or powers within each other")
        sign = self._take("+", "-")
        value = self._sign() if sign else self._power()
        self._depth -= 1
        return -value if sign == "-" else value

    def _power(self) -> Exact:
        base = self._atom()
        if not self._take("^", "**"):
            return base
        power = self._sign()
        if not isinstance(power, Fraction) or power.denominator != 1 or abs(power) > LARGEST_POWER:
            raise NotANumber(f"has a power that is not a whole number up to {LARGEST_POWER}")
        result: Exact = ONE
        for _ in range(abs(int(power))):
            result = _limit_size(result * base)
        return result if power >= 0 else _apply_operation("/", ONE, result)

    def _atom(self) -> Exact:
        if self._take("("):
            value = self._sum()
            self._demand(")")
            return value
        if self._next >= len(self._tokens) or self._tokens[self._next][0] == "sign":
            raise NotANumber("is no number")
        kind, text = self._tokens[self._next]
        self._next += 1
        if kind == "number":
            if abs(int([*re.split("[eE]", text), "0"][1])) > _DECIMAL_PLACES:
                raise NotANumber(f"has an exponent beyond {_DECIMAL_PLACES}")
            return Fraction(text)
        if text in self._constants:
            return self._constants[text]
        if text == "pi":
            return Expression("pi", ())
        if text not in FUNCTIONS:
            raise NotANumber(
                f"names {text!r}, which is neither a constant nor one of {', '.join(FUNCTIONS)}, pi"
            )
        self._demand("(")
        arguments = [self._sum()]
        while self._take(","):
            arguments.append(self._sum())
        self._demand(")")
        if len(arguments) != FUNCTIONS[text]:
            raise NotANumber(f"has {len(arguments)} arguments of {text}, which takes {FUNCTIONS[text]}")
        return _call(text, tuple(arguments))
