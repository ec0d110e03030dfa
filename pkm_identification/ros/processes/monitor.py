# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A listener for people: latest estimate and health of the nodes, gathered while an experiment runs."""

from __future__ import annotations

import time

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

from pkm_identification.msg import ParameterEstimate

from ..node.diagnostics import OK
from ..qos import DIAGNOSTICS, LATCHED


class Monitor:
    """Subscribes to `parameter_estimate` and `/diagnostics`; rclpy must be initialised."""

    def __init__(self) -> None:
        self.node = Node("monitor")
        self.estimate: ParameterEstimate | None = None
        self.values: dict[str, dict[str, str]] = {}
        self.troubles: dict[str, str] = {}
        self.node.create_subscription(ParameterEstimate, "parameter_estimate", self._take_estimate, LATCHED)
        self.node.create_subscription(DiagnosticArray, "/diagnostics", self._take_diagnostics, DIAGNOSTICS)
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self.node)

    def listen(self, duration: float) -> None:
        """Take what comes for `duration` s."""
        end = time.monotonic() + duration
        while (left := end - time.monotonic()) > 0:
            self._executor.spin_once(timeout_sec=left)

    def value(self, node: str, key: str) -> str:
        """Return a number in a node's diagnostics, of whichever task; empty before the first."""
        return self.values.get(node, {}).get(key, "")

    def count(self, node: str, key: str) -> int:
        """Return a counter in a node's diagnostics; 0 before the first."""
        return int(self.value(node, key) or 0)

    def close(self) -> None:
        """Stop listening."""
        self._executor.shutdown()
        self.node.destroy_node()

    def _take_estimate(self, message: ParameterEstimate) -> None:
        self.estimate = message

    def _take_diagnostics(self, message: DiagnosticArray) -> None:
        for status in message.status:
            name = status.name.rpartition("/")[2]
            node = name.partition(":")[0]
            self.values.setdefault(node, {}).update((entry.key, entry.value) for entry in status.values)
            if status.level != OK:
                self.troubles[name] = status.message
