# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The arithmetics a mechanism is computed in: float64 in compiled batches, or mpmath numbers of any precision.

The kernels are written once, as plain functions over arrays. Compiled by Numba they run on float64; interpreted, the
same functions run on arrays of mpmath numbers. What differs is here: how exact numbers become numbers, and how an
interpreted function takes a sine.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numba.extending import overload, register_jitable

from pkm_identification.numerics.compiled import Function

from .evaluation import Evaluation
from .padic import Padic

# Decorates a function that compiled and interpreted kernels have in common. It must allocate nothing and make no
# view of an array: then compiled code need not count references to the arrays of a model. Merged into its callers,
# since a call that passes a model's arrays costs more than most functions compute.
shared = register_jitable(_nrt=False, forceinline=True)


def cosine(x: Any) -> Any:
    """Return the cosine of a number of any arithmetic (interpreted; compiled kernels take the overload below)."""
    return x.context.cos(x)


def sine(x: Any) -> Any:
    """Return the sine of a number of any arithmetic."""
    return x.context.sin(x)


def angle_of(y: Any, x: Any) -> Any:
    """The angle whose sine and cosine are in the ratio y : x."""
    return x.context.atan2(y, x)


@overload(cosine)
def _compute_cosine(x):
    return lambda x: math.cos(x)


@overload(sine)
def _compute_sine(x):
    return lambda x: math.sin(x)


@overload(angle_of)
def _compute_angle(y, x):
    return lambda y, x: math.atan2(y, x)


@dataclass(frozen=True)
class Float64(Evaluation):
    """Double precision, compiled.

    Attributes
    ----------
    step : float
        A Newton step (m, rad) below which the next would be lost in rounding.
    tolerance : float
        Residual (m, rad) up to which loops count as closed.
    """

    dtype: Any = np.float64
    step: float = 1e-8
    tolerance: float = 1e-10

    def _fraction(self, value: Fraction) -> float:
        return value.numerator / value.denominator  # as float() does, which asks for its type first

    def _function(self, name: str) -> Callable[..., float]:
        return getattr(math, name)

    @property
    def _pi(self) -> float:
        return math.pi

    def same(self, value: Any) -> float:
        return float(value)

    def array(self, values: Any) -> Any:
        given = np.asarray(values)
        # one by one only what is not of this arithmetic: batches come here, too
        return super().array(given) if given.dtype == object else np.array(given, dtype=float, order="C")

    def zeros(self, *shape: int) -> Any:
        return np.zeros(shape)

    def compile(self, kernel: Function) -> Function:
        """Return the form of a kernel that runs in this arithmetic."""
        return kernel


@dataclass(frozen=True)
class Multiprecision(Evaluation):
    """mpmath numbers of a stated number of decimal digits, in a context of its own.

    The global precision does not matter.

    Attributes
    ----------
    digits : int
    """

    digits: int
    context: Any = field(init=False, compare=False, repr=False)
    dtype: Any = field(init=False, default=object, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not 10 <= self.digits <= 100_000:
            raise ValueError(f"digits = {self.digits}: must be between 10 and 100000")
        # most commands compute in float64 and do not wait for it
        import mpmath

        context = mpmath.MPContext()
        context.dps = self.digits
        object.__setattr__(self, "context", context)

    @property
    def step(self) -> Any:
        """A Newton step below which the next would be lost in rounding."""
        return self.context.mpf(10) ** (-(self.digits // 2) - 1)

    @property
    def tolerance(self) -> Any:
        """Residual up to which loops count as closed."""
        return self.context.mpf(10) ** (4 - self.digits)

    def _fraction(self, value: Fraction) -> Any:
        return self.context.mpf(value.numerator) / value.denominator

    def _function(self, name: str) -> Callable[..., Any]:
        return getattr(self.context, name)

    @property
    def _pi(self) -> Any:
        return +self.context.pi

    def same(self, value: Any) -> Any:
        return self.context.mpf(value)

    def compile(self, kernel: Function) -> Function:
        """Return the form of a kernel that runs in this arithmetic: its interpreted source."""
        return kernel.py_func  # type: ignore[attr-defined]


FLOAT64 = Float64()
Arithmetic = Float64 | Multiprecision | Padic
