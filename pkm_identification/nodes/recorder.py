# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""recorder: topics to a rosbag2 recording, as raw bytes (`pkm record`)."""

from __future__ import annotations

import math
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from rclpy.qos import QoSProfile
from rosbags.interfaces import QosDurability
from sensor_msgs.msg import JointState

from pkm_identification.errors import PkmError, one_line
from pkm_identification.msg import ParameterEstimate, PlatformState, StrutStates
from pkm_identification.records.bags.recovery import recover_bag
from pkm_identification.records.bags.writer import STORAGES, BagWriter
from pkm_identification.ros.messages.message_types import message_class, offered_qos, type_name
from pkm_identification.ros.node.diagnostics import ERROR, WARN, Finding
from pkm_identification.ros.node.inputs import DRAIN_LIMIT
from pkm_identification.ros.node.main import run
from pkm_identification.ros.node.pipeline_node import PipelineNode
from pkm_identification.ros.parameters.declarations import (
    LiveParameter,
    ParameterError,
    ParameterSpec,
)
from pkm_identification.ros.qos import LATCHED_STREAM, STREAM, STRUT_STATES_SUBSCRIPTION
from pkm_identification.ros.releases import incompatible_qos_only, says_how_messages_came

# Topics whose type is known before anybody publishes them: recorded from the first message on.
KNOWN = {
    "strut_states": JointState,
    "strut_commands": JointState,
    "strut_states/filtered": StrutStates,
    "platform_state": PlatformState,
    "parameter_estimate": ParameterEstimate,
}
FLUSH_PERIOD = 1.0  # s: so much is lost at most when the process is killed
LOOK_PERIOD = 0.1  # s, between looks for topics of unknown type and for the end of the duration
FAILED = 1
WAITING_PERIOD = 5.0  # s between two lines that say what is waited for


class RecorderNode(PipelineNode):
    """Writes what comes, with its time of arrival; the recording appears when the node stops.

    What a recorder that was killed left behind is recovered by the next one of that name, before it begins.
    """

    NAME = "recorder"
    TASK = "recording"
    PARAMETERS = (
        ParameterSpec("output", "", "folder of the recording; must not exist"),
        ParameterSpec("topics", ["strut_states"], "topics to record"),
        ParameterSpec("storage", "sqlite3", "format of the recording", choices=tuple(STORAGES)),
        LiveParameter("duration", 0.0, "stop so long after the start; 0 records until it is stopped", "s", 0),
    )

    def build(self) -> None:
        if not self.parameter["output"]:
            raise ParameterError("parameter 'output' is empty: give the folder of the recording")
        if not self.parameter["topics"]:
            raise ParameterError("parameter 'topics' is empty: give the topics to record")
        recovered = recover_bag(self.parameter["output"])
        if recovered is not None:
            self.get_logger().warning(
                f"an earlier recording was cut off: {recovered} holds what it had written"
            )
        self.writer: BagWriter | None = BagWriter(self.parameter["output"], self.parameter["storage"])
        self.duration = self.parameter["duration"]
        self.counts: Counter[str] = Counter()
        self._announced: dict[str, str] = {}  # topics that are not in the recording yet, and their types
        self._started, self._last_report = time.monotonic(), -math.inf

    def apply_changes(self, names: set[str]) -> None:
        """Take over live parameters."""
        self.duration = self.parameter["duration"]

    def start(self) -> None:
        self._waiting = []
        self._started = self._last_report = time.monotonic()
        for topic in self.parameter["topics"]:
            known = KNOWN.get(topic)
            if known is None:
                self._waiting.append(topic)
            else:
                self._record(topic, known)
        self.every(LOOK_PERIOD, self._look)
        self.every(FLUSH_PERIOD, self._flush)

    def release(self) -> None:
        """Finish the recording."""
        writer, self.writer = getattr(self, "writer", None), None
        if writer is None:
            return
        try:
            for topic in list(self._announced):
                self._add(writer, topic)
            writer.close()
        except PkmError as error:
            self.get_logger().error(one_line(str(error)))
            return
        # the log may be gone already when a signal ends the process
        print(f"{writer.path}: {writer.count} messages recorded", flush=True)

    def hardware(self) -> str:
        return str(self.parameter["output"])

    def findings(self) -> Iterable[Finding]:
        for topic in self._waiting:
            yield WARN, f"nobody publishes '{topic}' yet"

    def summary(self) -> str:
        return f"{sum(self.counts.values())} messages recorded"

    def input_summary(self) -> str:
        """Return how much came of each topic; the recorder's subscriptions are its own."""
        topics = [self.resolve_topic_name(topic) for topic in self.parameter["topics"]]
        return ", ".join(f"{self.counts[topic]} messages of '{topic}'" for topic in topics)

    def values(self) -> Mapping[str, object]:
        return dict(self.counts)

    def _look(self) -> None:
        now = time.monotonic()
        if 0 < self.duration <= now - self._started:
            if not self.finished.done():
                self.finished.set_result(0)
            return
        types = dict(self.get_topic_names_and_types()) if self._waiting else {}
        for topic in list(self._waiting):
            offered = types.get(self.resolve_topic_name(topic))
            if offered:
                self._waiting.remove(topic)
                try:
                    self._record(topic, message_class(offered[0]))
                except PkmError as error:
                    self._fail(error)
        if now - self._last_report >= WAITING_PERIOD:
            self._last_report = now
            quiet = [t for t in self.parameter["topics"] if not self.counts[self.resolve_topic_name(t)]]
            if quiet:
                self.get_logger().info(f"waiting for messages of {', '.join(quiet)}")

    def _flush(self) -> None:
        if self.writer is None:
            return
        try:
            self.writer.flush()
        except PkmError as error:
            self._fail(error)

    def _record(self, topic: str, message_type: type) -> None:
        """Subscribe, asking for what publishers offer or one of ours will; a driver may offer less."""
        if self.writer is None:
            return
        full_name, kind = self.resolve_topic_name(topic), type_name(message_type)
        self._announced.setdefault(full_name, kind)
        offered = {one.durability for one in offered_qos(self, full_name)}
        latched = message_type is ParameterEstimate or offered == {QosDurability.TRANSIENT_LOCAL}
        self._subscribe(full_name, kind, message_type, LATCHED_STREAM if latched else STREAM)

    def _add(self, writer: BagWriter, topic: str) -> None:
        """Put a topic into the recording, with what its publishers offer: they are known when a message is there."""
        try:
            offered = offered_qos(self, topic)
        except RuntimeError:  # of rcl: a signal has ended ROS, and with it what was known of publishers
            offered = []
        writer.add_topic(topic, self._announced.pop(topic), offered)

    def _subscribe(self, topic: str, kind: str, message_type: type, qos: QoSProfile) -> None:
        def incompatible(_: Any) -> None:
            if qos is not STRUT_STATES_SUBSCRIPTION:
                self.get_logger().warning(f"a publisher of '{topic}' is best effort: samples may be lost")
                self.destroy_subscription(subscription)
                self._subscribe(topic, kind, message_type, STRUT_STATES_SUBSCRIPTION)

        def drain(data: bytes, info: Any) -> None:
            write(data, info)
            for _ in range(DRAIN_LIMIT):
                with subscription.handle:
                    taken = subscription.handle.take_message(message_type, True)
                if taken is None:
                    return
                write(*taken)

        def write(data: bytes, info: Any) -> None:
            if self.writer is None:
                return
            try:
                if topic in self._announced:
                    self._add(self.writer, topic)
                self.writer.write(topic, kind, data, info.get("received_timestamp") or time.time_ns())
            except PkmError as error:
                self._fail(error)
            self.counts[topic] += 1

        informed = says_how_messages_came(self.executor)
        taker = drain if informed else lambda data: drain(data, {})
        events = incompatible_qos_only(incompatible)
        subscription = self.create_subscription(
            message_type, topic, taker, qos, raw=True, event_callbacks=events
        )
        self.until_deactivated(lambda: self.destroy_subscription(subscription))

    def _fail(self, error: PkmError) -> None:
        self.report(ERROR, "not_written", str(error))
        self.finish(FAILED)


def main(args: list[str] | None = None) -> int:
    """Run the node."""
    return run(RecorderNode, args)


if __name__ == "__main__":
    sys.exit(main())
