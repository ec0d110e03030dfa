# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""When results arrive: stamps and arrival times of two topics, taken as bytes so that listening costs little."""

from __future__ import annotations

import struct
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import rclpy

from pkm_identification.msg import ParameterEstimate, PlatformState
from pkm_identification.ros.qos import LATCHED, STREAM

from .driver import NANOSECONDS, STAMP

POLL = 0.002  # s
TOPICS = {"platform_state": (PlatformState, STREAM), "parameter_estimate": (ParameterEstimate, LATCHED)}


@dataclass
class Arrivals:
    """Stamps and arrivals in ns since the epoch, and the publisher's numbers of the messages."""

    stamps: list[int] = field(default_factory=list)
    arrivals: list[int] = field(default_factory=list)

    def arrays(self) -> tuple[np.ndarray, np.ndarray]:
        return np.array(self.stamps, dtype=np.int64), np.array(self.arrivals, dtype=np.int64)


class Listener:
    """Subscribes to topics of `TOPICS` and polls in a thread; arrival is when the middleware had the message."""

    def __init__(self, topics: Sequence[str]) -> None:
        self._node = rclpy.create_node("listener")
        self.heard = {topic: Arrivals() for topic in TOPICS}
        self._subscriptions: list[tuple[Any, type, Arrivals]] = []
        for topic in topics:
            kind, qos = TOPICS[topic]
            made = self._node.create_subscription(kind, topic, lambda _: None, qos)
            self._subscriptions.append((made, kind, self.heard[topic]))
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._poll, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop listening."""
        self._stop.set()
        self._thread.join()
        self._node.destroy_node()

    def _poll(self) -> None:
        while not self._stop.is_set():
            for made, kind, arrivals in self._subscriptions:
                while True:
                    with made.handle:
                        taken = made.handle.take_message(kind, True)
                    if taken is None:
                        break
                    second, rest = struct.unpack_from("<iI", taken[0], STAMP)
                    arrivals.stamps.append(second * NANOSECONDS + rest)
                    arrivals.arrivals.append(taken[1]["received_timestamp"])
            time.sleep(POLL)
