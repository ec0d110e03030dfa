"""When a quantity changed that was measured again and again: steps, a drift, or neither.

Values x_i with deviations s_i, in the order of time, scatter about their truth by more than s_i where what is not
modelled differs from log to log (temperature, wear of a day). How much more tell successive values: with
d_i = (x_{i+1} - x_i) / sqrt(s_i^2 + s_{i+1}^2), the root mean square of the smaller four fifths of |d_i|, over that of
a normal variable, is the factor by which all deviations are widened (never below 1): few steps do not move it, a drift
hardly. How well so few values tell it is in the degrees of freedom of Student's t.

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


def trend(time: FloatArray, values: FloatArray, std: FloatArray, level: float) -> Trend:
    """What a quantity does over time.

    Parameters
    ----------
    time : ndarray, shape (n,)
        Not decreasing; any unit.
    values, std : ndarray, shape (n,)
        With independent errors; errors that all values share do not matter and are left out.
    level : float
        Probability with which a constant quantity is called anything else.
    """
    n = len(values)
    if n < FEWEST:
        return Trend(TOO_FEW, values.copy(), 1.0)
    factor = scatter(values, std)
    weight = 1.0 / (factor * std) ** 2
    mean = np.full(n, _mean(values, weight))
    # two ways to be wrong: a step or a drift
    freedom = n - 2 if factor == 1.0 else EFFICIENCY * (n - 2)
    cuts = _splits(values, weight, 0, n, freedom, level / 2)
    stepped, steps = _stepped(values, weight, cuts)
    line, slope, slope_std = _line(time, values, weight)
    p = float(2 * student.sf(abs(slope) / slope_std, freedom)) if slope_std > 0 else 1.0
    found = [(_bic(values, mean, weight, 1), Trend(CONSTANT, mean, factor))]
    if steps:
        found.append(
            (_bic(values, stepped, weight, 1 + 2 * len(steps)), Trend(STEPS, stepped, factor, steps))
        )
    if p < level / 2:
        drift = Trend(DRIFT, line, factor, (), slope, slope_std, p)
        found.append((_bic(values, line, weight, 2), drift))
    # what is significant is there: BIC decides what it is, not whether
    return min(found[1:] or found, key=lambda pair: pair[0])[1]


def scatter(values: FloatArray, std: FloatArray) -> float:
    """By how much values differ from one to the next more than their deviations say; at least 1."""
    squares = np.sort((np.diff(values) / np.hypot(std[1:], std[:-1])) ** 2)
    count = max(1, int(KEPT * len(squares)))
    end = norm.ppf(0.5 + 0.5 * count / (len(squares) + 1))
    # of a normal variable between -end and end
    expected = 1.0 - 2.0 * end * norm.pdf(end) / (2.0 * norm.cdf(end) - 1.0)
    return max(1.0, float(np.sqrt(np.mean(squares[:count]) / expected)))


def _mean(values: FloatArray, weight: FloatArray) -> float:
    return float(weight @ values / weight.sum())


def _splits(
    values: FloatArray, weight: FloatArray, start: int, stop: int, freedom: float, level: float
) -> list[tuple[int, float]]:
    """Places of steps between `start` and `stop`, and the probability of each."""
    x, w = values[start:stop], weight[start:stop]
    n = len(x)
    if n < 2:
        return []
    before, sums = np.cumsum(w)[:-1], np.cumsum(w * x)[:-1]
    after, rest = w.sum() - before, w @ x - sums
    z = (rest / after - sums / before) / np.sqrt(1.0 / before + 1.0 / after)
    k = int(np.argmax(np.abs(z)))
    p = float(min(1.0, (n - 1) * 2 * student.sf(abs(z[k]), freedom)))
    if p >= level:
        return []
    middle = start + k + 1
    return [
        *_splits(values, weight, start, middle, freedom, level),
        (middle, p),
        *_splits(values, weight, middle, stop, freedom, level),
    ]


def _stepped(
    values: FloatArray, weight: FloatArray, cuts: list[tuple[int, float]]
) -> tuple[FloatArray, tuple[Step, ...]]:
    edges = [0, *(place for place, _ in cuts), len(values)]
    level, means, variances = np.empty(len(values)), [], []
    for start, stop in pairwise(edges):
        part = slice(start, stop)
        means.append(_mean(values[part], weight[part]))
        variances.append(1.0 / float(weight[part].sum()))
        level[part] = means[-1]
    steps = tuple(
        Step(place, means[k], means[k + 1], float(np.sqrt(variances[k] + variances[k + 1])), p)
        for k, (place, p) in enumerate(cuts)
    )
    return level, steps


def _line(time: FloatArray, values: FloatArray, weight: FloatArray) -> tuple[FloatArray, float, float]:
    """A weighted straight line, its slope and the slope's deviation, 0 where all is at one time."""
    middle = _mean(time, weight)
    spread = float(weight @ (time - middle) ** 2)
    mean = _mean(values, weight)
    if spread <= 0:
        return np.full(len(values), mean), 0.0, 0.0
    slope = float(weight @ ((time - middle) * (values - mean))) / spread
    return mean + slope * (time - middle), slope, spread**-0.5


def _bic(values: FloatArray, level: FloatArray, weight: FloatArray, parameters: int) -> float:
    return float(weight @ (values - level) ** 2) + parameters * float(np.log(len(values)))
