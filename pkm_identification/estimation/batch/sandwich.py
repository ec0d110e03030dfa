# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Covariance of a fit whose residual is correlated in time: the sandwich of Newey and West (1987).

Its middle is the sum of the products of all scores s that are at most L - 1 equations of one segment apart, weighted
with 1 - lag / L. A pair with a lag is in L - lag of the windows of L successive equations, those counted that reach
beyond the ends of the segment, and so, with b the sum of the scores in a window,

    sum over lags (1 - |lag| / L) sum over t s_t s_(t + lag)^T  =  1 / L  sum over windows b b^T .

The right side takes one product an equation instead of 2 L, and L grows with the length of a log: .8 s of processor
time for a fit of four hours instead of 6.4. It can also be added up part by part, so that no score is kept.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rows import segment_slices


def sandwich(information: NDArray[np.floating], scores: FloatArray, segment: NDArray[np.int64]) -> FloatArray:
    """Covariance of a fit from its equations' scores, whose correlation in time is looked for (Newey and West 1987).

    Parameters
    ----------
    information : ndarray, shape (P, P)
        Of the data and of the unit normal prior.
    scores : ndarray, shape (K, P)
        Gradient each equation adds at the solution.
    segment : ndarray, shape (K,)
        Correlation is not looked for across segments.

    Returns
    -------
    ndarray, shape (P, P)
        bread (scores + prior) bread, where bread = information^-1 is the posterior covariance a white residual would
        give. Never smaller than that.
    """
    return sandwich_of_parts(information, [(scores, segment)], len(scores))


def sandwich_of_parts(
    information: NDArray[np.floating],
    parts: Iterable[tuple[FloatArray, NDArray[np.int64]]],
    count: int,
    floored: bool = True,
) -> FloatArray:
    """`sandwich` of `count` equations whose scores (k, P) and segments (k,) come part by part.

    `information` is looked at when all parts have come. Who has a floor of his own does without the one for each
    direction (`floored`): chance makes some of thirty directions thick and others thin, and a floor keeps the thick
    ones. Of white noise variances come out 1.27 times too large then.
    """
    width = len(information)
    windows = _Windows(min(correlation_lags(count), count - 1) + 1, width)
    for scores, segment in parts:
        windows.add(scores, segment)
    meat = windows.scatter()
    # the prior keeps every eigenvalue at 1 or more, whatever rounding says
    values, vectors = np.linalg.eigh(0.5 * (information + information.T))
    root = vectors * np.maximum(values, 1.0) ** -0.5
    bread = root @ root.T
    middle = bread @ (meat + np.eye(width)) @ bread
    if not floored:
        return np.asarray(middle, dtype=np.float64)
    # a sandwich of few equations can come out thin by chance; no direction may claim more than white noise
    # would allow
    inverse = (vectors * np.maximum(values, 1.0) ** 0.5).T
    inner = inverse @ middle @ inverse.T
    values, vectors = np.linalg.eigh(0.5 * (inner + inner.T))
    return root @ (vectors * np.maximum(values, 1.0)) @ vectors.T @ root.T


def correlation_lags(count: int) -> int:
    """Return how many lags of the residual's correlation to look at."""
    return int(np.ceil(2.0 * count ** (1.0 / 3.0)))


class _Windows:
    """Scatter of the sums of scores over windows of `length` successive rows of a segment."""

    def __init__(self, length: int, width: int) -> None:
        self._length = length
        self._scatter = np.zeros((width, width))
        self._last = np.empty((0, width))  # rows of the segment under way that the next windows reach back to
        self._segment: int | None = None

    def add(self, scores: FloatArray, segment: NDArray[np.int64]) -> None:
        """Take the next rows (k, P) and their segments (k,)."""
        for part in segment_slices(segment):
            if self._segment != segment[part.start]:
                self._end()
                self._segment = int(segment[part.start])
            rows = np.concatenate([self._last, scores[part]])
            ends = np.arange(len(self._last), len(rows)) + 1
            sums = np.concatenate([np.zeros((1, rows.shape[1])), np.cumsum(rows, axis=0)])
            self._count(sums[ends] - sums[np.maximum(ends - self._length, 0)])
            self._last = rows[max(len(rows) - self._length + 1, 0) :]

    def scatter(self) -> FloatArray:
        """Return the scatter of all windows, (P, P), over their length; nothing is added any more."""
        self._end()
        return self._scatter / self._length

    def _end(self) -> None:
        """Count the windows that reach beyond the end of the segment under way."""
        if len(self._last):
            sums = np.cumsum(self._last[::-1], axis=0)
            self._count(sums[np.minimum(np.arange(self._length - 1), len(sums) - 1)])
        self._last = self._last[:0]

    def _count(self, sums: FloatArray) -> None:
        self._scatter += sums.T @ sums
