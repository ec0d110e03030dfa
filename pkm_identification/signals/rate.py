# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The rate at which samples really come, by their own stamps."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rows import segment_slices

from .input_validation import ValidatedLog
from .steady_period import STEADY, SteadyPeriod

WINDOW = 0.25  # s over which samples are counted
RATE_ERROR = 0.20  # of the stated rate: from here on nothing can be trusted
MOST_FILLED = 0.05  # share of samples that are made up, above which nothing may be learned from them
FEWEST_COUNTED = 10  # samples in a window: stamps that jitter by a tenth of a period then show as 2 % at most


class RateWatch:
    """Counts samples over windows of their own time; jitter of single stamps does not matter.

    Samples that were made up to fill short holes count for the rate, because the filters behind see a regular clock;
    how many they are is reported as well.

    Parameters
    ----------
    nominal : float
        Expected rate in Hz.
    window : float
        s; longer where so few samples come.

    Attributes
    ----------
    rate : float
        Hz in the last whole window; NaN before there is one.
    filled : float
        Share of the samples in that window that were made up because others are missing.
    wrong : bool
        Whether derivatives would be wrong by as much as the rate is, or too much of the stream is made up.
    period : float
        Period in s of the samples, made-up ones included: the measured one where it is steady and not the nominal one.
    """

    def __init__(self, nominal: float, window: float = WINDOW) -> None:
        self.nominal = nominal
        self._window = max(window, FEWEST_COUNTED / nominal)
        self._steady = SteadyPeriod(1.0 / nominal)
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self.rate, self.filled, self.wrong = math.nan, 0.0, False
        self._steady.reset()
        self.period = self._steady.value
        self.restart()

    def restart(self) -> None:
        """Begin a new window; for holes and jumps of the clock."""
        self._begin: float | None = None
        self._count = self._received = 0

    def update(self, time: float, samples: int) -> bool:
        """Count one sample received and those made up before it, up to a stamp (s); whether that completed a window."""
        if self._begin is None:
            self._begin = time
            return False
        self._count += samples
        self._received += 1
        span = time - self._begin
        if span < self._window:
            if self._count >= FEWEST_COUNTED and not self._steady.known:
                self.period = self._first_period(span / self._count)
            return False
        self._steady.add(span, self._count)
        self.period = self._steady.value
        self.rate = self._count / span
        # jitter makes up samples, too, but none of them is missing
        missing = 1.0 - self._received / (span * self.nominal)
        self.filled = max(0.0, min(1.0 - self._received / self._count, missing))
        self.wrong = self.deviation > RATE_ERROR or self.filled > MOST_FILLED
        self._begin, self._count, self._received = time, 0, 0
        return True

    def _first_period(self, measured: float) -> float:
        """Before there is a whole window: what few samples show, where that is clearly another one."""
        return measured if abs(measured * self.nominal - 1.0) > STEADY else 1.0 / self.nominal

    def follow(self, time: FloatArray, samples: NDArray[np.int64]) -> tuple[NDArray[np.bool_], FloatArray]:
        """Return whether the rate is wrong, and the period in s, after each of many readings, as `update` gives them.

        Parameters
        ----------
        time : ndarray, shape (N,)
            Rising stamps in s.
        samples : ndarray of int64, shape (N,)
            Samples that each brings.
        """
        wrong, period = np.empty(len(time), dtype=bool), np.empty(len(time))
        start = 0
        while start < len(time):
            if self._begin is None:
                last = start
            else:
                # the reading that completes the window; a difference of stamps decides, as in `update`
                last = int(np.searchsorted(time, self._begin + self._window))
                while last > start and time[last - 1] - self._begin >= self._window:
                    last -= 1
                while last < len(time) and time[last] - self._begin < self._window:
                    last += 1
            wrong[start:last] = self.wrong
            period[start:last] = self.period
            if self._begin is not None and not self._steady.known:
                for n in range(start, last):  # of the first window alone
                    self.update(float(time[n]), int(samples[n]))
                    period[n] = self.period
            elif self._begin is not None:
                self._count += int(samples[start:last].sum())
                self._received += last - start
            if last < len(time):
                self.update(float(time[last]), int(samples[last]))
                wrong[last], period[last] = self.wrong, self.period
            start = last + 1
        return wrong, period

    @property
    def deviation(self) -> float:
        """Relative deviation from the nominal rate; 0 before it is known."""
        return 0.0 if math.isnan(self.rate) else abs(self.rate / self.nominal - 1.0)


def followed_rate(log: ValidatedLog) -> tuple[NDArray[np.bool_], FloatArray]:
    """For each sample (N,) of a log: whether `RateWatch` had nothing against the rate when it came, the period.

    The period (N,) in s is the one `RateWatch` knew then.
    """
    watch = RateWatch(1.0 / log.period)
    wrong, period = np.zeros(len(log.time), dtype=bool), np.full(len(log.time), log.period)
    for part in segment_slices(log.segment):
        # a reading brings the samples that fill the hole before it and its own
        readings = np.nonzero(~log.filled[part])[0]
        brought = np.diff(readings, prepend=-1)
        watch.restart()
        wrong_there, period_there = watch.follow(log.time[part][readings], brought)
        wrong[part], period[part] = np.repeat(wrong_there, brought), np.repeat(period_there, brought)
    return ~wrong, period
