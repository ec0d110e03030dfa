# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Fractions as an arithmetic: for what is decided and solved without any rounding."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from .evaluation import Evaluation
from .exact import square_root


class NotRational(ValueError):
    """A number that no fraction is."""


class Rational(Evaluation):
    """Exact numbers as fractions.

    Raises
    ------
    NotRational
        Where a number is none.
    """

    dtype: Any = object

    def _fraction(self, value: Fraction) -> Fraction:
        return value

    def _function(self, name: str) -> Callable[..., Fraction]:
        if name != "sqrt":
            raise NotRational(f"{name}() of a number")
        return _root

    @property
    def _pi(self) -> Any:
        raise NotRational("pi")

    def same(self, value: Any) -> Fraction:
        return Fraction(value)


def _root(value: Fraction) -> Fraction:
    root = square_root(value)
    if not isinstance(root, Fraction):
        raise NotRational(f"sqrt({value})")
    return root


RATIONAL = Rational()
