# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Linear equations of parameters: what recorded motion and force say of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.large_arrays import GrowingArray, chosen_rows, is_large, row_blocks


@dataclass(frozen=True)
class Equations:
    """Linear equations: measured = regressor @ w + noise, in the estimation band.

    Attributes
    ----------
    time : ndarray, shape (K,)
    regressor : ndarray, shape (K, m, P)
        Band-limited regressor.
    measured : ndarray, shape (K, m)
        Band-limited force (N) less what the machine file says of parameters that are not estimated.
    force : ndarray, shape (K, m)
        Band-limited measured force itself.
    segment : ndarray of int64, shape (K,)
    """

    time: FloatArray
    regressor: FloatArray
    measured: FloatArray
    force: FloatArray
    segment: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.time)

    def __getitem__(self, chosen: slice | NDArray[np.bool_]) -> Equations:
        """Some of the equations."""
        if isinstance(chosen, slice):
            return Equations(*(column[chosen] for column in self._columns()))
        return Equations(*(chosen_rows(column, chosen) for column in self._columns()))

    @classmethod
    def empty(cls, outputs: int, width: int) -> Equations:
        """No equations with m outputs in P unknowns."""
        return cls(
            np.empty(0),
            np.empty((0, outputs, width)),
            np.empty((0, outputs)),
            np.empty((0, outputs)),
            np.empty(0, dtype=np.int64),
        )

    @classmethod
    def concatenate(cls, parts: Sequence[Equations]) -> Equations:
        """Equations one after the other; at least one part."""
        return cls(
            *(np.concatenate(column) for column in zip(*(part._columns() for part in parts), strict=True))
        )

    def compute_residual(self, values: FloatArray) -> FloatArray:
        """Return what parameters of these values (P,) leave of the measured outputs, shape (K, m)."""
        return np.concatenate(
            [self.measured[block] - self.regressor[block] @ values for block in row_blocks(max(len(self), 1))]
        )

    def map(self, change: Callable[[Equations], Equations]) -> Equations:
        """Return what `change` makes of the equations, some thousand at a time."""
        if not is_large(self.regressor):
            return change(self)
        gathered = GrowingEquations()
        for block in row_blocks(len(self)):
            gathered.append(change(self[block]))
        return gathered.taken()

    def since_clock_jump(self) -> Equations:
        """The equations since time last ran backwards: what the online estimator, which starts afresh then, knows."""
        back = np.nonzero(np.diff(self.time) < 0)[0]
        return self[int(back[-1]) + 1 :] if len(back) else self

    def _columns(self) -> tuple[NDArray, ...]:
        return self.time, self.regressor, self.measured, self.force, self.segment


class GrowingEquations:
    """Equations that are gathered part by part; at least one part."""

    def __init__(self) -> None:
        self._columns = [GrowingArray() for _ in range(5)]

    def append(self, part: Equations) -> None:
        """Add equations with the same outputs and unknowns."""
        for column, rows in zip(self._columns, part._columns(), strict=True):
            column.append(rows)

    def taken(self) -> Equations:
        """Return all of them."""
        return Equations(*(column.taken() for column in self._columns))
