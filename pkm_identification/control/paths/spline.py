# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Smooth curves through points: quintic splines of least jerk, with continuous velocity and acceleration.

Of all curves that pass the nodes at their times, with the velocities and accelerations that are prescribed, the one
with the least integral of the squared jerk is a quintic polynomial between nodes. What is free at a node is solved for;
where nothing is prescribed the third and fourth derivatives are continuous, too.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel

NODE = 3  # value, velocity and acceleration of a node
# Coefficients (rows: powers 0 to 5 of the segment's own time, 0 to 1) of the value, velocity and acceleration at the
# two ends, with derivatives by the own time.
HERMITE = np.linalg.inv(
    np.array(
        [
            [1, 0, 0, 0, 0, 0],
            [0, 1, 0, 0, 0, 0],
            [0, 0, 2, 0, 0, 0],
            [1, 1, 1, 1, 1, 1],
            [0, 1, 2, 3, 4, 5],
            [0, 0, 2, 6, 12, 20],
        ],
        dtype=float,
    )
)


def _jerk_form() -> FloatArray:
    """Matrix (6, 6) of the integral of the squared jerk over a segment, in terms of its ends."""
    factors = np.array([6.0, 24.0, 60.0])  # jerk = 6 c3 + 24 c4 t + 60 c5 t^2
    powers = np.add.outer(np.arange(3), np.arange(3))
    moments = np.outer(factors, factors) / (powers + 1.0)
    return HERMITE[3:].T @ moments @ HERMITE[3:]


JERK_FORM = _jerk_form()


@kernel
def _solve_band(band, columns):
    """Solve U^T U X = columns (N, C) by Cholesky; X replaces `columns`, the factor U the upper band (B, N).

    Entry (i, j) of the matrix is band[B - 1 + i - j, j]. False, with both spoilt, when the matrix is not positive
    definite. SciPy's functions for bands hold Python's lock, for 5 ms with ten thousand nodes.
    """
    last, count = band.shape[0] - 1, band.shape[1]
    width = columns.shape[1]
    for j in range(count):
        first = max(0, j - last)
        for i in range(first, j + 1):
            total = band[last + i - j, j]
            for k in range(first, i):
                total -= band[last + k - i, i] * band[last + k - j, j]
            if i < j:
                band[last + i - j, j] = total / band[last, i]
            elif total > 0.0:
                band[last, j] = np.sqrt(total)
            else:
                return False
        for c in range(width):
            total = columns[j, c]
            for k in range(first, j):
                total -= band[last + k - j, j] * columns[k, c]
            columns[j, c] = total / band[last, j]
    for j in range(count - 1, -1, -1):
        for c in range(width):
            total = columns[j, c] / band[last, j]
            columns[j, c] = total
            for k in range(max(0, j - last), j):
                columns[k, c] -= band[last + k - j, j] * total
    return True


class LeastJerkSpline:
    """A curve of several coordinates through nodes.

    Parameters
    ----------
    time : ndarray, shape (N,)
        s, increasing, N at least 2.
    value : ndarray, shape (N, C)
    velocity, acceleration : ndarray, shape (N, C)
        Prescribed derivatives; rows of NaN are free. The first and last row must be prescribed.

    Raises
    ------
    ValueError
        If shapes do not fit, times do not increase, an end is free, or numbers overflow.
    """

    def __init__(
        self, time: FloatArray, value: FloatArray, velocity: FloatArray, acceleration: FloatArray
    ) -> None:
        count = len(time)
        if count < 2 or not np.all(np.diff(time) > 0):
            raise ValueError("spline: needs at least two nodes at increasing times")
        if not value.shape == velocity.shape == acceleration.shape == (count, value.shape[-1]):
            raise ValueError("spline: values and derivatives must have one row for each time")
        self.time = np.array(time, dtype=float)
        self._width = np.diff(self.time)
        # node by node: value, velocity, acceleration
        nodes = np.stack([value, velocity, acceleration], axis=1).astype(float)
        free = np.isnan(nodes[:, :, 0])
        if free[[0, -1]].any() or free[:, 0].any():
            raise ValueError("spline: values, and the derivatives at both ends, must be prescribed")
        if free.any():
            with np.errstate(all="ignore"):  # what overflows is refused
                self._solve(nodes, free)
        ends = np.concatenate([nodes[:-1], nodes[1:]], axis=1) * self._scales()[:, :, None]
        self._coefficients = np.einsum("pe,nec->npc", HERMITE, ends)

    def _scales(self) -> FloatArray:
        """Factors (N - 1, 6) from derivatives by time to derivatives by a segment's own time."""
        h = self._width[:, None]
        return np.concatenate([h**0, h, h**2] * 2, axis=1)

    def _solve(self, nodes: FloatArray, free: NDArray[np.bool_]) -> None:
        """Fill in what is free: the minimum of a positive quadratic form whose matrix is a band."""
        count = len(nodes)
        scales = self._scales()
        forms = JERK_FORM * scales[:, :, None] * scales[:, None, :] / self._width[:, None, None] ** 5
        matrix = np.zeros((2 * NODE, count * NODE))  # upper band: matrix[NODE2 - 1 + i - j, j]
        ends = (count - 1) * NODE  # every NODE-th row up to here, from i on, is the i-th of a segment's ends
        for i in range(2 * NODE):
            for j in range(i, 2 * NODE):
                matrix[2 * NODE - 1 + i - j, j : ends + j : NODE] += forms[:, i, j]
        known = np.where(free[:, :, None], 0.0, nodes).reshape(count * NODE, -1)
        pull = np.zeros_like(known)
        for i in range(2 * NODE):
            for j in range(2 * NODE):
                pull[i : ends + i : NODE] += forms[:, i, j, None] * known[j : ends + j : NODE]
        # what is prescribed becomes an equation of its own: x = 0 beside the known part
        fixed = ~free.ravel()
        for offset in range(2 * NODE):
            row = matrix[2 * NODE - 1 - offset]
            column = np.arange(count * NODE)
            partner = np.maximum(column - offset, 0)
            row[fixed[column] | fixed[partner]] = 0.0
        # derivatives of unlike order have unlike sizes: a unit diagonal keeps the factorisation exact
        diagonal = np.where(fixed, 1.0, matrix[-1])
        root = np.sqrt(diagonal)
        matrix[-1] = 1.0
        for offset in range(1, 2 * NODE):
            row = matrix[2 * NODE - 1 - offset]
            row[offset:] /= root[offset:] * root[:-offset]
        solved = np.where(fixed[:, None], 0.0, -pull) / root[:, None]
        if not _solve_band(matrix, solved) or not np.isfinite(solved).all():
            raise ValueError("spline: values, derivatives or steps in time are too large or too small")
        nodes[:] = (known + solved / root[:, None]).reshape(nodes.shape)

    def evaluate(self, time: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Value, velocity and acceleration (M, C) at times (M,); beyond the ends, those of the ends."""
        time = np.clip(time, self.time[0], self.time[-1])
        segment = np.clip(np.searchsorted(self.time, time, side="right") - 1, 0, len(self._width) - 1)
        h = self._width[segment][:, None]
        t = (time - self.time[segment])[:, None] / h
        c = self._coefficients[segment]
        value = c[:, 5]
        first = 5 * c[:, 5]
        second = 20 * c[:, 5]
        for power in (4, 3, 2):
            value = value * t + c[:, power]
            first = first * t + power * c[:, power]
            second = second * t + power * (power - 1) * c[:, power]
        first = first * t + c[:, 1]
        value = (value * t + c[:, 1]) * t + c[:, 0]
        return value, first / h, second / h**2
