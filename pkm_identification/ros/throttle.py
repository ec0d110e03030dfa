# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

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
