# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a node listens to: subscriptions whose bursts are taken in one go, each with how the node keeps up with it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rclpy.lifecycle import LifecycleNode
from rclpy.qos import QoSProfile, qos_policy_name_from_kind
from rclpy.subscription import Subscription

from ..messages.message_types import type_name
from ..qos import open_to_overrides, refusing_bad_overrides
from ..releases import incompatible_qos_only, says_how_messages_came
from .diagnostics import ERROR, WARN, Finding
from .hand_over import Handed, HandOver
from .input_watch import InputWatch, step_values
from .missing_samples import MissingSamples
from .sole_publisher import THIS_PROCESS, SolePublisher
from .topic_publishers import format_mismatch_complaints, publisher_of, publishers_by_identity

# A callback takes what has piled up, but lets services and timers have their turn after this many.
DRAIN_LIMIT = 200
OBEYED = "drives obey whoever spoke last, so end the others"
SILENCE = 1.0  # s without a sample of a stream, after which something in front is gone


@dataclass(frozen=True)
class Input:
    """A topic that is listened to: its subscription, what takes and counts all that has come, what is watched of it."""

    subscription: Subscription
    poll: Callable[[], int]
    watch: InputWatch
    sole: SolePublisher | None
    kind: str
    qos: QoSProfile


class Inputs:
    """The topics that a node listens to until it is deactivated.

    Parameters
    ----------
    node : LifecycleNode
    until_deactivated : callable
        Takes what is to be called when it is; the last one given is called first.
    report : callable
        Counts, shows and logs (level, reason, text).

    """

    def __init__(
        self,
        node: LifecycleNode,
        until_deactivated: Callable[[Callable[[], object]], None],
        report: Callable[[bytes, str, str], None],
    ) -> None:
        self._node = node
        self._until_deactivated = until_deactivated
        self._report = report
        self.topics: list[Input] = []
        self._told: dict[str, list[str]] = {}

    def listen_to_stream(
        self,
        hand_over: HandOver,
        message_type: type,
        topic: str,
        callback: Callable[[bytes | Handed], None],
        qos: QoSProfile,
        silence: float = math.inf,
    ) -> None:
        """As `listen`, to what a node's `stream_output` gives: bytes, or samples of a node of this process."""
        watch = InputWatch(topic, silence)
        sole = self._sole_publisher(topic, message_type, SILENCE)

        def step(message: bytes | Handed, info: Mapping[str, Any]) -> None:
            begin = time.perf_counter()
            callback(message)
            watch.took(time.perf_counter() - begin, info)

        def take_handed(handed: Handed) -> None:
            if sole.accepts(THIS_PROCESS):
                step(handed, {})

        taker, leave = hand_over.join(self._node.resolve_topic_name(topic), take_handed)
        self._until_deactivated(leave)

        def come(message: bytes, info: Mapping[str, Any]) -> None:
            if not taker.knows(message) and sole.accepts(publisher_of(info)):
                step(message, info)

        self._take_from(message_type, topic, come, qos, watch, raw=True, sole=sole)

    def listen(
        self,
        message_type: type,
        topic: str,
        callback: Callable[[Any], object],
        qos: QoSProfile,
        after: Callable[[], None] = lambda: None,
        raw: bool = False,
        silence: float = math.inf,
        *,
        patience: float | None = None,
        samples: MissingSamples | None = None,
    ) -> None:
        """Subscribe until deactivation; the callback gets every message that has piled up, `after` is called then.

        With `raw` the callback is given the bytes that came (see `wire`), not a message. Longer than `silence` s
        without any is a warning. With a `patience` (s) one publisher alone is listened to, see `SolePublisher`; where
        the callback returns False the message was of no use, and another publisher may have its turn.
        """
        watch = InputWatch(topic, silence, samples=samples)
        sole = None if patience is None else self._sole_publisher(topic, message_type, patience)

        def step(message: Any, info: Mapping[str, Any]) -> None:
            if sole is not None and not sole.accepts(publisher_of(info)):
                return
            begin = time.perf_counter()
            if callback(message) is False and sole is not None:
                sole.forget()
            watch.took(time.perf_counter() - begin, info)

        self._take_from(message_type, topic, step, qos, watch, after, raw, sole)

    def _sole_publisher(self, topic: str, message_type: type, patience: float) -> SolePublisher:
        kind = type_name(message_type)
        return SolePublisher(lambda: publishers_by_identity(self._node, topic, kind), patience)

    def _take_from(
        self,
        message_type: type,
        topic: str,
        step: Callable[[Any, Any], None],
        qos: QoSProfile,
        watch: InputWatch,
        after: Callable[[], None] = lambda: None,
        raw: bool = False,
        sole: SolePublisher | None = None,
    ) -> None:
        """The executor costs several times what taking a message does, so a burst is taken in one go."""

        def poll() -> int:
            handle, count = subscription.handle, 0
            with handle:
                while count < DRAIN_LIMIT and (taken := handle.take_message(message_type, raw)) is not None:
                    step(taken[0], taken[1] if informed else {})
                    count += 1
            after()
            return count

        def drain(message: Any, info: Any) -> None:
            step(message, info)
            poll()

        def incompatible(event: Any) -> None:
            self._report(
                ERROR,
                "qos_mismatch",
                f"a publisher of '{topic}' offers a quality of service this node cannot use "
                f"({qos_policy_name_from_kind(event.last_policy_kind)}): its messages do not arrive",
            )

        events = incompatible_qos_only(incompatible)
        # else nothing is counted as lost
        informed = says_how_messages_came(self._node.executor)
        taker = drain if informed else lambda message: drain(message, {})
        overridable = open_to_overrides(qos)
        with refusing_bad_overrides():
            subscription = self._node.create_subscription(
                message_type, topic, taker, **overridable, event_callbacks=events, raw=raw
            )
        chosen = overridable["qos_profile"]
        watch.depth = chosen.depth
        one = Input(subscription, poll, watch, sole, type_name(message_type), chosen)
        self.topics.append(one)
        self._until_deactivated(lambda: self._node.destroy_subscription(subscription))
        self._until_deactivated(lambda: self.topics.remove(one))

    @property
    def streams(self) -> list[tuple[Subscription, Callable[[], int]]]:
        """What to wait for, each with what takes all that has come; see `StreamExecutor`.

        What a node of this process hands over needs no waiting: of messages that come as well none is taken.
        """
        return [
            (one.subscription, one.poll)
            for one in self.topics
            if one.sole is None or one.sole.chosen is not THIS_PROCESS
        ]

    @property
    def taken(self) -> int:
        """Messages taken from all topics listened to since activation."""
        return sum(one.watch.taken for one in self.topics)

    @property
    def silent(self) -> bool:
        """Whether an input that should flow does not."""
        return any(one.watch.silent for one in self.topics)

    def findings(self) -> Iterator[Finding]:
        """What stands against them, asked once a second: silence, lost messages, publishers that are not heard."""
        for one in self.topics:
            watch = one.watch
            watch.turn_over()
            found = publishers_by_identity(self._node, watch.topic, one.kind)
            if watch.silent:
                yield WARN, watch.complaint_of_silence(found.values())
            for complaint in watch.complaints():
                yield WARN, complaint
            if one.sole is not None:
                yield from self._other_publishers(watch.topic, one.sole, found)
            elif len(watch.senders) > 1:
                yield ERROR, self._name_senders(watch, found)
            for complaint in format_mismatch_complaints(self._node, watch.topic, one.kind, one.qos):
                yield ERROR, complaint

    def _other_publishers(
        self, topic: str, sole: SolePublisher, found: Mapping[bytes, str]
    ) -> Iterator[Finding]:
        """Publishers in addition to the one that is listened to; logged when they come."""
        sole.several = len(found) > 1
        names = sorted(found.values()) if sole.several else []
        if names:
            text = f"{len(names)} publishers on '{topic}': {', '.join(names)}"
            if sole.chosen is None and sole.refused:
                level, text = ERROR, f"{text}; no message is taken, because messages do not say who sent them"
            else:
                level = WARN
                used = found.get(sole.chosen or b"", "of this process" if sole.chosen else "")
                text += f"; used is {used}, {sole.refused} messages of others were not used" if used else ""
            text += ": end the others"
            if self._told.get(topic) != names:
                self._node.get_logger().warning(text)
            yield level, text
        self._told[topic] = names

    def _name_senders(self, watch: InputWatch, found: Mapping[bytes, str]) -> str:
        """Return what to say of several that sent in the last second, all of them obeyed; logged when they come."""
        names = sorted(found.get(one, "one that has gone") for one in watch.senders)
        text = f"{len(names)} nodes send '{watch.topic}': {', '.join(names)}: {OBEYED}"
        if self._told.get(watch.topic) != names:
            self._node.get_logger().error(text)
        self._told[watch.topic] = names
        return text

    def values(self) -> Mapping[str, object]:
        """Return numbers of the last second to show in the diagnostics."""
        return step_values(one.watch for one in self.topics)

    def summary(self) -> str:
        """Return how much came in the last second, of each topic; empty where there is none."""
        return ", ".join(
            f"{one.watch.steps} messages of '{one.watch.topic}' in the last second" for one in self.topics
        )

    @property
    def lost(self) -> int:
        """Messages that publishers sent and the node never got, since activation."""
        return sum(one.watch.lost for one in self.topics)
