# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a recursive filter's covariance leaves out: residuals correlated in time, and a systematic part.

The filter takes every equation's error for independent. Two running sums tell by how much that is wrong, in constant
memory: the meat of the Newey-West sandwich (scores of the last equations times the present one), and the change b of
the score that a somewhat stronger smoothing of the strut rates would make. Smoothing rounds the transition of the
friction law, so that part of the Coulomb force is taken for something else; it leaves no residual
(docs/standard_deviations.md, with a table). Offline the same two are worked out from the whole log.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

import numpy as np

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel, pad_width
from pkm_identification.numerics.linear_systems import lower_cholesky, whiten
from pkm_identification.numerics.rows import add_combined, combine, copy_vector

from .parameter_filter import Belief

EVERY = 5  # equations from one evaluation of the sums to the next; they change slowly
LAGS = 12  # equations over which residuals may be correlated: half a second


class Sums(NamedTuple):
    """What is added up over equations.

    Attributes
    ----------
    information, meat : ndarray, shape (P, P)
    bias : ndarray, shape (P,)
    scores : ndarray, shape (LAGS + 1, P)
        The ring of the last ones.
    """

    information: FloatArray
    meat: FloatArray
    bias: FloatArray
    scores: FloatArray


@kernel
def accumulate(rows, noise, residual, bent, transition, sums, index):
    """Add one equation to the sums, a plain tuple in the order of `Sums`; row `place` of the ring is overwritten.

    `bent` are the columns (m, P) of the equation that `transition` belongs to, this one or one before.
    """
    sums = Sums(*sums)
    information, meat, bias, scores = sums.information, sums.meat, sums.bias, sums.scores
    size, width = rows.shape
    stacked = np.empty((size, 2 * width + 1))
    for k in range(size):
        for i in range(width):
            stacked[k, i] = rows[k, i]
            stacked[k, width + i] = bent[k, i]
        stacked[k, 2 * width] = transition[k]
    left = residual.copy()
    root = np.zeros((size, size))
    if not lower_cholesky(noise, root):
        return False
    whiten(root, stacked, left)
    if not (np.isfinite(np.sum(stacked)) and np.isfinite(np.sum(left))):
        return False
    lags = scores.shape[0] - 1
    score = np.zeros(width)
    for k in range(size):
        for i in range(width):
            score[i] += stacked[k, i] * left[k]
            bias[i] += stacked[k, width + i] * stacked[k, 2 * width]
    for i in range(width):
        add_combined(stacked[:, i], stacked, information[i])  # whole rows: faster than half of each
    together = 0.5 * score
    for lag in range(1, lags + 1):
        weight = 1.0 - lag / (lags + 1.0)
        for i in range(width):
            together[i] += weight * scores[(index - lag) % (lags + 1), i]
    for i in range(width):
        for j in range(width):
            meat[i, j] += score[i] * together[j] + together[i] * score[j]
    copy_vector(score, scores[index])
    return True


@kernel
def _compute_parts(information, meat, bias):
    """Widening factors of the standard deviations (P,) and the systematic error (P,), of sums and a unit prior."""
    width = bias.size
    total = information.copy()
    for i in range(width):
        total[i, i] += 1.0
    bread = np.linalg.inv(total)
    product = bread @ meat
    factor, systematic = np.ones(width), bread @ bias
    for i in range(width):
        variance = 0.0
        for k in range(width):
            # the sum's second term is the prior's own share
            variance += product[i, k] * bread[i, k] + bread[i, k] ** 2
        if variance > bread[i, i] > 0.0:
            factor[i] = np.sqrt(variance / bread[i, i])
    return factor, systematic


@kernel
def _write_widened(believed, inflation, widening, mean, covariance):
    """Write what is known of the first parameters, in SI units, its covariance inflated and widened.

    `believed` is a `Belief` of all of them. `widening` are what standard deviations are multiplied by, and
    the systematic error in units of the belief's scale, both (P,).
    """
    center, scale, moved, root = believed
    factor, systematic = widening
    width, count = root.shape[1], mean.size
    turned, row = np.zeros((width, pad_width(count))), np.empty(pad_width(count))
    for i in range(count):
        mean[i] = center[i] + scale[i] * moved[i]
        for k in range(width):
            turned[k, i] = root[i, k]
    for i in range(count):
        combine(root[i], turned, row[: pad_width(i + 1)])  # of a triangle
        for j in range(i + 1):
            wide = inflation * row[j] * (factor[i] * factor[j]) + systematic[i] * systematic[j]
            covariance[i, j] = covariance[j, i] = wide * (scale[i] * scale[j])


class RunningUncertainty:
    """Widens a filter's covariance to what its residuals and the smoothing of its inputs allow.

    Parameters
    ----------
    width : int
        Number P of parameters.
    """

    def __init__(self, width: int) -> None:
        self._width = width
        self.reset()

    def reset(self) -> None:
        """Forget all equations."""
        width = self._width
        self._information, self._meat = np.zeros((width, width)), np.zeros((width, width))
        self._bias = np.zeros(width)
        self._scores = np.zeros((LAGS + 1, width))
        self._place = 0
        self._count = 0
        self._recent: deque[FloatArray] = deque(maxlen=LAGS)
        self._widening = np.ones(width), np.zeros(width)
        # not in the sums yet
        self._newest: tuple[FloatArray, FloatArray, FloatArray, FloatArray, int] | None = None

    def continue_from(self, other: RunningUncertainty) -> None:
        """Begin with the sums of the first parameters, of which `other` has seen equations before."""
        self.reset()
        other.settle()
        own = slice(0, other._width)
        self._information[own, own] = other._information
        self._meat[own, own] = other._meat
        self._bias[own] = other._bias

    def begin_from(self, covariance: FloatArray) -> None:
        """Begin with what an estimate got before is known by: widening is relative to all that is known.

        Parameters
        ----------
        covariance : ndarray, shape (P, P)
            Positive definite, in units of the prior's standard deviations.

        Raises
        ------
        numpy.linalg.LinAlgError
            If the covariance is singular.
        """
        self.reset()
        gained, vectors = np.linalg.eigh(np.linalg.inv(covariance) - np.eye(self._width))
        # an estimate less certain than the prior has gained nothing
        known = (vectors * np.maximum(gained, 0.0)) @ vectors.T
        self._information, self._meat = known, known.copy()

    def add(
        self,
        columns: FloatArray,
        noise: FloatArray,
        residual: FloatArray,
        transition: FloatArray,
        late: int = 0,
    ) -> None:
        """Take one equation.

        Parameters
        ----------
        columns : ndarray, shape (m, P)
            In units of the prior's standard deviations.
        noise : ndarray, shape (m, m)
            What the filter took for its covariance.
        residual : ndarray, shape (m,)
            After the update.
        transition : ndarray, shape (m,)
            How the equation would change if strut rates were smoothed somewhat more; zero where that is not known.
        late : int
            How many equations ago that was: smoothing needs what comes after.
        """
        self.settle()
        self._newest = columns, noise, residual, transition, late

    def settle(self) -> None:
        """Add the newest equation to the sums, which nobody asks for before they are evaluated."""
        if self._newest is None:
            return
        (columns, noise, residual, transition, late), self._newest = self._newest, None
        bent = columns
        if late:
            known = len(self._recent) >= late
            bent = self._recent[-late] if known else np.zeros_like(columns)
        sums = self._information, self._meat, self._bias, self._scores
        if accumulate(columns, noise, residual, bent, transition, sums, self._place):
            self._recent.append(columns)
            self._place = (self._place + 1) % (LAGS + 1)
            self._count += 1
            if self._count % EVERY == 0:
                self._widening = _compute_parts(self._information, self._meat, self._bias)

    def widen(self, believed: Belief, inflation: float, count: int) -> tuple[FloatArray, FloatArray]:
        """Return mean and covariance of the first parameters, the covariance widened by both, and never made smaller.

        Parameters
        ----------
        believed : Belief
            Of all parameters.
        inflation : float
            By which the covariance is multiplied before.
        count : int
            How many parameters are asked for.

        Returns
        -------
        mean : ndarray, shape (count,)
            SI units.
        covariance : ndarray, shape (count, count)
        """
        if self._newest is not None and (self._count + 1) % EVERY == 0:
            self.settle()  # it brings the next evaluation
        mean, covariance = np.empty(count), np.empty((count, count))
        _write_widened(believed, inflation, self._widening, mean, covariance)
        return mean, covariance
