# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""When a quantity changed that was measured again and again: steps, a drift, or neither.

Values x_i with deviations s_i, in the order of time, scatter about their truth by more than s_i where what is not
modelled differs from log to log (temperature, wear of a day). How much more tell successive values: with
d_i = (x_{i+1} - x_i) / sqrt(s_i^2 + s_{i+1}^2), the root mean square of the smaller four fifths of |d_i|, over that of
a normal variable, is the factor by which all deviations are widened (never below 1): few steps do not move it, a drift
hardly. How well so few values tell it is in the degrees of freedom of Student's t.

Errors that all values share need not act on all alike (what a machine file knows to a tolerance acts by the motion of a
log). With J, whose rows are what each such quantity, off by its deviation, does to x_i, the values have the covariance
V = diag(s^2) + J J^T, and all means below are those of generalised least squares. Where all rows are equal they are the
weighted means without J: what acts on all alike is no change.

Steps are found by binary segmentation: the split with the largest difference of the weighted means before and after it,
over its deviation, if that many splits would not have one as large by chance (Bonferroni, Student's t), then the same
in either part. A drift is the weighted straight line. Where both are significant the smaller BIC decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.stats import norm
from scipy.stats import t as student

from pkm_identification.numerics.arrays import FloatArray

FEWEST = 4  # values with which anything is said
KEPT = 0.8  # of the differences, the smaller ones
EFFICIENCY = 0.6  # of their root mean square, as a part of the degrees of freedom of all values
CONSTANT, STEPS, DRIFT, TOO_FEW = "constant", "steps", "drift", "too few"


@dataclass(frozen=True)
class Step:
    """A change between two successive values.

    Attributes
    ----------
    first : int
        The first value after it.
    before, after : float
        Weighted means of the values up to it and from it on, each as far as there is no other step.
    std : float
        Of `after - before`.
    p : float
        Probability of as large a step by chance, at any of the places looked at.
    """

    first: int
    before: float
    after: float
    std: float
    p: float

    @property
    def change(self) -> float:
        """After less before."""
        return self.after - self.before


@dataclass(frozen=True)
class Trend:
    """What a series of values does.

    Attributes
    ----------
    kind : str
        CONSTANT, STEPS, DRIFT or TOO_FEW.
    level : ndarray, shape (n,)
        The values that this makes of the series.
    scatter : float
        Factor by which the stated deviations are widened.
    steps : tuple of Step
        In the order of time; of STEPS alone.
    slope, slope_std, p : float
        Per unit of time, its deviation, and its probability by chance; NaN if not of DRIFT.
    """

    kind: str
    level: FloatArray
    scatter: float
    steps: tuple[Step, ...] = ()
    slope: float = float("nan")
    slope_std: float = float("nan")
    p: float = float("nan")


def trend(
    time: FloatArray, values: FloatArray, std: FloatArray, level: float, shared: FloatArray | None = None
) -> Trend:
    """Return what a quantity does over time.

    Parameters
    ----------
    time : ndarray, shape (n,)
        Not decreasing; any unit.
    values, std : ndarray, shape (n,)
        And the deviations of their independent errors.
    level : float
        Probability with which a constant quantity is called anything else.
    shared : ndarray, shape (n, K), optional
        What each of K quantities that all values share, off by its deviation, does to each value; unit of the values.
    """
    n = len(values)
    if n < FEWEST:
        return Trend(TOO_FEW, values.copy(), 1.0)
    shared = np.zeros((n, 0)) if shared is None else shared
    factor = scatter(values, std)
    weight = 1.0 / (factor * std) ** 2
    inverse = _InverseCovariance(weight, shared)
    (mean,), _ = inverse.fit(np.ones((n, 1)), values)
    constant = np.full(n, mean)
    # two ways to be wrong: a step or a drift
    freedom = n - 2 if factor == 1.0 else EFFICIENCY * (n - 2)
    cuts = _find_splits(values, weight, shared, 0, n, freedom, level / 2)
    stepped, steps = _fit_step(values, inverse, cuts)
    line, slope, slope_std = _fit_line(time, values, inverse)
    p = float(2 * student.sf(abs(slope) / slope_std, freedom)) if slope_std > 0 else 1.0
    trends = [(_compute_bic(values - constant, inverse, 1), Trend(CONSTANT, constant, factor))]
    if steps:
        trends.append(
            (
                _compute_bic(values - stepped, inverse, 1 + 2 * len(steps)),
                Trend(STEPS, stepped, factor, steps),
            )
        )
    if p < level / 2:
        drift = Trend(DRIFT, line, factor, (), slope, slope_std, p)
        trends.append((_compute_bic(values - line, inverse, 2), drift))
    # what is significant is there: BIC decides what it is, not whether
    return min(trends[1:] or trends, key=lambda pair: pair[0])[1]


def scatter(values: FloatArray, std: FloatArray) -> float:
    """By how much values differ from one to the next more than their deviations say; at least 1."""
    squares = np.sort((np.diff(values) / np.hypot(std[1:], std[:-1])) ** 2)
    count = max(1, int(KEPT * len(squares)))
    end = norm.ppf(0.5 + 0.5 * count / (len(squares) + 1))
    # of a normal variable between -end and end
    expected = 1.0 - 2.0 * end * norm.pdf(end) / (2.0 * norm.cdf(end) - 1.0)
    return max(1.0, float(np.sqrt(np.mean(squares[:count]) / expected)))


class _InverseCovariance:
    """Of diag(1/weight) + shared shared^T, shape (n, n), by Woodbury's identity."""

    def __init__(self, weight: FloatArray, shared: FloatArray) -> None:
        self.weight = weight
        self.weighted = weight[:, None] * shared
        self._inner = np.linalg.inv(np.eye(shared.shape[1]) + shared.T @ self.weighted)

    def times(self, vectors: FloatArray) -> FloatArray:
        """V^-1 times vectors, shape (n,) or (n, m)."""
        weighted = (self.weight * vectors.T).T
        return weighted - self.weighted @ (self._inner @ (self.weighted.T @ vectors))

    def of_tails(self) -> FloatArray:
        """h^T V^-1 h, shape (n,), of each vector h that is 1 from one place on and 0 before."""
        of_shared = _sum_tails(self.weighted)
        return _sum_tails(self.weight) - np.einsum("ki,ij,kj->k", of_shared, self._inner, of_shared)

    def fit(self, design: FloatArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Coefficients (m,) of generalised least squares and their covariance (m, m)."""
        solved = self.times(design)
        covariance = np.linalg.inv(design.T @ solved)
        return covariance @ (solved.T @ values), covariance


def _sum_tails(rows: FloatArray) -> FloatArray:
    """Sums from each row to the last."""
    return np.cumsum(rows[::-1], axis=0)[::-1]


def _find_splits(
    values: FloatArray,
    weight: FloatArray,
    shared: FloatArray,
    start: int,
    stop: int,
    freedom: float,
    level: float,
) -> list[tuple[int, float]]:
    """Places of steps between `start` and `stop`, and the probability of each."""
    x, n = values[start:stop], stop - start
    if n < 2:
        return []
    inverse = _InverseCovariance(weight[start:stop], shared[start:stop])
    # a constant and, for each place, a step of one there: coefficient of the step over its deviation
    of_one = inverse.times(np.ones(n))
    step_one, step_x = _sum_tails(of_one)[1:], _sum_tails(inverse.times(x))[1:]
    information = inverse.of_tails()[1:] - step_one**2 / of_one.sum()
    z = (step_x - step_one * (of_one @ x) / of_one.sum()) / np.sqrt(information)
    k = int(np.argmax(np.abs(z)))
    p = float(min(1.0, (n - 1) * 2 * student.sf(abs(z[k]), freedom)))
    if p >= level:
        return []
    middle = start + k + 1
    return [
        *_find_splits(values, weight, shared, start, middle, freedom, level),
        (middle, p),
        *_find_splits(values, weight, shared, middle, stop, freedom, level),
    ]


def _fit_step(
    values: FloatArray, inverse: _InverseCovariance, cuts: list[tuple[int, float]]
) -> tuple[FloatArray, tuple[Step, ...]]:
    edges = [0, *(index for index, _ in cuts), len(values)]
    parts = np.zeros((len(values), len(edges) - 1))
    for k, (start, stop) in enumerate(pairwise(edges)):
        parts[start:stop, k] = 1.0
    means, covariance = inverse.fit(parts, values)
    steps = []
    for k, (index, p) in enumerate(cuts):
        variance = covariance[k, k] + covariance[k + 1, k + 1] - 2 * covariance[k, k + 1]
        steps.append(Step(index, float(means[k]), float(means[k + 1]), float(np.sqrt(variance)), p))
    return parts @ means, tuple(steps)


def _fit_line(
    time: FloatArray, values: FloatArray, inverse: _InverseCovariance
) -> tuple[FloatArray, float, float]:
    """Return a straight line, its slope and the slope's deviation, 0 where all is at one time."""
    middle, spread = float(time.mean()), float(np.ptp(time))
    if spread <= 0:
        return np.full(len(values), float(values.mean())), 0.0, 0.0
    design = np.stack([np.ones(len(time)), (time - middle) / spread], axis=1)
    coefficients, covariance = inverse.fit(design, values)
    return design @ coefficients, float(coefficients[1]) / spread, float(np.sqrt(covariance[1, 1])) / spread


def _compute_bic(residual: FloatArray, inverse: _InverseCovariance, parameters: int) -> float:
    return float(residual @ inverse.times(residual)) + parameters * float(np.log(len(residual)))
