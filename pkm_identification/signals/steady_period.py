# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The sample period that stamps really have, where it is steady.

Filters count samples, derivatives divide by the period: where samples come at 1040 Hz instead of 1000, rates taken
with the stated period are 4 % too small, and viscous friction 4 % too large.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

STEADY = 0.01  # relative difference up to which a stretch agrees with those before it
LEAST = 1e-4  # relative difference from the stated period that is worth following; clocks differ by less
CERTAIN = 4.0  # deviations of the measured period from which on it is not the stated one
KEPT = 40  # stretches
FEW = 4  # stretches, too few to see how much they scatter
TWICE = 0.25  # periods; closer stamps are one that came twice
LONGEST_STEP = 5  # periods between two stamps of which a log's period is measured; longer are holes


class SteadyPeriod:
    """Sample period of a stream, from successive segments of it.

    A segment that disagrees with those before it is left out, until a second one agrees with it: the rate has changed.

    Parameters
    ----------
    nominal : float
        s; what is given while nothing else is certain.

    Attributes
    ----------
    known : bool
        Whether there was a segment to measure.
    value : float
        s.
    """

    def __init__(self, nominal: float) -> None:
        self._nominal = nominal
        self._spans: deque[float] = deque(maxlen=KEPT)
        self._counts: deque[int] = deque(maxlen=KEPT)
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self._spans.clear()
        self._counts.clear()
        self._other: tuple[float, int] | None = None
        self.known = False
        self.value = self._nominal

    def add(self, span: float, count: int) -> None:
        """Take a segment of `count` periods that lasted `span` s."""
        period = span / count
        if self.known and not _agree(period, sum(self._spans) / sum(self._counts)):
            if self._other is None or not _agree(period, self._other[0] / self._other[1]):
                self._other = span, count
                return
            self._spans.clear()
            self._counts.clear()
            self._spans.append(self._other[0])
            self._counts.append(self._other[1])
        self._other = None
        self.known = True
        self._spans.append(span)
        self._counts.append(count)
        self.value = steady_period(np.array(self._spans), np.array(self._counts), self._nominal)


def _agree(one: float, other: float) -> bool:
    return abs(one / other - 1.0) <= STEADY


def steady_period(spans: FloatArray, counts: FloatArray, nominal: float, least: float = LEAST) -> float:
    """Period in s that segments of a stream show, or the stated one where they do not show another.

    The ends of segments jitter, but one begins where the other ended: the mean over M of them is M times as certain
    as each.

    Parameters
    ----------
    spans, counts : ndarray, shape (M,)
        s, and periods in them.
    nominal : float
        s.
    least : float
        Relative difference from that which is worth following.
    """
    measured = float(spans.sum() / counts.sum())
    certain = STEADY
    if len(spans) >= FEW:
        certain = max(least, CERTAIN * float(np.std(spans / counts)) / measured / len(spans))
    return measured if abs(measured / nominal - 1.0) > certain else nominal


def period_of_stamps(time: FloatArray, nominal: float, least: float = LEAST) -> float:
    """Period in s of the stamps of a log, or the stated one where they do not show another.

    Periods are counted as input validation counts them, whose samples the filters get: one for what jitter makes too
    short, two for what it makes as long.

    Parameters
    ----------
    time : ndarray, shape (N,)
        s; what is not finite, comes twice, late or after a hole is left out.
    nominal : float
        s; near enough to count missing samples by.
    least : float
        Relative difference from that which is worth following: none is too small where that is no stated period but
        the median step, which stamps of few digits round, as those in seconds since 1970.
    """
    steps = np.diff(time)
    steps = steps[np.isfinite(steps) & (steps > TWICE * nominal) & (steps < (LONGEST_STEP + 0.5) * nominal)]
    # part by part: of a log of hours there is not to be one array more than needed
    parts = np.array_split(steps, max(1, min(KEPT, len(steps) // 10)))
    spans = np.array([part.sum() for part in parts])
    periods = np.array([np.maximum(np.floor(part / nominal + 0.5), 1.0).sum() for part in parts])
    return steady_period(spans, periods, nominal, least) if periods.all() else nominal
