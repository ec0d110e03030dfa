"""The rate at which samples really come, by their own stamps."""

from __future__ import annotations

import math


class RateWatch:
    """Counts samples over windows of their own time; jitter of single stamps does not matter.

    Parameters
    ----------
    nominal : float
        Expected rate in Hz.
    window : float
        s.

    Attributes
    ----------
    rate : float
        Hz in the last whole window; NaN before there is one.
    """

    def __init__(self, nominal: float, window: float = 0.25) -> None:
        self.nominal = nominal
        self._window = window
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

    @property
    def deviation(self) -> float:
        """Relative deviation from the nominal rate; 0 before it is known."""
        return 0.0 if math.isnan(self.rate) else abs(self.rate / self.nominal - 1.0)
