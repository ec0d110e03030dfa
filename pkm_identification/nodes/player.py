# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""player: a rosbag2 recording back onto topics, paced as it was recorded (`pkm play`)."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterable, Iterator, Mapping

from rclpy.duration import Duration
from rosbags.interfaces import QosDurability
from rosgraph_msgs.msg import Clock

from pkm_identification.records.bags.reader import BagMessage, bag_qos, is_cut, list_bag_topics, read_messages
from pkm_identification.records.clocks import NANOSECONDS
from pkm_identification.ros.messages.message_types import message_class
from pkm_identification.ros.node.diagnostics import WARN, Finding
from pkm_identification.ros.node.main import run
from pkm_identification.ros.node.pipeline_node import PipelineNode
from pkm_identification.ros.parameters.declarations import (
    WAIT_FOR,
    LiveParameter,
    ParameterError,
    ParameterSpec,
)
from pkm_identification.ros.qos import CLOCK, LATCHED, STREAM

TICK = 0.002  # s
# Messages sent in one tick when the player was held up: ten times the usual, which subscribers can take.
MOST_PER_TICK = 20
# A subscription that a publisher has discovered may take this long to have discovered the publisher.
SETTLING = 0.2
ACKNOWLEDGED_WITHIN = 5.0  # s


class PlayerNode(PipelineNode):
    """Publishes the messages of a recording as they were, stamps included."""

    NAME = "player"
    TASK = "playback"
    PARAMETERS = (
        ParameterSpec("bag", "", "recording: a rosbag2 folder, .db3 or .mcap file"),
        ParameterSpec(
            "topics", ["strut_states"], "topics to play, without the namespace they were recorded in"
        ),
        LiveParameter("rate", 1.0, "speed relative to the recording", "", 0.01, 10.0),
        LiveParameter(
            "loop",
            False,
            "start again at the end, where estimation begins anew: a bag shorter than 15 s is never assessed",
        ),
        ParameterSpec("clock", False, "publish the recording's time on /clock"),
        ParameterSpec(
            "wait", 10.0, "longest time to wait for a subscriber of every topic before the start", "s", 0
        ),
        WAIT_FOR,
        ParameterSpec("shutdown_at_end", True, "end the process when the recording is over"),
    )

    def build(self) -> None:
        if not self.parameter["bag"]:
            raise ParameterError("parameter 'bag' is empty: give the folder of the recording")
        self.bag = self.parameter["bag"]
        wanted = self.parameter["topics"]
        known = list_bag_topics(self.bag)
        if is_cut(self.bag):
            self.get_logger().warning(f"{self.bag} ends in the middle: it is played up to there")
        # what was recorded under a namespace is played under this node's own
        self.names = {full: name for name in wanted for full in known if f"/{full}".endswith(f"/{name}")}
        missing = set(wanted) - set(self.names.values())
        if missing or len(self.names) > len(wanted):
            problem = (
                f"no topic '{min(missing)}'"
                if missing
                else f"several topics for one name: {list(self.names)}"
            )
            raise ParameterError(f"{self.bag}: {problem}; there are: {', '.join(known)}")
        self.rate, self.loop = self.parameter["rate"], self.parameter["loop"]
        self.outputs, offered = {}, bag_qos(self.bag)
        for full, name in self.names.items():
            # older recordings do not say what was offered
            latched = any(qos.durability == QosDurability.TRANSIENT_LOCAL for qos in offered[full])
            qos = LATCHED if latched or name == "parameter_estimate" else STREAM
            self.outputs[full] = self.publisher(message_class(known[full]), name, qos)
        self.started: float | None = None
        self._began = math.nan  # s, on the monotonic clock: when the first message was or would have been due
        self.clock_output = self.publisher(Clock, "/clock", CLOCK) if self.parameter["clock"] else None

    def apply_changes(self, names: set[str]) -> None:
        """Take over live parameters; a new speed counts from here."""
        now, rate = time.monotonic(), self.parameter["rate"]
        if self.started is not None:
            self._began = now - (now - self._began) * self.rate / rate
        self.rate, self.loop = rate, self.parameter["loop"]

    def start(self) -> None:
        self.sent, self.rounds = 0, 0
        self.started = None
        self._deadline = time.monotonic() + self.parameter["wait"]
        self._ready_at: float | None = None
        self._over = False
        self._rewind()
        self.every(TICK, self._tick)

    def hardware(self) -> str:
        return str(self.bag)

    def findings(self) -> Iterable[Finding]:
        if self.started is None:
            yield WARN, f"waits for listeners: {', '.join(self._lonely())}"

    def summary(self) -> str:
        """Return how much of the recording has gone out, and whether it is over."""
        state = "over: " if self._over else ""
        return f"{state}{self.sent} messages played, round {self.rounds + (not self._over)}"

    def values(self) -> Mapping[str, object]:
        return {"sent": self.sent, "rounds": self.rounds, "behind (s)": self._behind}

    def _rewind(self) -> None:
        self._messages: Iterator[BagMessage] = read_messages(self.bag, list(self.names))
        self._next = next(self._messages, None)
        self._origin = 0 if self._next is None else self._next.stamp
        self._began = time.monotonic()
        self._behind = 0.0

    def _lonely(self) -> list[str]:
        """Topics that wait for a subscriber."""
        own = [
            self.names[topic] for topic, output in self.outputs.items() if not output.get_subscription_count()
        ]
        return own + self.unheard(self.parameter["wait_for"])

    def _ready(self, now: float) -> bool:
        """Return whether everybody is there, or the time to wait is over."""
        if self._ready_at is None:
            lonely = self._lonely()
            if lonely and now < self._deadline:
                return False
            if lonely:
                self.get_logger().warning(f"nobody subscribes to {', '.join(lonely)}: playing all the same")
            self._ready_at = now + SETTLING
        if now < self._ready_at:
            return False
        self.started = self._began = now
        return True

    def _tick(self) -> None:
        now = time.monotonic()
        if self._over or (self.started is None and not self._ready(now)):
            return
        due = (now - self._began) * self.rate * NANOSECONDS
        sent = 0
        while self._next is not None and self._next.stamp - self._origin <= due and sent < MOST_PER_TICK:
            self.outputs[self._next.topic].publish(self._next.data)
            last = self._next.stamp
            self._next = next(self._messages, None)
            sent += 1
        self.sent += sent
        if sent and self.clock_output is not None:
            clock = Clock()
            clock.clock.sec, clock.clock.nanosec = divmod(last, NANOSECONDS)
            self.clock_output.publish(clock)
        if self._next is None:
            self._end()
        else:
            self._behind = max(0.0, (due - (self._next.stamp - self._origin)) / NANOSECONDS)

    def _end(self) -> None:
        self.rounds += 1
        if self.loop and self.sent:
            self._rewind()
            return
        self._over = True
        for output in self.outputs.values():
            output.wait_for_all_acked(Duration(seconds=ACKNOWLEDGED_WITHIN))
        self.get_logger().info(f"{self.sent} messages played")
        if self.parameter["shutdown_at_end"]:
            self.finish()


def main(args: list[str] | None = None) -> int:
    """Run the node."""
    return run(PlayerNode, args)


if __name__ == "__main__":
    sys.exit(main())
