"""An executor for nodes that live on a stream: waits for the stream alone while it flows.

rclpy's SingleThreadedExecutor gathers all entities of all nodes before every callback: some twenty services and timers
for each message, which costs several times what our nodes do with it. Here everything is looked at a hundred times a
second, and in between only what streams (`PipelineNode.streams`) and timers.
"""

from __future__ import annotations

import time
from contextlib import ExitStack

from rclpy.exceptions import InvalidHandle
from rclpy.executors import (
    ExternalShutdownException,
    ShutdownException,
    SingleThreadedExecutor,
    TimeoutException,
)
from rclpy.impl.implementation_singleton import rclpy_implementation as _rclpy
from rclpy.task import Future

ROUND = 0.01  # s between looks at everything
IDLE = 0.1  # s to wait for anything at all while no stream flows
MOST_IN_A_ROW = 50  # callbacks of the rest, before the streams have their turn again
NANOSECONDS = 1e9


class StreamExecutor(SingleThreadedExecutor):
    """Calls all callbacks in the thread that spins, those of streams first."""

    def spin_until_future_complete(self, future: Future, timeout_sec: float | None = None) -> None:
        """Spin until the future is done, the time is over or the context is shut down."""
        end = time.monotonic() + (float("inf") if timeout_sec is None else timeout_sec)
        flowing = False
        while self.context.ok() and not future.done() and time.monotonic() < end:
            if flowing:
                self._call_what_is_ready()
            else:
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
        timers = [timer.handle for node in nodes for timer in node.timers]
        if not streams:
            return False
        with ExitStack() as held:
            try:
                for handle in (*(subscription.handle for subscription, _ in streams), *timers):
                    held.enter_context(handle)
                held.enter_context(self.context.handle)
            except InvalidHandle:
                return False  # on its way out
            waiting = _rclpy.WaitSet(len(streams), 0, len(timers), 0, 0, 0, self.context.handle)
            pollers = [(subscription.handle.pointer, poll) for subscription, poll in streams]
            flowing = False
            end = time.monotonic() + ROUND
            while (left := end - time.monotonic()) > 0:
                waiting.clear_entities()
                for subscription, _ in streams:
                    waiting.add_subscription(subscription.handle)
                for timer in timers:
                    waiting.add_timer(timer)
                waiting.wait(int(NANOSECONDS * left))
                if not self.context.ok():
                    return False
                ready = waiting.get_ready_entities("subscription")
                for pointer, poll in pollers:
                    if pointer in ready:
                        poll()
                        flowing = True
                if waiting.get_ready_entities("timer"):
                    break
        return flowing
