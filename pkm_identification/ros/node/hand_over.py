# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Streams between nodes of one process: samples are handed over as objects.

Through DDS each sample would be written as a message, sent over a socket to the same process, received and read. What
others see is the same: the topic and its subscriptions are there, and messages go out as soon as another process
subscribes.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..clock import round_to_stamp
from ..qos import INNER_DEPTH

LOOK_PERIOD_S = 0.05  # between looks who subscribes, each of which takes .004 ms


@dataclass(frozen=True)
class Handed:
    """A sample as it was handed over.

    Attributes
    ----------
    sample : DriveSample or PlatformSample
    time : float
        Its time in s, rounded as a message's stamp would be.
    delay : float
        Of the filter in s.
    """

    sample: Any
    time: float
    delay: float

    @property
    def retimed_sample(self) -> Any:
        """The sample with that time."""
        return self.sample if self.sample.time == self.time else self.sample._replace(time=self.time)


class Taker:
    """One who takes a stream of this process.

    Parameters
    ----------
    take : callable
        Given what is handed over.
    """

    def __init__(self, take: Callable[[Handed], None]) -> None:
        self.take = take
        self._published: dict[bytes, None] = {}

    def published(self, message: bytes) -> None:
        """Note a message that carries what is handed over as well: the taker's subscription gets it, too."""
        if len(self._published) >= 2 * INNER_DEPTH:
            del self._published[next(iter(self._published))]  # lost on the way
        self._published[message] = None

    def knows(self, message: object) -> bool:
        """Return whether a message that came was handed over before; asked once for each."""
        return bool(self._published) and self._published.pop(message, self) is None  # type: ignore[call-overload]


class HandOver:
    """Who takes which stream within a process; one for all its nodes."""

    def __init__(self) -> None:
        self._takers: dict[str, list[Taker]] = {}

    def takers(self, topic: str) -> list[Taker]:
        """Those of a topic by its full name; the list stays up to date."""
        return self._takers.setdefault(topic, [])

    def join(self, topic: str, take: Callable[[Handed], None]) -> tuple[Taker, Callable[[], None]]:
        """Return a new taker of a topic, and what to call when it takes no more."""
        taker, takers = Taker(take), self.takers(topic)
        takers.append(taker)
        return taker, lambda: takers.remove(taker)


class StreamOutput:
    """A stream that a node gives: objects to the nodes of its process, messages to all others.

    Parameters
    ----------
    publisher : rclpy.lifecycle.LifecyclePublisher
    takers : list of Taker
        Of this process, up to date.
    message : callable
        Bytes of (sample, delay); raises StampError when the sample's time fits into no stamp.
    """

    def __init__(self, publisher: Any, takers: list[Taker], message: Callable[[Any, float], bytes]) -> None:
        self.publisher = publisher
        self._takers = takers
        self._message = message
        self._looked, self._heard = -math.inf, False

    def send(self, sample: Any, delay: float) -> None:
        """Give a sample to everybody; `delay` in s.

        Raises
        ------
        StampError
            If the sample's time does not fit into a stamp.
        """
        takers = self._takers
        if not takers:
            self.publisher.publish(self._message(sample, delay))
            return
        # a reader would get no more than the stamp tells
        handed = Handed(sample, round_to_stamp(sample.time), delay)
        # each taker has a subscription, too, as part of the graph and for other publishers
        if self._is_heard_by_others():
            message = self._message(sample, delay)
            for taker in takers:
                taker.published(message)
            self.publisher.publish(message)
        for taker in takers:
            taker.take(handed)

    def _is_heard_by_others(self) -> bool:
        """Return whether anyone outside of this process subscribes; looked up now and then."""
        now = time.monotonic()
        if not 0.0 <= now - self._looked < LOOK_PERIOD_S:
            self._looked = now
            self._heard = self.publisher.get_subscription_count() > len(self._takers)
        return self._heard
