# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Smooth curves through points: quintic splines of least jerk, with continuous velocity and acceleration.

Of all curves that pass the nodes at their times, with the velocities and accelerations that are prescribed, the one
with the least integral of the squared jerk is a quintic polynomial between nodes. What is free at a node is solved for;
where nothing is prescribed the third and fourth derivatives are continuous, too.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.numerics.arrays import FloatArray, contiguous
from pkm_identification.numerics.compiled import compile_inline, kernel

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


def _build_jerk_form() -> FloatArray:
    """Return matrix (6, 6) of the integral of the squared jerk over a segment, in terms of its ends."""
    factors = np.array([6.0, 24.0, 60.0])  # jerk = 6 c3 + 24 c4 t + 60 c5 t^2
    powers = np.add.outer(np.arange(3), np.arange(3))
    moments = np.outer(factors, factors) / (powers + 1.0)
    return HERMITE[3:].T @ moments @ HERMITE[3:]


JERK_FORM = _build_jerk_form()


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


@compile_inline
def _scale(width, end):
    """From a derivative by time, at an end of a segment of this width, to one by the segment's own time."""
    order = end % NODE
    return 1.0 if order == 0 else (width if order == 1 else width * width)


@kernel
def _fill_in(time, free, nodes):
    """Write what is free of nodes (N, 3, C): the minimum of a positive quadratic form whose matrix is a band.

    What is prescribed becomes an equation of its own, x = 0 next to the known part. False when numbers overflow.
    """
    count, columns = nodes.shape[0], nodes.shape[2]
    band = np.zeros((2 * NODE, NODE * count))  # upper band: band[2 NODE - 1 + i - j, j]
    solved = np.zeros((NODE * count, columns))
    for segment in range(count - 1):
        width = time[segment + 1] - time[segment]
        for i in range(2 * NODE):
            p, row = segment + i // NODE, NODE * segment + i
            for j in range(2 * NODE):
                form = JERK_FORM[i, j] * _scale(width, i) * _scale(width, j) / width**5
                q, column = segment + j // NODE, NODE * segment + j
                if free[p, i % NODE] and not free[q, j % NODE]:
                    for c in range(columns):
                        solved[row, c] -= form * nodes[q, j % NODE, c]
                elif j >= i and free[p, i % NODE]:
                    band[2 * NODE - 1 + i - j, column] += form
    # derivatives of unlike order have unlike sizes: a unit diagonal keeps the factorisation exact
    root = np.ones(NODE * count)
    for k in range(NODE * count):
        if free[k // NODE, k % NODE]:
            root[k] = np.sqrt(band[-1, k])
        band[-1, k] = 1.0
        for offset in range(1, min(2 * NODE, k + 1)):
            band[2 * NODE - 1 - offset, k] /= root[k] * root[k - offset]
        for c in range(columns):
            solved[k, c] /= root[k]
    if not _solve_band(band, solved):
        return False
    for k in range(NODE * count):
        if free[k // NODE, k % NODE]:
            for c in range(columns):
                if not np.isfinite(solved[k, c]):
                    return False
                nodes[k // NODE, k % NODE, c] = solved[k, c] / root[k]
    return True


@kernel
def _fill_coefficients(time, nodes, coefficients):
    """Write the polynomials (N - 1, 6, C) by each segment's own time, from nodes (N, 3, C)."""
    for segment in range(coefficients.shape[0]):
        width = time[segment + 1] - time[segment]
        for power in range(2 * NODE):
            for c in range(coefficients.shape[2]):
                total = 0.0
                for end in range(2 * NODE):
                    node = nodes[segment + end // NODE, end % NODE, c]
                    total += HERMITE[power, end] * (node * _scale(width, end))
                coefficients[segment, power, c] = total


@kernel
def _evaluate(nodes, coefficients, times, value, first, second):
    for n in range(times.shape[0]):
        time = min(max(times[n], nodes[0]), nodes[-1])
        segment = min(np.searchsorted(nodes, time, side="right"), len(nodes) - 1) - 1
        width = nodes[segment + 1] - nodes[segment]
        t = (time - nodes[segment]) / width
        for c in range(coefficients.shape[2]):
            a, b, d = coefficients[segment, 5, c], 0.0, 0.0
            for power in range(4, -1, -1):
                d = d * t + 2.0 * b
                b = b * t + a
                a = a * t + coefficients[segment, power, c]
            value[n, c], first[n, c], second[n, c] = a, b / width, d / width**2


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
        # node by node: value, velocity, acceleration
        nodes = np.stack([value, velocity, acceleration], axis=1).astype(float)
        free = np.isnan(nodes[:, :, 0])
        if free[[0, -1]].any() or free[:, 0].any():
            raise ValueError("spline: values, and the derivatives at both ends, must be prescribed")
        if free.any() and not _fill_in(self.time, free, nodes):
            raise ValueError("spline: values, derivatives or steps in time are too large or too small")
        # of rising powers of the time within a segment, 0 to 1
        self._coefficients = np.empty((count - 1, 2 * NODE, nodes.shape[2]))
        _fill_coefficients(self.time, nodes, self._coefficients)

    @classmethod
    def from_rest(
        cls,
        start: FloatArray,
        time: FloatArray,
        value: FloatArray,
        velocity: FloatArray,
        acceleration: FloatArray,
    ) -> LeastJerkSpline:
        """Return the curve from rest at a start (C,) at time 0 to rest at the last of N nodes.

        A node at time 0 is taken for the start. Arguments are those of the class, and are not changed.
        """
        first = int(time[0] == 0.0)
        still = np.zeros((1, value.shape[1]))
        velocity, acceleration = (
            np.vstack([still, velocity[first:]]),
            np.vstack([still, acceleration[first:]]),
        )
        velocity[-1] = acceleration[-1] = 0.0
        return cls(
            np.concatenate([[0.0], time[first:]]), np.vstack([start, value[first:]]), velocity, acceleration
        )

    def evaluate(self, time: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Value, velocity and acceleration (M, C) at times (M,); beyond the ends, those of the ends."""
        value, first, second = np.empty((3, len(time), self._coefficients.shape[2]))
        _evaluate(self.time, self._coefficients, contiguous(time), value, first, second)
        return value, first, second
