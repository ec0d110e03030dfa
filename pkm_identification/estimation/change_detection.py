# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Generalised likelihood ratio test: did a few parameters change some equations ago?

Innovations of a filter that is right are white with the covariance S it says. A parameter that has changed by d since
adds B d, B its columns. With both whitened by S, e and B, twice the logarithm of the likelihood ratio of the last n
equations is s^T (L + 1)^-1 s, L = sum B^T B, s = sum B^T e (Willsky and Jones 1976), d in units of its prior standard
deviations. Without a change that is at most chi-square distributed with as many degrees of freedom as d has numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.linear_systems import lower_cholesky, whiten_rows
from pkm_identification.numerics.rows import combine, dot, lengthen_rows


@kernel
def whitened_innovation(columns, changed, measured, believed, noise, rows):
    """Write [B | e], shape (m, q + 1), of one equation whitened by the S of its innovation.

    S = columns C columns^T + noise. `believed` is a `Belief` of the parameters, C their covariance by it. False when S
    is not positive definite or a number is not finite; then `rows` is not to be used.
    """
    center, scale, moved, root = believed
    size, width = columns.shape
    spread = noise.copy()
    rows_of_root = lengthen_rows(root)
    along, factors = np.empty((size, rows_of_root.shape[1])), np.empty(width)
    innovation = measured.copy()
    for k in range(size):
        left = innovation[k]
        for i in range(width):
            left -= columns[k, i] * (center[i] + scale[i] * moved[i])
            factors[i] = columns[k, i] * scale[i]
        combine(factors, rows_of_root, along[k])
        innovation[k] = left
        for n in range(k + 1):
            spread[k, n] += dot(along[k], along[n])
    if not lower_cholesky(spread, spread):
        return False
    last = rows.shape[1] - 1
    for k in range(size):
        for i in range(last):
            rows[k, i] = changed[k, i]
        rows[k, last] = innovation[k]
    whiten_rows(spread, rows)
    return np.isfinite(np.sum(rows))


@kernel
def keep(rows, ring, products, index):
    """Keep an equation [B | e], and what it adds to the sums: its product with itself, [[L, s], [s^T, e^T e]]."""
    size, width = rows.shape
    product = products[index]
    for i in range(width):
        for j in range(width):
            product[i, j] = 0.0
    for k in range(size):
        for i in range(width):
            ring[index, k, i] = rows[k, i]
            for j in range(width):  # whole rows: faster than half of each
                product[i, j] += rows[k, i] * rows[k, j]


@kernel
def _add_newest(products, newest, first, last, sums):
    """Add the products of the equations from `first` to `last` - 1 back from the newest."""
    length = products.shape[0]
    # as rows of numbers: one long loop
    all_products, total = products.reshape((length, sums.size)), sums.reshape(sums.size)
    for age in range(first, last):
        product = all_products[(newest - age) % length]
        for i in range(total.size):
            total[i] += product[i]


@kernel
def _begin(sums):
    """No equations: the prior's L = 1 alone."""
    for i in range(sums.shape[0]):
        for j in range(sums.shape[0]):
            sums[i, j] = 0.0
        if i < sums.shape[0] - 1:
            sums[i, i] = 1.0


@kernel
def _solve_gain(sums, root, change):
    """Solve (L + 1) change = s; s^T (L + 1)^-1 s, or 0 where rounding has spoilt L."""
    size = change.size
    if not lower_cholesky(sums[:size, :size], root):
        return 0.0
    gain = 0.0
    for i in range(size):
        value = sums[size, i]
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
def write_gains(products, newest, windows, least):
    """Write the gain of each window; `windows` are (lags, equations there are, scratch: sums, root, change, gains).

    A gain that cannot be above `least` is given as 0: a change explains no more than the squares of all innovations.
    """
    lags, most, sums, root, change, gains = windows
    _begin(sums)
    before = 0
    for n in range(lags.size):
        # lags ascend: each window holds the one before
        count = min(lags[n], most)
        _add_newest(products, newest, before, count, sums)
        before = count
        gains[n] = _solve_gain(sums, root, change) if sums[change.size, change.size] > least else 0.0


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

    Attributes
    ----------
    count : int
        Equations taken.
    last_gains : ndarray, shape of lags
        What `gains` gave last, or `write_gains` for `windows`.
    """

    def __init__(self, width: int, outputs: int, lags: tuple[int, ...], length: int) -> None:
        self.lags = np.array(lags, dtype=np.int64)
        self._ring = np.zeros((length, outputs, width + 1))
        self._times = np.zeros(length)
        # what each equation adds to the sums is worked out once, not for every window that it is in
        self._products = np.zeros((length, width + 1, width + 1))
        self._sums = np.empty((width + 1, width + 1))
        self._root = np.empty((width, width))
        self._change = np.empty(width)
        self.last_gains = np.empty(len(lags))
        self.clear()

    def clear(self) -> None:
        """Forget the equations seen: they belong to parameters that are no longer believed."""
        self._newest = -1
        self.count = 0

    @property
    def find_next_index(self) -> tuple[FloatArray, FloatArray, int]:
        """Where `keep` keeps the next equation, which `whitened_innovation` has written.

        Its columns are per prior standard deviation of the change.
        """
        return self._ring, self._products, (self._newest + 1) % len(self._ring)

    def kept(self, time: float) -> None:
        """A kernel has kept an equation there."""
        self._newest = (self._newest + 1) % len(self._ring)
        self._times[self._newest] = time
        self.count += 1

    def windows(
        self, count: int
    ) -> tuple[NDArray[np.int64], int, FloatArray, FloatArray, FloatArray, FloatArray]:
        """Return what `write_gains` takes, and fills with `last_gains`, when so many equations have come."""
        return self.lags, min(count, len(self._ring)), self._sums, self._root, self._change, self.last_gains

    def gains(self) -> FloatArray:
        """Twice the logarithm of the likelihood ratio for each lag; shorter windows while there are few equations."""
        write_gains(self._products, self._newest, self.windows(self.count), 0.0)
        return self.last_gains

    def fit(self, count: int) -> ChangeFit:
        """Fit the change to the newest `count` equations."""
        count = min(count, self.count, len(self._ring))
        _begin(self._sums)
        _add_newest(self._products, self._newest, 0, count, self._sums)
        gain = _solve_gain(self._sums, self._root, self._change)
        std = np.sqrt(np.diag(np.linalg.inv(self._sums[:-1, :-1])))
        evidence = gain - 2.0 * np.sum(np.log(np.diag(self._root)))
        left = float(self._sums[-1, -1]) - gain
        return ChangeFit(self._change.copy(), std, gain, float(evidence), left / max(count, 1))

    def newest(self, count: int) -> tuple[FloatArray, FloatArray]:
        """Times (n,) and rows (n, m, q + 1) of the newest equations, oldest first."""
        count = min(count, self.count, len(self._ring))
        order = (self._newest - np.arange(count)[::-1]) % len(self._ring)
        return self._times[order], self._ring[order]
