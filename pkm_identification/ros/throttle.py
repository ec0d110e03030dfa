# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Fewer samples for people to look at, counted in the samples' own time."""

from __future__ import annotations

import math


class Throttle:
    """Lets through at most `rate` (Hz) samples per second of their own time; none at rate 0."""

    def __init__(self, rate: float) -> None:
        self._period = 1.0 / rate if rate > 0 else math.inf
        self._next = -math.inf

    def due(self, time: float) -> bool:
        """Return whether the sample of this stamp (s) is let through."""
        if self._period == math.inf:
            return False
        wait = self._next - time
        # a wait longer than a period means that the clock jumped back
        if 0.0 < wait <= self._period:
            return False
        self._next = self._next + self._period if -self._period < wait <= 0.0 else time + self._period
        return True
