"""Generalised likelihood ratio test: did a few parameters change some equations ago?

Innovations of a filter that is right are white with the covariance S it says. A parameter that has changed by d since
adds B d, B its columns. With both whitened by S, e and B, twice the logarithm of the likelihood ratio of the last n
equations is s^T (L + 1)^-1 s, L = sum B^T B, s = sum B^T e (Willsky and Jones 1976), d in units of its prior standard
deviations. Without a change that is at most chi-square distributed with as many degrees of freedom as d has numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.copying import copy_matrix, copy_vector
from pkm_identification.numerics.linear_systems import lower_cholesky, whiten


@kernel
def whitened_innovation(columns, changed, measured, mean, covariance, noise, rows):
    """Write [B | e], shape (m, q + 1), of one equation whitened by S = columns covariance columns^T + noise.

    False when S is not positive definite or a number is not finite; `rows` is then not to be used.
    """
    size, width = columns.shape
    spread = noise.copy()
    along = np.zeros((size, width))
    innovation = measured.copy()
    for k in range(size):
        for i in range(width):
            factor = columns[k, i]
            innovation[k] -= factor * mean[i]
            for j in range(width):
                along[k, j] += factor * covariance[i, j]
        for n in range(k + 1):
            for j in range(width):
                spread[k, n] += along[k, j] * columns[n, j]
    root = np.zeros((size, size))
    if not lower_cholesky(spread, root):
        return False
    copy_matrix(changed, rows[:, :-1])
    whiten(root, rows[:, :-1], innovation)
    copy_vector(innovation, rows[:, -1])
    return np.isfinite(np.sum(rows))


@kernel
def _add_newest(ring, newest, first, last, information, score):
    """Add the equations from `first` to `last` - 1 back from the newest to L and s; their (sum e^T e)."""
    length, size, width = ring.shape
    width -= 1
    squares = 0.0
    for age in range(first, last):
        place = (newest - age) % length
        for k in range(size):
            row = ring[place, k]
            e = row[width]
            squares += e * e
            for i in range(width):
                score[i] += row[i] * e
                for j in range(width):  # whole rows: faster than half of each
                    information[i, j] += row[i] * row[j]
    return squares


@kernel
def _sums(ring, newest, count, information, score):
    """Sums over the last `count` equations: L into `information` + 1, s into `score`; (sum e^T e)."""
    information[:, :] = 0.0
    for i in range(score.size):
        information[i, i] = 1.0
    score[:] = 0.0
    return _add_newest(ring, newest, 0, count, information, score)


@kernel
def _gain(information, score, root, change):
    """Solve information change = score; s^T (L + 1)^-1 s, or 0 where rounding has spoilt L."""
    size = score.size
    root[:, :] = 0.0
    if not lower_cholesky(information, root):
        return 0.0
    gain = 0.0
    for i in range(size):
        value = score[i]
        for k in range(i):
            value -= root[i, k] * change[k]
        change[i] = value / root[i, i]
        gain += change[i] ** 2
    for i in range(size - 1, -1, -1):
        for k in range(i + 1, size):
            change[i] -= root[k, i] * change[k]
        change[i] /= root[i, i]
    return gain


@kernel
def _gains(ring, newest, lags, information, score, root, change, gains):
    _sums(ring, newest, 0, information, score)
    before = 0
    for n in range(lags.size):
        # lags ascend: each window holds the one before
        _add_newest(ring, newest, before, lags[n], information, score)
        before = lags[n]
        gains[n] = _gain(information, score, root, change)


@dataclass(frozen=True)
class ChangeFit:
    """What the last equations say of a change.

    Attributes
    ----------
    change, std : ndarray, shape (q,)
        In units of the prior standard deviations.
    gain : float
        Twice the logarithm of the likelihood ratio against no change.
    evidence : float
        The same with the change averaged over its prior: a rival with more freedom gains less by it.
    left : float
        Squared whitened innovation per equation that the change does not explain.
    """

    change: FloatArray
    std: FloatArray
    gain: float
    evidence: float
    left: float


class ChangeTest:
    """Window over the newest equations of a filter, in constant memory.

    Parameters
    ----------
    width : int
        Number q of parameters that may have changed.
    outputs : int
        Outputs m of an equation.
    lags : tuple of int
        Lengths of the windows looked at, ascending.
    length : int
        Equations kept, at least the longest lag.
    """

    def __init__(self, width: int, outputs: int, lags: tuple[int, ...], length: int) -> None:
        self.lags = np.array(lags, dtype=np.int64)
        self._ring = np.zeros((length, outputs, width + 1))
        self._times = np.zeros(length)
        self._information = np.empty((width, width))
        self._root = np.empty((width, width))
        self._score, self._change = np.empty(width), np.empty(width)
        self._gains = np.empty(len(lags))
        self.clear()

    def clear(self) -> None:
        """Forget the equations seen: they belong to parameters that are no longer believed."""
        self._newest = -1
        self.count = 0

    def add(self, time: float, rows: FloatArray) -> None:
        """Take one equation as `whitened_innovation` writes it, columns per prior standard deviation of the change."""
        self._newest = (self._newest + 1) % len(self._ring)
        self._ring[self._newest] = rows
        self._times[self._newest] = time
        self.count += 1

    def gains(self) -> FloatArray:
        """Twice the logarithm of the likelihood ratio for each lag; shorter windows while there are few equations."""
        lags = np.minimum(self.lags, min(self.count, len(self._ring)))
        _gains(
            self._ring,
            self._newest,
            lags,
            self._information,
            self._score,
            self._root,
            self._change,
            self._gains,
        )
        return self._gains

    def fit(self, count: int) -> ChangeFit:
        """Fit the change to the newest `count` equations."""
        count = min(count, self.count, len(self._ring))
        squares = _sums(self._ring, self._newest, count, self._information, self._score)
        gain = _gain(self._information, self._score, self._root, self._change)
        std = np.sqrt(np.diag(np.linalg.inv(self._information)))
        evidence = gain - 2.0 * np.sum(np.log(np.diag(self._root)))
        return ChangeFit(
            self._change.copy(), std, float(gain), float(evidence), float(squares - gain) / max(count, 1)
        )

    def newest(self, count: int) -> tuple[FloatArray, FloatArray]:
        """Times (n,) and rows (n, m, q + 1) of the newest equations, oldest first."""
        count = min(count, self.count, len(self._ring))
        order = (self._newest - np.arange(count)[::-1]) % len(self._ring)
        return self._times[order], self._ring[order]
