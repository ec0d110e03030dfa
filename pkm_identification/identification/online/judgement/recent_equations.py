# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The last equations of a stream, kept for tests of whether the model fits them."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.rows import copy_matrix, copy_vector

from ...equations.equation_filter import Equation


@dataclass(frozen=True)
class Recent:
    """Equations in order of time.

    Attributes
    ----------
    time : ndarray, shape (K,)
        s.
    regressor : ndarray, shape (K, n, P)
    measured : ndarray, shape (K, n)
        Band-limited force less what the machine file says of parameters that are not estimated, N.
    force, force_rate : ndarray, shape (K, n)
        Band-limited force itself in N, and its rate of change in N/s.
    bend : ndarray, shape (K, n)
        What smoothing may have made of friction's bend besides what is taken off, N.
    stepped : ndarray, shape (K, n, n)
        What a unit of a step of each coordinate adds.
    segment : ndarray of int64, shape (K,)
        Changes where the stream was interrupted.
    """

    time: FloatArray
    regressor: FloatArray
    measured: FloatArray
    force: FloatArray
    force_rate: FloatArray
    bend: FloatArray
    stepped: FloatArray
    segment: NDArray[np.int64]

    def predict(self, mean: FloatArray) -> FloatArray:
        """Force (K, n) of the model with parameters (P,)."""
        return self.regressor @ mean + self.force - self.measured

    def newest(self, count: int) -> Recent:
        """Return the last so many equations."""
        return Recent(*(getattr(self, one.name)[-count:] for one in fields(self)))


@kernel
def _keep(place, time, segment, regressor, rows, stepped, kept):
    """Copy an equation into a place of the rings."""
    times, segments, regressors, all_rows, steps = kept
    times[place], segments[place] = time, segment
    copy_matrix(regressor, regressors[place])
    copy_matrix(stepped, steps[place])
    for k in range(4):
        copy_vector(rows[k], all_rows[place, k])


class RecentEquations:
    """A ring of the last equations.

    Parameters
    ----------
    capacity : int
    width : int
        Unknowns P, nuisance parameters included.
    outputs : int
    spacing : float
        s from one equation to the next in a stream without holes.
    """

    def __init__(self, capacity: int, width: int, outputs: int, spacing: float) -> None:
        self._time = np.empty(capacity)
        self._regressor = np.empty((capacity, outputs, width))
        self._rows = np.empty((capacity, 4, outputs))
        self._stepped = np.empty((capacity, outputs, outputs))
        self._segment = np.empty(capacity, dtype=np.int64)
        self._kept = self._time, self._segment, self._regressor, self._rows, self._stepped
        self._spacing = spacing
        self.clear()

    def __len__(self) -> int:
        return min(self._count, len(self._time))

    def clear(self) -> None:
        """Forget all of them."""
        self._count = 0
        self._newest, self._current = 0.0, 0  # stamp in s and segment of the last one

    def add(self, equation: Equation) -> None:
        """Keep an equation, instead of the oldest one when the ring is full."""
        time = equation.time
        if self._count and abs(time - self._newest - self._spacing) > 0.5 * self._spacing:
            self._current += 1
        self._newest = time
        rows = equation.measured, equation.force, equation.force_rate, equation.bend
        place = self._count % len(self._time)
        _keep(place, time, self._current, equation.regressor, rows, equation.stepped, self._kept)
        self._count += 1

    def all(self) -> Recent:
        """Copies of what is kept."""
        first = self._count % len(self._time) if self._count > len(self._time) else 0
        order = (first + np.arange(len(self))) % len(self._time)
        measured, force, rate, bend = (self._rows[order, k] for k in range(4))
        return Recent(
            self._time[order],
            self._regressor[order],
            measured,
            force,
            rate,
            bend,
            self._stepped[order],
            self._segment[order],
        )
