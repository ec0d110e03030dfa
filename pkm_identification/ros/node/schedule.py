# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""When samples of a simulated machine are due in real time, and what happens when the computer does not keep up."""

from __future__ import annotations

import math


class Schedule:
    """Counts the samples that are due.

    A lag beyond `longest_lag` is given up: the schedule moves by all of it, and a computer that is too slow is not
    flooded either. A machine that nobody outside controls may hurry after smaller ones; one under control must not,
    because in a burst no controller could answer.

    Parameters
    ----------
    rate : float
        Samples in one second of real time.
    most : int
        Samples at once; more would flood the subscribers.
    longest_lag : float
        s.

    Attributes
    ----------
    began : float
        When sample 0 was or will be due, on the caller's clock, s; infinity before `begin`.
    count : int
        Samples simulated so far.
    lost : float
        s by which the schedule has been moved.
    """

    def __init__(self, rate: float, most: int, longest_lag: float) -> None:
        self._rate = rate
        self._most = most
        self._longest_lag = longest_lag
        self.began = math.inf
        self.count = 0
        self.lost = 0.0

    def begin(self, now: float) -> None:
        """Let sample 0 be due at `now` (s)."""
        self.began = now

    def resume(self, now: float) -> None:
        """Let the next sample be due at `now` (s), after a pause."""
        self.began = now - self.count / self._rate

    @property
    def started(self) -> bool:
        """Whether `begin` was called."""
        return math.isfinite(self.began)

    def due(self, now: float) -> int:
        """Return how many samples to simulate at `now` (s), none before `begin`; each must be added to `count`."""
        if self.began > now:
            return 0
        count = math.floor((now - self.began) * self._rate) + 1 - self.count
        lag = (count - 1) / self._rate
        if lag > self._longest_lag:
            self.began += lag
            self.lost += lag
            count = 1
        return min(max(count, 0), self._most)
