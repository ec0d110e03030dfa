# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""An executor for nodes that live on a stream: waits for the stream alone while it flows.

rclpy's SingleThreadedExecutor gathers all entities of all nodes before every callback: some twenty services and timers
for each message, which costs several times what our nodes do with it. Here everything is looked at ten times a second
and when a timer is due, and in between only what streams (`PipelineNode.streams`). To wake up for each of a thousand
messages a second is another third of what they cost: an executor that may gather them looks at what has come in
between instead.
"""

from __future__ import annotations

import math
import time
from contextlib import ExitStack
from typing import Any

from rclpy.exceptions import InvalidHandle
from rclpy.executors import (
    ExternalShutdownException,
    ShutdownException,
    SingleThreadedExecutor,
    TimeoutException,
)
from rclpy.impl.implementation_singleton import rclpy_implementation as _rclpy
from rclpy.node import Node
from rclpy.subscription import Subscription
from rclpy.task import Future

ROUND = 0.1  # s between looks at everything, and so the longest that a service waits while streams flow
IDLE = 0.1  # s to wait for anything at all while no stream flows
# s in which messages may gather, the longest that one waits: the work on them and the estimate take as long again of
# the 5 ms that are promised
GATHER = 2e-3
MOST_IN_A_ROW = 50  # callbacks of the rest, before the streams have their turn again
NANOSECONDS = 1e9


class StreamExecutor(SingleThreadedExecutor):
    """Calls all callbacks in the thread that spins, those of streams first.

    Attributes
    ----------
    gathering : bool
        Whether messages that follow each other closely may wait for each other, for `GATHER` s at most.
    """

    gathering = False
    _followed: frozenset[Subscription] = frozenset()

    def can_execute(self, entity: Any) -> bool:
        """Return whether the rest of the work may call back an entity: streams that are followed are no part of it."""
        return entity not in self._followed and super().can_execute(entity)

    def spin_until_future_complete(self, future: Future, timeout_sec: float | None = None) -> None:
        """Spin until the future is done, the time is over or the context is shut down."""
        end = time.monotonic() + (float("inf") if timeout_sec is None else timeout_sec)
        flowing = False
        while self.context.ok() and not future.done() and time.monotonic() < end:
            if flowing:
                self._call_what_is_ready()
            else:
                self._followed = frozenset()
                self.spin_once(timeout_sec=min(IDLE, end - time.monotonic()))
            if self.context.ok() and not future.done():
                flowing = self._follow_streams()

    def _call_what_is_ready(self) -> None:
        for _ in range(MOST_IN_A_ROW):
            try:
                handler, _, _ = self.wait_for_ready_callbacks(timeout_sec=0.0)
            except TimeoutException:
                return
            except ShutdownException:
                raise ExternalShutdownException from None
            handler()
            if handler.exception() is not None:
                raise handler.exception()

    def _follow_streams(self) -> bool:
        """Take what streams for a round, or until a timer is due; whether there was anything."""
        nodes = self.get_nodes()
        streams = [stream for node in nodes for stream in getattr(node, "streams", ())]
        if not streams:
            return False
        self._followed = frozenset(subscription for subscription, _ in streams)
        flowing = False
        with ExitStack() as held:
            try:
                for subscription, _ in streams:
                    held.enter_context(subscription.handle)
                held.enter_context(self.context.handle)
                end = time.monotonic() + min(ROUND, _compute_wait(nodes))
            except InvalidHandle:
                return False  # on its way out
            waiting = _rclpy.WaitSet(len(streams), 0, 0, 0, 0, 0, self.context.handle)
            handles = [subscription.handle for subscription, _ in streams]
            pollers = [(subscription.handle.pointer, poll) for subscription, poll in streams]
            taken, looked = 0, 0.0
            while True:
                left = end - time.monotonic()
                if self.gathering and taken:
                    time.sleep(max(0.0, looked + GATHER - time.monotonic()))
                    looked = time.monotonic()
                    taken = sum(poll() for _, poll in pollers) if self.context.ok() else 0
                    if taken and left > 0.0:
                        continue
                waiting.clear_entities()
                for handle in handles:
                    waiting.add_subscription(handle)
                waiting.wait(max(0, int(NANOSECONDS * left)))
                looked = time.monotonic()
                if not self.context.ok():
                    return False
                ready = waiting.get_ready_entities("subscription")
                for pointer, poll in pollers:
                    if pointer in ready:
                        taken += poll()
                        flowing = True
                if left <= 0.0:
                    return flowing


def _compute_wait(nodes: list[Node]) -> float:
    """Time in s until the next timer is due; negative when it is overdue, infinite without timers."""
    waits = [timer.time_until_next_call() for node in nodes for timer in node.timers]
    return min((wait / NANOSECONDS for wait in waits if wait is not None), default=math.inf)
