# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Coefficients of base parameters as formulas of a description's named constants; SymPy is loaded here alone."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from pkm_identification.errors import SettingsError
from pkm_identification.optional import library, needs

from ...numbers.evaluation import Evaluation
from ...numbers.exact import Constant, Expression
from .base import SymbolicBaseParameters, null_vector
from .elimination import Elimination

_DIGITS = 40
_LEAST = 1e-30
NEEDS_SYMPY = needs("sympy", "symbolic")


def has_sympy() -> bool:
    """Return whether formulas can be made."""
    return find_spec("sympy") is not None


class Formulas(Evaluation):
    """Exact numbers as SymPy's, named constants as symbols.

    Attributes
    ----------
    values : dict
        Of the symbols met so far.
    """

    dtype: Any = object

    def __init__(self) -> None:
        self._sympy = library("sympy", "symbolic")
        self.values: dict[Any, Any] = {}

    def _fraction(self, value: Any) -> Any:
        return self._sympy.Rational(value.numerator, value.denominator)

    def _expression(self, value: Expression) -> Any:
        if isinstance(value, Constant):
            symbol = self._sympy.Symbol(value.name, real=True)
            self.values[symbol] = self.number(value.arguments[0])
            return symbol
        return super()._expression(value)

    def _function(self, name: str) -> Callable[..., Any]:
        return getattr(self._sympy, name)

    @property
    def _pi(self) -> Any:
        return self._sympy.pi

    def same(self, value: Any) -> Any:
        return self._sympy.Rational(value)

    def short(self, value: Any) -> Any:
        """Return a formula with numerator and denominator without common factors."""
        return self._sympy.cancel(value)

    def factored(self, value: Any) -> Any:
        """Return a formula as a product."""
        return self._sympy.factor(value)

    def is_zero(self, value: Any) -> bool:
        """Return whether a formula is zero for the constants' values."""
        if value == 0:
            return True
        return bool(abs(self._sympy.N(value.subs(self.values), _DIGITS)) < _LEAST)

    def latex(self, value: Any) -> str:
        """Return a formula or the name of a symbol in LaTeX."""
        return self._sympy.latex(self._sympy.Symbol(value) if isinstance(value, str) else value)


def formulas(base: SymbolicBaseParameters, cache: Formulas) -> dict[tuple[int, int], Any]:
    """Coefficients that are not zero, by kept and given up parameter, of bodies that are not known to be alike.

    Raises
    ------
    SettingsError
        If bodies are alike: their coefficients are numbers.
    """
    if base.columns is None:
        raise SettingsError("formulas are made of each body's own parameters, without --symmetry")
    index = {int(column): k for k, column in enumerate(base.columns)}
    elimination = Elimination(cache.is_zero, cache.short)
    for one in base.applied:
        vector = {
            column: cache.number(value)
            for column, value in null_vector(one.step, base.named).items()
            if column in index
        }
        elimination.add(vector, one.parameter.__ne__)
    return {
        (index[column], index[pivot]): cache.factored(-value)
        for pivot, row in elimination.rows.items()
        for column, value in row.items()
        if column != pivot
    }
