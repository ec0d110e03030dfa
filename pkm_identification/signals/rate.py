"""The rate at which samples really come, by their own stamps."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.segments import segment_slices

from .guard import RATE_ERROR, GuardedLog

WINDOW = 0.25  # s over which samples are counted
FEWEST_COUNTED = 10  # samples in a window: stamps that jitter by a tenth of a period then show as 2 % at most


class RateWatch:
    """Counts samples over windows of their own time; jitter of single stamps does not matter.

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
    """

    def __init__(self, nominal: float, window: float = WINDOW) -> None:
        self.nominal = nominal
        self._window = max(window, FEWEST_COUNTED / nominal)
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self.rate = math.nan
        self.restart()

    def restart(self) -> None:
        """Begin a new window; for holes and jumps of the clock."""
        self._begin: float | None = None
        self._count = 0

    def update(self, time: float, samples: int) -> bool:
        """Count samples up to a stamp (s); whether that completed a window."""
        if self._begin is None:
            self._begin = time
            return False
        self._count += samples
        span = time - self._begin
        if span < self._window:
            return False
        self.rate = self._count / span
        self._begin, self._count = time, 0
        return True

    def follow(self, time: FloatArray, samples: NDArray[np.int64]) -> FloatArray:
        """Deviation after each of many readings, as `update` gives it one by one.

        Parameters
        ----------
        time : ndarray, shape (N,)
            Rising stamps in s.
        samples : ndarray of int64, shape (N,)
            Samples that each brings.
        """
        deviations = np.empty(len(time))
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
            deviations[start:last] = self.deviation
            self._count += int(samples[start:last].sum()) if self._begin is not None else 0
            if last < len(time):
                self.update(float(time[last]), int(samples[last]))
                deviations[last] = self.deviation
            start = last + 1
        return deviations

    @property
    def deviation(self) -> float:
        """Relative deviation from the nominal rate; 0 before it is known."""
        return 0.0 if math.isnan(self.rate) else abs(self.rate / self.nominal - 1.0)

    @property
    def wrong(self) -> bool:
        """Whether samples come at so wrong a rate that derivatives would be wrong by as much."""
        return self.deviation > RATE_ERROR


def at_right_rate(log: GuardedLog) -> NDArray[np.bool_]:
    """For each sample (N,) of a guarded log, whether `RateWatch` had nothing against the rate when it came."""
    watch = RateWatch(1.0 / log.period)
    deviations = np.zeros(len(log.time))
    for part in segment_slices(log.segment):
        # a reading brings the samples that fill the hole before it and its own
        readings = np.nonzero(~log.filled[part])[0]
        brought = np.diff(readings, prepend=-1)
        watch.restart()
        deviations[part] = np.repeat(watch.follow(log.time[part][readings], brought), brought)
    return deviations <= RATE_ERROR
