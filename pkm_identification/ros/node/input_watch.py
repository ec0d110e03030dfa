# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How a node keeps up with a topic: how long its steps take and which messages it never got."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from .missing_samples import MissingSamples
from .topic_publishers import publisher_of

MILLISECONDS = 1e3
# Publishers remembered; more come only when drivers restart again and again.
MOST_PUBLISHERS = 64


class InputWatch:
    """Counts the messages of one topic that are missing and times the processing of the others.

    Missing are numbers that a publisher left out of its sequence: lost on the way, or pushed out of the queue by
    newer ones while this node was busy. Then the queue was full, and as many messages have come before the one behind
    the hole was taken; a node that keeps up finds few. Messages sent before the subscription was there do not count.

    Parameters
    ----------
    topic : str
    silence : float
        s without a message that are worth a warning.
    depth : int
        Messages that the queue of the subscription holds; may be set later.
    samples : MissingSamples, optional
        What is missing by the stamps: a driver may have left out samples, or somebody between it and the publisher.

    Attributes
    ----------
    topic : str
    taken, lost : int
        Messages taken and missed so far.
    lost_on_the_way : int
        Of the lost ones, those that never reached the queue.
    pushed_out_lately, on_the_way_lately, steps, mean, longest, senders
        Of the last whole second: messages missed by cause, steps, how long a step took, in s, and who sent.
    """

    def __init__(
        self,
        topic: str,
        silence: float = math.inf,
        depth: int = 1,
        samples: MissingSamples | None = None,
    ) -> None:
        self.topic = topic
        self.depth = depth
        self._samples = samples
        self._pushed_out = self.lost_on_the_way = 0
        self._doubtful = 0  # lost, by which cause is not known yet
        self._hole = (0, 0)  # number of the message behind the hole, and when it was taken, ns
        self._by_cause = (0, 0)
        self._silence = silence
        self._arrival = time.monotonic()
        self.taken = 0
        self.lost = 0
        self.pushed_out_lately = self.on_the_way_lately = 0
        self.steps = 0
        self.mean = 0.0
        self.longest = 0.0
        self._count = 0
        self._total = 0.0
        self._max = 0.0
        self._newest: dict[Any, int] = {}
        self._senders: set[bytes] = set()
        self.senders: set[bytes] = set()

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
        publisher = publisher_of(info)
        if publisher is not None:
            self._senders.add(publisher)
        newest = self._newest.get(publisher)
        if newest is None and len(self._newest) >= MOST_PUBLISHERS:
            self._newest.clear()
        received = info.get("received_timestamp") or 0
        if newest is not None and number > newest + 1:
            self.lost += number - newest - 1
            if not self._doubtful:
                self._hole = number, time.time_ns()
            self._doubtful += number - newest - 1
        if self._doubtful:
            self._find_cause(number, received)
        if newest is None or number > newest:
            self._newest[publisher] = number

    def _find_cause(self, number: int, received: int) -> None:
        """Tell lost messages from those pushed out, by what had been received (ns) when the one behind was taken."""
        behind, taken = self._hole
        if received > taken:
            self.lost_on_the_way += self._doubtful
        elif not received or number - behind >= self.depth // 2:
            self._pushed_out += self._doubtful
        else:
            return
        self._doubtful = 0

    def turn_over(self) -> None:
        """End of a second: what was noted in it can be read now."""
        now = (self._pushed_out, self.lost_on_the_way)
        self.pushed_out_lately, self.on_the_way_lately = (
            a - b for a, b in zip(now, self._by_cause, strict=True)
        )
        self._by_cause = now
        if self._samples is not None:
            self._samples.turn_over()
        self.steps, self.longest = self._count, self._max
        self.mean = self._total / self._count if self._count else 0.0
        self._count, self._total, self._max = 0, 0.0, 0.0
        self.senders, self._senders = self._senders, set()

    @property
    def silent(self) -> bool:
        """Whether nothing has come for longer than it should."""
        return time.monotonic() - self._arrival > self._silence

    def complaint_of_silence(self, publishers: Iterable[str]) -> str:
        """Return what to say then, of the publishers that should send: names of their nodes."""
        names = ", ".join(sorted(publishers))
        why = f"{names} is there but sends none" if names else "nobody publishes it"
        return f"no samples on '{self.topic}' for {time.monotonic() - self._arrival:.0f} s: {why}"

    def complaints(self) -> Iterator[str]:
        """Yield what to say of what was missed in the last second."""
        step = f"a step takes {MILLISECONDS * self.mean:.3g} ms, at most {MILLISECONDS * self.longest:.3g} ms"
        if self.pushed_out_lately:
            yield (
                f"slower than the input: {self.pushed_out_lately} messages of '{self.topic}' lost, {self.lost} so far; "
                f"{step}"
            )
        missing, expected, total = self._missing()
        if missing:
            yield (
                f"{missing} of {expected} samples of '{self.topic}' are missing on the way, {total} so far: look at "
                f"driver, network and load; this node keeps up ({step})"
            )

    def _missing(self) -> tuple[int, int, int]:
        """Return samples that never reached the queue: missing in the last second, expected in it, missing so far."""
        if self.on_the_way_lately:
            return self.on_the_way_lately, self.steps + self.on_the_way_lately, self.lost_on_the_way
        # by the stamps, what this node was too slow for is missing as well
        if self._samples is None or self.pushed_out_lately or self._doubtful:
            return 0, 0, 0
        return self._samples.lately, self._samples.expected, self._samples.total


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
        "lost_on_the_way": sum(watch.lost_on_the_way for watch in watches),
        "memory (MB)": resident_memory(),
    }


def resident_memory() -> float:
    """Memory of this process in MB; 0 where there is no /proc."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
