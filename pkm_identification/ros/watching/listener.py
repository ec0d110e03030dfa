# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The node of `pkm watch`: takes what the nodes publish at a limited rate, as a best-effort reader nobody waits for."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import threading
import time
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import InertiaStamped, PoseStamped
from rcl_interfaces.srv import GetParameters
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.serialization import deserialize_message
from std_srvs.srv import Trigger
from visualization_msgs.msg import MarkerArray

from pkm_identification.browser.live.board import Board, TimeHistory
from pkm_identification.browser.machine_scene import machine_scene
from pkm_identification.errors import PkmError
from pkm_identification.machines.contract import Machine
from pkm_identification.machines.load import AnyMachine, as_machine, load_machine
from pkm_identification.msg import ParameterEstimate

from ..clock import STEADY
from ..interfaces.declarations import NODE_INTERFACES
from ..qos import DIAGNOSTICS_WATCHED, LATCHED, NEWEST
from .entries import (
    build_lines_entry,
    build_payload_entry,
    build_pose_entry,
    build_status_entry,
    estimate_entry,
)

POSE_PERIOD = 0.033  # s between poses that are looked at
LOOK_PERIOD = 0.5  # s between two looks at who is silent
ANSWER = 10.0  # s that a node may take for a service
ACTIONS = ("reset", "save")

Answer = concurrent.futures.Future[Any]


class Listener:
    """Puts the nodes' latest messages on a board, in a thread of its own; rclpy must be initialised.

    Parameters
    ----------
    namespace : str
        Of the nodes.
    machine : Machine or None
        What to draw; None: what the estimator node says it works with.
    """

    def __init__(self, namespace: str = "", machine: AnyMachine | None = None) -> None:
        self.history = TimeHistory()
        self.board = Board(lambda: {"course": self.history.entry()})
        self._prefix = f"{namespace.strip('/')}/".lstrip("/")
        machine = None if machine is None else as_machine(machine)
        self._given = machine
        self._unknown = machine is None  # whether the estimator is still to be asked for its machine
        self._shown = self._judged = ""  # digests of the machine that is drawn, and of the last estimate's
        self._estimators: set[bytes] = set()  # identifiers of the publishers of estimates so far
        self._heard: dict[str, float] = {}
        self._nodes: dict[str, dict[str, Any]] = {}
        self._posed = self._drawn = 0.0
        self._by_lines = False
        self._asking: Any = None
        self._awaited: set[Answer] = set()
        self.node = Node("watch", namespace=namespace.strip("/"), start_parameter_services=False)
        self._triggers = {name: self.node.create_client(Trigger, f"estimator/{name}") for name in ACTIONS}
        self._parameters = self.node.create_client(GetParameters, "estimator/get_parameters")
        listen = self.node.create_subscription
        listen(PoseStamped, "platform_pose", self._take_pose, NEWEST, raw=True)
        listen(MarkerArray, "markers", self._take_markers, NEWEST, raw=True)
        self._estimates = listen(ParameterEstimate, "parameter_estimate", self._take_estimate, LATCHED)
        listen(InertiaStamped, "estimator/payload", self._take_payload, LATCHED)
        listen(DiagnosticArray, "/diagnostics", self._take_diagnostics, DIAGNOSTICS_WATCHED)
        self.node.create_timer(LOOK_PERIOD, self._look, clock=STEADY)
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self.node)
        self._thread = threading.Thread(target=self._executor.spin, name="listener", daemon=True)
        if machine is not None:
            self._show(machine)

    def start(self) -> None:
        """Begin to listen."""
        self._thread.start()

    @property
    def alive(self) -> bool:
        """Whether it listens."""
        return self._thread.is_alive()

    def close(self) -> None:
        """Stop listening."""
        self._executor.shutdown(timeout_sec=2.0)
        if self._thread.is_alive():
            self._thread.join(2.0)
        self.node.destroy_node()

    async def ask(self, action: str) -> tuple[bool, str]:
        """Have the estimator do one of `ACTIONS` and return whether it did and its message. Waits for the response."""
        client = self._triggers[action]
        if not client.service_is_ready():
            return False, "no estimator node was found"
        answer: Answer = concurrent.futures.Future()
        self._awaited.add(answer)
        asked = client.call_async(Trigger.Request())
        asked.add_done_callback(lambda future: _settle(answer, future.result()))
        try:
            response = await asyncio.wait_for(asyncio.wrap_future(answer), ANSWER)
        except asyncio.TimeoutError:
            client.remove_pending_request(asked)
            return False, f"the estimator did not respond within {ANSWER:g} s"
        finally:
            self._awaited.discard(answer)
        if response is None:
            return False, "pkm watch has ended"
        if response.success and action == "reset":
            self.history.restart()
            self.board.put("estimate", None)
        return response.success, response.message

    def stop_asking(self) -> None:
        """Answer for the estimator, which has not yet, to all who wait for it."""
        for answer in tuple(self._awaited):
            _settle(answer, None)

    def _take_pose(self, data: bytes) -> None:
        now = time.monotonic()
        if now - self._posed < POSE_PERIOD:
            return
        self._posed = now
        entry = build_pose_entry(deserialize_message(data, PoseStamped).pose)
        if entry is not None:
            self._heard["pose"] = now
            self.board.put("pose", entry)

    def _take_markers(self, data: bytes) -> None:
        now = time.monotonic()
        if not self._by_lines or now - self._drawn < POSE_PERIOD:
            return
        self._drawn = now
        entry = build_lines_entry(deserialize_message(data, MarkerArray))
        if entry:
            self.board.put("lines", entry)

    def _take_estimate(self, message: ParameterEstimate) -> None:
        entry = estimate_entry(message)
        if entry is None:
            return
        self._begin_with_a_new_estimator()
        entry["run"] = self.history.take(*(entry[key] for key in ("names", "count", "time", "values", "std")))
        self._heard["estimate"] = time.monotonic()
        self.board.put("estimate", entry)
        if message.machine_hash == self._judged:
            return
        self._judged = message.machine_hash
        if message.machine_hash == self._shown:
            self.board.put("no_machine", "")
        else:
            self._other_machine(message)

    def _begin_with_a_new_estimator(self) -> None:
        # one started anew may have come as far as the one before by the time that it is discovered
        publishers = self.node.get_publishers_info_by_topic(self._estimates.topic_name)
        estimators = {bytes(publisher.endpoint_gid) for publisher in publishers}
        if self._estimators and not estimators <= self._estimators:
            self.history.restart()
        self._estimators |= estimators

    def _take_payload(self, message: InertiaStamped) -> None:
        entry = build_payload_entry(message)
        if entry is not None:
            self.board.put("payload", entry)

    def _take_diagnostics(self, message: DiagnosticArray) -> None:
        for status in message.status:
            node, _, task = status.name.removeprefix(self._prefix).partition(": ")
            if node not in NODE_INTERFACES or not status.name.startswith(self._prefix):
                continue
            self._heard[node] = time.monotonic()
            self._nodes.setdefault(node, {})[task] = build_status_entry(status, task)
            self.board.put("nodes", {name: list(tasks.values()) for name, tasks in self._nodes.items()})

    def _look(self) -> None:
        """Say how long each has been silent, and look for the machine as long as it is not known."""
        now = time.monotonic()
        self.board.put("silent", {name: round(now - at, 1) for name, at in self._heard.items()})
        if self._unknown and self._asking is None and self._parameters.service_is_ready():
            self._asking = self._parameters.call_async(GetParameters.Request(names=["machine"]))
            self._asking.add_done_callback(self._machine_named)

    def _machine_named(self, asked: Any) -> None:
        self._asking, self._unknown = None, False
        values = asked.result().values
        try:
            machine = load_machine(values[0].string_value if values else "")
        except PkmError as error:
            self.board.put("no_machine", f"{error}. Start pkm watch with --machine.")
            return
        self._show(machine)
        if self._judged and machine.hash != self._judged:
            self.board.put("no_machine", "The machine file here is not the one that the estimate is of.")

    def _other_machine(self, message: ParameterEstimate) -> None:
        self._unknown = self._given is None
        if self._given is not None:
            text = f"The estimate is of '{message.machine}', not of the --machine that is drawn."
            self.board.put("no_machine", text)

    def _show(self, machine: Machine) -> None:
        self._shown = machine.hash
        scene = machine_scene(machine)
        # they move by the lines that the kinematics node sends
        self._by_lines = "lines" in scene
        self.board.put("machine", scene)
        self.board.put("no_machine", "")


def _settle(answer: Answer, result: Any) -> None:
    with contextlib.suppress(concurrent.futures.InvalidStateError):  # nobody waits any more
        answer.set_result(result)
