# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The nodes one behind the other in this process, without or with DDS between driver and filter."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.logging import LoggingSeverity
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState

from pkm_identification.msg import PlatformState, StrutStates
from pkm_identification.nodes.estimator import EstimatorNode
from pkm_identification.nodes.kinematics import KinematicsNode
from pkm_identification.nodes.strut_filter import StrutFilterNode
from pkm_identification.ros.clock import seconds
from pkm_identification.ros.qos import STREAM

from .joint_states import Stream
from .outcome import FuzzFailure, Outcome

LOOK = 100  # messages between looks at the estimate
DEADLINE = 300.0  # s for a batch over DDS, on whatever computer
BATCH = 100


class Sink:
    """In the place of a publisher: checks every number and hands the message on."""

    def __init__(
        self,
        name: str,
        outcome: Outcome,
        receiver: Callable[[Any], object] | None = None,
        raw: type | None = None,
    ) -> None:
        self._name = name
        self._outcome = outcome
        self._receiver = receiver
        self._raw = raw  # type of what is published as bytes

    def publish(self, message: Any) -> None:
        self._outcome.fates[self._name] += 1
        if self._raw is not None:
            message = deserialize_message(message, self._raw)
        for numbers in numbers_of(message):
            if not np.isfinite(numbers).all():
                raise FuzzFailure(f"{self._name}: not finite: {message}")
        if self._receiver is not None:
            self._receiver(message)


def numbers_of(message: Any) -> list[Any]:
    """Every number of a message of this package."""
    if hasattr(message, "twist"):
        places = [message.pose.position, message.twist.linear, message.twist.angular]
        places += [message.accel.linear, message.accel.angular]
        turn = message.pose.orientation
        scalars = [message.residual, message.condition, message.delay, turn.x, turn.y, turn.z, turn.w]
        return [[place.x, place.y, place.z] for place in places] + [message.force, scalars]
    if hasattr(message, "covariance"):
        if not (np.array(message.std) > 0).all():
            raise FuzzFailure(f"a standard deviation that is not positive: {message}")
        return [message.values, message.std, message.covariance, [message.nis]]
    if hasattr(message, "rate"):
        return [message.coordinate, message.rate, message.acceleration, message.force, [message.delay]]
    return []


class Chain:
    """strut_filter, kinematics and estimator whose outputs are checked.

    Parameters
    ----------
    context : rclpy.Context
        Initialised.
    """

    def __init__(self, context: rclpy.Context) -> None:
        self.outcome = Outcome()
        self.filter, self.kinematics, self.estimator = (
            node_class(context=context) for node_class in (StrutFilterNode, KinematicsNode, EstimatorNode)
        )
        for node in self.nodes:
            node.bring_up()
            node.get_logger().set_level(LoggingSeverity.FATAL)
        # what came out is checked, and goes straight to the next node
        self.filter.output.publisher = Sink("filtered", self.outcome, self.kinematics.take, StrutStates)
        self.kinematics.states.publisher = Sink("states", self.outcome, self._learn, PlatformState)
        for name in ("poses", "marker_arrays"):
            setattr(self.kinematics, name, Sink(name, self.outcome))
        self.estimator.output.estimates = Sink("estimates", self.outcome)

    @property
    def nodes(self) -> tuple[StrutFilterNode, KinematicsNode, EstimatorNode]:
        """In the order of the data."""
        return self.filter, self.kinematics, self.estimator

    def close(self) -> None:
        """End the nodes."""
        for node in self.nodes:
            node.close()

    def run(self, stream: Stream, count: int) -> Outcome:
        """Hand so many messages of a stream to the filter's own callback.

        Raises
        ------
        FuzzFailure
            If a node raises, or gives what is not finite.
        """
        for k in range(count):
            message = stream.next()
            began = perf_counter()
            try:
                self.filter.take(message)
                if k % LOOK == 0:
                    self.estimator.publish_latest()
                    self._diagnose()
            except Exception as error:
                raise FuzzFailure(f"message {k + 1}: {error!r}: {message}") from error
            self.outcome.timed(began)
        for node in self.nodes:
            self.outcome.fates.update(node.health.counts)
        return self.outcome

    def run_over_dds(self, stream: Stream, count: int, context: rclpy.Context) -> Outcome:
        """The same, but the messages come over DDS into the filter's subscription.

        Raises
        ------
        FuzzFailure
            Besides, if messages do not arrive.
        """
        executor = SingleThreadedExecutor(context=context)
        driver = rclpy.create_node("hostile", context=context)
        for node in (driver, *self.nodes):
            executor.add_node(node)
        publisher = driver.create_publisher(JointState, "strut_states", STREAM)
        try:
            self._spin(executor, lambda: publisher.get_subscription_count() == 1, "a subscriber")
            for done in range(0, count, BATCH):
                batch = [stream.next() for _ in range(min(BATCH, count - done))]
                goal = self.filter.taken + len(batch)
                began = perf_counter()
                for message in batch:
                    publisher.publish(message)
                self._spin(
                    executor, lambda goal=goal: self.filter.taken >= goal, f"message {done + len(batch)}"
                )
                took = perf_counter() - began
                self.outcome.inputs += len(batch)
                self.outcome.seconds += took
                self.outcome.slowest = max(self.outcome.slowest, took / len(batch))
        finally:
            executor.shutdown()
            driver.destroy_node()
        return self.outcome

    def _learn(self, message: Any) -> None:
        turn = message.pose.orientation
        if abs(turn.x**2 + turn.y**2 + turn.z**2 + turn.w**2 - 1.0) > 1e-9:
            raise FuzzFailure(f"a quaternion without unit length: {message}")
        if not seconds(message.header.stamp) > 0.0:
            raise FuzzFailure(f"an impossible stamp: {message}")
        self.estimator.take(message)

    def _diagnose(self) -> None:
        for node in self.nodes:
            for value in (value for status in node.health.statuses() for value in status.values):
                if value.value in ("nan", "inf", "-inf"):
                    raise FuzzFailure(f"{node.NAME}: diagnostics: {value.key} = {value.value}")

    @staticmethod
    def _spin(executor: SingleThreadedExecutor, condition: Callable[[], bool], what: str) -> None:
        end = perf_counter() + DEADLINE
        while not condition():
            if perf_counter() > end:
                raise FuzzFailure(f"not within {DEADLINE:g} s: {what}")
            executor.spin_once(timeout_sec=0.02)


def fuzz_nodes(seed: int, count: int, over_dds: int, domain: int | None = None) -> tuple[Outcome, Outcome]:
    """Hostile messages into the nodes: outcome in this process, and over DDS."""
    context = rclpy.Context()
    rclpy.init(args=[], context=context, domain_id=domain)
    outcomes = []
    try:
        for run in (
            lambda chain: chain.run(Stream(seed), count),
            lambda chain: chain.run_over_dds(Stream(seed + 1), over_dds, context),
        ):
            chain = Chain(context)
            try:
                outcomes.append(run(chain))
            finally:
                chain.close()
    finally:
        rclpy.shutdown(context=context)
    return outcomes[0], outcomes[1]
