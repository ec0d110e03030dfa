# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The test bench: nodes of this package and a helper node in one context, waits with deadlines."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

from pkm_identification.machines.load import load_machine
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUT_NAMES
from pkm_identification.numerics.rotation import matrix_from_vector
from pkm_identification.ros.clock import set_stamp
from pkm_identification.ros.node.hand_over import HandOver
from pkm_identification.ros.node.pipeline_node import PipelineNode
from pkm_identification.ros.node.stream_executor import StreamExecutor
from pkm_identification.ros.qos import DIAGNOSTICS, STREAM

RETRY = 5.0  # s
# s: no test is about it; a busy computer may stand still for a while, or compile kernels
DEADLINE = 300.0
PERIOD = 1e-3


class Bench:
    """Spins everything in the test's own thread, so that nothing happens behind its back."""

    def __init__(self, domain: int) -> None:
        self.context = rclpy.Context()
        self.domain = domain

    def __enter__(self) -> Bench:
        rclpy.init(args=[], context=self.context, domain_id=self.domain)
        self.node = rclpy.create_node("bench", context=self.context)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self._started: list[PipelineNode] = []
        self._clients: dict[str, Any] = {}
        return self

    def __exit__(self, *_: object) -> None:
        while self._started:
            self._started.pop().close()
        self.node.destroy_node()
        self.executor.shutdown()
        rclpy.shutdown(context=self.context)
        # Nodes hang in cycles of references, and their participant lives as long. Collected by chance, while the next
        # participant is being made, it can block for ever inside Fast DDS; and until then others see it.
        self._clients.clear()
        del self.node, self.executor, self.context
        gc.collect()

    def start(
        self,
        node_class: type[PipelineNode],
        bring_up: bool = True,
        cli_args: list[str] | None = None,
        hand_over: HandOver | None = None,
        **parameters: Any,
    ) -> PipelineNode:
        """Start a node of the package in this process, with parameters.

        Streams go by DDS unless nodes are given the same `hand_over`.
        """
        overrides = [Parameter(name, value=value) for name, value in parameters.items()]
        node = node_class(context=self.context, parameter_overrides=overrides, cli_args=cli_args)
        node.hand_over = hand_over or node.hand_over
        self._started.append(node)
        self.executor.add_node(node)
        if bring_up:
            node.bring_up()
        return node

    def stop(self, node: PipelineNode) -> None:
        """End a node as its process would."""
        self._started.remove(node)
        self.executor.remove_node(node)
        node.close()

    def wait(self, condition: Callable[[], Any], what: str, deadline: float = DEADLINE) -> Any:
        """Spin until the condition holds; fail with `what` was waited for after the deadline."""
        end = time.monotonic() + deadline
        while time.monotonic() < end:
            result = condition()
            if result:
                return result
            self.executor.spin_once(timeout_sec=0.02)
        raise AssertionError(f"not within {deadline:g} s: {what}")

    def collect(self, message_type: type, topic: str, qos: Any = STREAM) -> list[Any]:
        """A list that fills with the messages of a topic."""
        messages: list[Any] = []
        self.node.create_subscription(message_type, topic, messages.append, qos)
        return messages

    def publisher(self, message_type: type, topic: str, qos: Any = STREAM, subscribers: int = 1) -> Any:
        """A publisher that has found its subscribers."""
        made = self.node.create_publisher(message_type, topic, qos)
        self.wait(
            lambda: made.get_subscription_count() >= subscribers, f"{subscribers} subscriber(s) of {topic}"
        )
        return made

    def connected(self, topic: str, publishers: int = 1, subscribers: int = 1) -> None:
        """Wait until a topic has so many ends."""
        self.wait(
            lambda: (
                self.node.count_publishers(topic) >= publishers
                and self.node.count_subscribers(topic) >= subscribers
            ),
            f"{publishers} publisher(s) and {subscribers} subscriber(s) of {topic}",
        )

    def call(self, service_type: type, name: str, request: Any = None) -> Any:
        """Call a service and give its answer."""
        client = self._clients.get(name)
        if client is None:
            client = self._clients[name] = self.node.create_client(service_type, name)
            self.wait(client.service_is_ready, f"service {name}")
            # that the service has found this client too is nothing a client can see
            self.spin(0.3)
        message = request or service_type.Request()
        asked = [client.call_async(message)]
        again = time.monotonic() + RETRY

        def answered() -> Any:
            nonlocal again
            # DDS loses an answer to a client the service had not discovered; asking once more is what users do
            if len(asked) == 1 and time.monotonic() > again:
                asked.append(client.call_async(message))
            return next((future for future in asked if future.done()), None)

        return self.wait(answered, f"answer of {name}").result()

    def spin(self, duration: float) -> None:
        """Spin for a while, where there is nothing to wait for."""
        end = time.monotonic() + duration
        while time.monotonic() < end:
            self.executor.spin_once(timeout_sec=0.02)

    def trigger(self, name: str) -> Trigger.Response:
        """Call a Trigger service."""
        return self.call(Trigger, name)

    def diagnostics(self) -> list[DiagnosticArray]:
        """A list that fills with diagnostics."""
        return self.collect(DiagnosticArray, "/diagnostics", DIAGNOSTICS)


class StreamBench(Bench):
    """A bench whose nodes take streams as they do in their own processes: many times faster than one by one."""

    def __enter__(self) -> StreamBench:
        super().__enter__()
        self.executor.remove_node(self.node)
        self.executor = StreamExecutor(context=self.context)
        self.executor.add_node(self.node)
        return self

    def wait(self, condition: Callable[[], Any], what: str, deadline: float = DEADLINE) -> Any:
        """As `Bench.wait`."""
        end = time.monotonic() + deadline
        while time.monotonic() < end:
            result = condition()
            if result:
                return result
            self.executor._call_what_is_ready()
            self.executor._follow_streams()
        raise AssertionError(f"not within {deadline:g} s: {what}")


def joint_state(
    stamp: float, length: Any, force: Any = None, names: Any = STRUT_NAMES, nanoseconds: int | None = None
) -> JointState:
    """A joint state as drivers send it."""
    message = JointState(name=list(names), position=[float(x) for x in length])
    set_stamp(message.header.stamp, stamp)
    if force is not None:
        message.effort = [float(x) for x in force]
    return message


class Motion:
    """A smooth motion of a machine at 1 kHz, its lengths and made-up forces, for feeding nodes.

    Attributes
    ----------
    time, length, force : ndarray, shapes (N,), (N, 6), (N, 6)
    position, rotation : ndarray, shapes (N, 3), (N, 3, 3)
    """

    def __init__(self, samples: int, machine: str = "uf", start: float = 1000.0) -> None:
        self.machine = Machine.load(machine)
        self.time = start + PERIOD * np.arange(samples)
        t = self.time - start
        size = self.machine.length_scale
        swing = np.stack(
            [np.sin(2 * np.pi * f * t + p) for f, p in zip((0.7, 0.9, 1.1, 1.3, 1.5, 1.7), range(6))], 1
        )
        self.position = self.machine.home_position + 0.05 * size * swing[:, :3]
        self.rotation = matrix_from_vector(0.05 * swing[:, 3:]) @ self.machine.home_rotation
        self.length = strut_lengths(self.machine, self.position, self.rotation)
        self.force = 100.0 * swing[:, ::-1] + 20.0

    def messages(self) -> list[JointState]:
        """All samples as joint states."""
        return [joint_state(*sample) for sample in zip(self.time, self.length, self.force)]


class DriveMotion:
    """The same of a machine of any kind: a smooth motion of its drives about home, in m or rad.

    Attributes
    ----------
    machine : machines.contract.Machine
    names : list of str
        Joints of the drives.
    time, length, force : ndarray, shapes (N,), (N, n), (N, n)
    """

    def __init__(self, samples: int, machine: str, start: float = 1000.0) -> None:
        self.machine = load_machine(machine)
        drives = self.machine.drives
        self.names = [drive.joint for drive in drives]
        self.time = start + PERIOD * np.arange(samples)
        t, k = self.time - start, np.arange(len(drives))
        swing = np.sin(2.0 * np.pi * np.outer(t, 0.7 + 0.2 * k) + k)
        self.length = self.machine.home + np.array([drive.size for drive in drives]) * swing
        self.force = 100.0 * swing[:, ::-1] + 20.0

    def messages(self) -> list[JointState]:
        """All samples as joint states."""
        rows = zip(self.time, self.length, self.force)
        return [joint_state(*sample, names=self.names) for sample in rows]


def feed(bench: Bench, publisher: Any, messages: list[JointState], taken: Callable[[], int]) -> None:
    """Publish messages no faster than they are taken; `taken` counts what has arrived."""
    before = taken()
    for start in range(0, len(messages), 100):
        part = messages[start : start + 100]
        for message in part:
            publisher.publish(message)
        goal = before + start + len(part)
        bench.wait(lambda goal=goal: taken() >= goal, f"{goal} samples taken, {taken()} are")
