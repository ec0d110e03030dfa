# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a node knows about its own health, once a second on /diagnostics: one status for each of its tasks."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.node import Node

from pkm_identification.errors import one_line

from ..clock import STEADY
from ..qos import DIAGNOSTICS

OK = DiagnosticStatus.OK
WARN = DiagnosticStatus.WARN
ERROR = DiagnosticStatus.ERROR

Finding = tuple[bytes, str]

PERIOD = 1.0  # s
# A reason that repeats is logged at most this often (s); the counters hold the rest.
LOG_PERIOD = 5.0


@dataclass(frozen=True)
class Task:
    """One thing a node does, with a status of its own, as in diagnostic_updater.

    Attributes
    ----------
    name : str
        The status is called `node: name`.
    findings : callable
        Gives the standing findings (level, text).
    values : callable
        Gives numbers to show, by name; names end with the unit in brackets.
    summary : callable
        What to say when there is no finding.
    """

    name: str
    findings: Callable[[], Iterable[Finding]] = tuple
    values: Callable[[], Mapping[str, object]] = dict
    summary: Callable[[], str] = lambda: "ok"


class Diagnostics:
    """Counters by reason and findings of one node, published as one DiagnosticStatus for each task every second.

    A finding noted with `note` counts for the second it happened in, in the first task; standing conditions come from
    the tasks, asked once a second.

    Parameters
    ----------
    node : rclpy.node.Node
    hardware : str
        Which machine the statuses are about.
    tasks : sequence of Task
    """

    def __init__(
        self,
        node: Node,
        hardware: str,
        tasks: Sequence[Task],
    ) -> None:
        self.counts: Counter[str] = Counter()
        self._node = node
        self._hardware = hardware
        self._tasks = tasks
        self._noted: dict[str, Finding] = {}
        self._logged: dict[str, float] = {}
        self._publisher = node.create_publisher(DiagnosticArray, "/diagnostics", DIAGNOSTICS)
        self._timer = node.create_timer(PERIOD, self.publish, clock=STEADY)

    def note(self, level: bytes, reason: str, text: str) -> None:
        """Count an event under its reason, show it for a second and log it, throttled."""
        self.counts[reason] += 1
        text = one_line(text)
        known = self._noted.get(reason)
        if known is None or known[0] < level:
            self._noted[reason] = (level, text)
        now = time.monotonic()
        if now - self._logged.get(reason, -LOG_PERIOD) >= LOG_PERIOD:
            self._logged[reason] = now
            self.log(level, f"{text} ({reason}: {self.counts[reason]} so far)")

    def log(self, level: bytes, text: str) -> None:
        """Log at the level of a finding."""
        logger = self._node.get_logger()
        if level == ERROR:
            logger.error(text)
        elif level == WARN:
            logger.warning(text)
        else:
            logger.info(text)

    def statuses(self) -> list[DiagnosticStatus]:
        """Return the statuses of the last second, in the order of the tasks; forgets what was noted in it."""
        noted, counts = list(self._noted.values()), dict(self.counts)
        self._noted.clear()
        first, *others = self._tasks
        return [self._status(first, noted, counts), *(self._status(task, [], {}) for task in others)]

    def _status(self, task: Task, noted: list[Finding], counts: Mapping[str, int]) -> DiagnosticStatus:
        findings = [*task.findings(), *noted]
        findings.sort(key=lambda finding: finding[0], reverse=True)
        level = findings[0][0] if findings else OK
        texts = dict.fromkeys(text for severity, text in findings if severity != OK or level == OK)
        values: dict[str, object] = {**task.values(), **counts}
        return DiagnosticStatus(
            level=level,
            name=f"{self._node.get_fully_qualified_name().lstrip('/')}: {task.name}",
            message=one_line("; ".join(texts) or task.summary()),
            hardware_id=self._hardware,
            values=[KeyValue(key=key, value=_format_number(value)) for key, value in values.items()],
        )

    def publish(self) -> None:
        message = DiagnosticArray(status=self.statuses())
        message.header.stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(message)

    def destroy(self) -> None:
        self._node.destroy_timer(self._timer)
        self._node.destroy_publisher(self._publisher)


def _format_number(value: object) -> str:
    """Return a number for people; empty while it is unknown."""
    if isinstance(value, float):
        return f"{value:.6g}" if math.isfinite(value) else ""
    return str(value)
