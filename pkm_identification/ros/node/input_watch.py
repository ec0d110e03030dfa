# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""How a node keeps up with a topic: how long its steps take and which messages it never got."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

MILLISECONDS = 1e3
# Publishers remembered; more come only when drivers restart again and again.
MOST_PUBLISHERS = 64


class InputWatch:
    """Counts the messages of one topic that are missing and times the processing of the others.

    Missing are numbers that a publisher left out of its sequence: lost on the way, or pushed out of the queue by
    newer ones while this node was busy. Messages sent before the subscription was there do not count.

    Parameters
    ----------
    topic : str
    silence : float
        s without a message that are worth a warning.

    Attributes
    ----------
    topic : str
    taken, lost : int
        Messages taken and missed so far.
    lost_lately, steps, mean, longest
        Of the last whole second: messages missed, steps, and how long a step took, in s.
    """

    def __init__(self, topic: str, silence: float = math.inf) -> None:
        self.topic = topic
        self._silence = silence
        self._arrival = time.monotonic()
        self.taken = 0
        self.lost = 0
        self.lost_lately = 0
        self.steps = 0
        self.mean = 0.0
        self.longest = 0.0
        self._before = 0
        self._count = 0
        self._total = 0.0
        self._max = 0.0
        self._newest: dict[Any, int] = {}

    def took(self, duration: float, info: Mapping[str, Any]) -> None:
        """Note a step of `duration` s for a message with this information on its way."""
        self._arrival = time.monotonic()
        self.taken += 1
        self._count += 1
        self._total += duration
        self._max = max(self._max, duration)
        number = info.get("publication_sequence_number")
        if not number:
            return  # a middleware that does not number messages
        gid = info.get("publisher_gid")
        publisher = gid["data"] if isinstance(gid, dict) else None
        newest = self._newest.get(publisher)
        if newest is None and len(self._newest) >= MOST_PUBLISHERS:
            self._newest.clear()
        if newest is not None and number > newest + 1:
            self.lost += number - newest - 1
        if newest is None or number > newest:
            self._newest[publisher] = number

    def turn_over(self) -> None:
        """End of a second: what was noted in it can be read now."""
        self.lost_lately, self._before = self.lost - self._before, self.lost
        self.steps, self.longest = self._count, self._max
        self.mean = self._total / self._count if self._count else 0.0
        self._count, self._total, self._max = 0, 0.0, 0.0

    @property
    def silent(self) -> bool:
        """Whether nothing has come for longer than it should."""
        return time.monotonic() - self._arrival > self._silence

    def complaint_of_silence(self) -> str:
        """What to say then."""
        return f"no samples on '{self.topic}' for {time.monotonic() - self._arrival:.0f} s"

    def complaint(self) -> str:
        """What to say when messages were missed in the last second."""
        return (
            f"slower than the input: {self.lost_lately} messages of '{self.topic}' lost, {self.lost} so far; "
            f"a step takes {MILLISECONDS * self.mean:.3g} ms, at most {MILLISECONDS * self.longest:.3g} ms"
        )


def step_values(watches: Iterable[InputWatch]) -> dict[str, object]:
    """Steps of all inputs of a node in the last second together, and its memory; empty without inputs."""
    watches = list(watches)
    if not watches:
        return {}
    steps = sum(watch.steps for watch in watches)
    total = sum(watch.steps * watch.mean for watch in watches)
    return {
        "step_mean (ms)": MILLISECONDS * total / steps if steps else 0.0,
        "step_max (ms)": MILLISECONDS * max(watch.longest for watch in watches),
        "taken": sum(watch.taken for watch in watches),
        "lost": sum(watch.lost for watch in watches),
        "memory (MB)": resident_memory(),
    }


def resident_memory() -> float:
    """Memory of this process in MB; 0 where there is no /proc."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
