# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Exact numbers made numbers of an arithmetic, one by one or in arrays."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from .exact import Exact, Expression


class Evaluation:
    """What all arithmetics have in common."""

    dtype: Any

    def _fraction(self, value: Fraction) -> Any:
        raise NotImplementedError

    def _function(self, name: str) -> Callable[..., Any]:
        raise NotImplementedError

    @property
    def _pi(self) -> Any:
        raise NotImplementedError

    def number(self, value: Exact) -> Any:
        """Return an exact number in this arithmetic.

        Raises
        ------
        ValueError, ZeroDivisionError, OverflowError
            If it has no finite value.
        """
        if isinstance(value, Fraction):
            return self._fraction(value)
        return self._expression(value)

    def _expression(self, value: Expression) -> Any:
        # as few frames of Python's as can be from one operation to the next: long sums are deep
        arguments = list(map(self.number, value.arguments))
        if value.operation == "constant":
            return arguments[0]
        if value.operation == "pi":
            return self._pi
        if value.operation == "+":
            return arguments[0] + arguments[1]
        if value.operation == "-":
            return arguments[0] - arguments[1]
        if value.operation == "*":
            return arguments[0] * arguments[1]
        if value.operation == "/":
            return arguments[0] / arguments[1]
        return self._function(value.operation)(*arguments)

    def each(self, function: str, values: Any) -> Any:
        """Return a function of `exact.FUNCTIONS`, of one argument, of every entry of an array of this arithmetic."""
        return np.frompyfunc(self._function(function), 1, 1)(values).astype(self.dtype)

    def array(self, values: Any) -> Any:
        """Return an array of this arithmetic from nested sequences of exact numbers, floats or its own numbers."""
        given = np.asarray(values, dtype=object)
        result = np.empty(given.shape, dtype=self.dtype)
        for index, value in np.ndenumerate(given):
            result[index] = (
                self.number(value) if isinstance(value, (Fraction, Expression)) else self.same(value)
            )
        return result

    def same(self, value: Any) -> Any:
        """A number of Python's, as it is, in this arithmetic."""
        raise NotImplementedError

    def zeros(self, *shape: int) -> Any:
        """Return an array of zeros."""
        return self.array(np.zeros(shape))
