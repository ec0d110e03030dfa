# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Samples that a stream should have had by its stamps, and that never came."""

from __future__ import annotations

LONGEST_HOLE_S = 1.0  # what is longer is silence or another clock, not samples lost on the way
SAMPLES_REMEMBERED = 8  # when telling the rate: few enough to see at once that it has changed
SMALL_JITTER = 0.1  # of a period: how far the ends of a second may be off without a sample too many


class MissingSamples:
    """Counts holes between stamps, second by second, where most samples do come at the stated rate.

    A stream that is slower than stated has holes, too, but hardly two stamps one period apart: nothing of it is
    missing. A stamp that is late by jitter makes a hole and a short interval behind it, which cancel.

    Parameters
    ----------
    period : float
        Stated period in s.

    Attributes
    ----------
    lately, expected : int
        Samples missing in the last whole second, and how many there should have been.
    total : int
        Samples missing so far.
    """

    def __init__(self, period: float) -> None:
        self._period = period
        self.lately = self.expected = self.total = 0
        self._newest: float | None = None
        self._single = 0.0  # share of newer samples that came one period behind the one before
        self._begin_second()

    def _begin_second(self) -> None:
        self._span, self._received, self._holes = 0.0, 0, 0

    def restart(self) -> None:
        """Begin anew at the next stamp."""
        self._newest = None

    def came(self, time: float) -> None:
        """Note a sample by its stamp in s."""
        newest, self._newest = self._newest, time
        if newest is None or not 0.0 < time - newest < LONGEST_HOLE_S:
            return
        periods = round((time - newest) / self._period)
        self._span += time - newest
        self._received += 1
        self._holes += periods - 1
        self._single += ((periods <= 1) - self._single) / SAMPLES_REMEMBERED

    def arrived(self) -> None:
        """Note a sample that came but was not used: its hole is no loss."""
        self._holes -= 1

    def turn_over(self) -> None:
        """End a second: what was missing in it can be read now."""
        lacking = int(self._span / self._period - self._received + SMALL_JITTER)
        self.lately = max(0, min(self._holes, lacking)) if self.rate_is_right else 0
        self.expected = self._received + self.lately
        self.total += self.lately
        self._begin_second()

    @property
    def rate_is_right(self) -> bool:
        """Whether most of the newest samples came one stated period apart."""
        return self._single > 0.5
