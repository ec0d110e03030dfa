# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Null vectors made echelon rows one after another, each with the parameter that it gives up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Row = dict[int, Any]


class Elimination:
    """Rows with a pivot each, which no other row has.

    Parameters
    ----------
    is_zero : callable
        Whether a number of the rows' arithmetic is zero.
    tidy : callable, optional
        What makes numbers short after each operation.
    """

    def __init__(
        self, is_zero: Callable[[Any], bool], tidy: Callable[[Any], Any] = lambda value: value
    ) -> None:
        self._is_zero, self._tidy = is_zero, tidy
        self.rows: dict[int, Row] = {}

    def add(self, vector: Mapping[int, Any], rank: Callable[[int], Any]) -> int | None:
        """Return the column a vector gives up: the first by `rank` of those that are left of it; None if nothing is."""
        row = dict(vector)
        for pivot in [column for column in row if column in self.rows]:
            self._subtract(row, row[pivot], self.rows[pivot])
        left = [column for column in row if not self._is_zero(row[column])]
        if not left:
            return None
        pivot = min(left, key=lambda column: (rank(column), column))
        row = {column: self._tidy(row[column] / row[pivot]) for column in left}
        for other in self.rows.values():
            if pivot in other:
                self._subtract(other, other[pivot], row)
        self.rows[pivot] = row
        return pivot

    def _subtract(self, row: Row, factor: Any, other: Mapping[int, Any]) -> None:
        for column, value in other.items():
            left = self._tidy(row.get(column, 0) - factor * value)
            if self._is_zero(left):
                row.pop(column, None)
            else:
                row[column] = left
