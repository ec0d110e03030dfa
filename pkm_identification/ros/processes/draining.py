# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The end of a stream: waiting until its last samples are through all nodes and judged, and what is missing then."""

from __future__ import annotations

import time
from collections.abc import Mapping

from .monitor import Monitor

LOOK = 1.1  # s: between two of these every node has told its counters
SETTLED = (
    30.0  # s without a change: a busy computer may stand still, and a lost message is sent again after 3 s
)
LONGEST = 300.0  # s


def drain(monitor: Monitor) -> None:
    """Listen until the last samples have passed all nodes and are judged, or nothing moves any more."""
    begin = moved = time.monotonic()
    told: tuple[list[int], bool] = [], False
    while time.monotonic() < min(begin + LONGEST, moved + SETTLED):
        before, told = told, (_read_counters(monitor), _is_judging(monitor))
        if told != before or told[1]:
            moved = time.monotonic()
        elif not underway(monitor) and _is_last_estimate(monitor):
            return
        monitor.listen(LOOK)


def underway(monitor: Monitor) -> int:
    """Return samples that were passed on and have not come to the next node: lost, when nothing moves any more."""
    passed, posed, used, _ = _read_counters(monitor)
    return max(passed - posed, 0) + max(posed - used, 0)


def _read_counters(monitor: Monitor) -> list[int]:
    """Return what the filter passed on, what kinematics and estimator took, and the equations made of it."""
    places = (
        ("strut_filter", "passed"),
        ("kinematics", "taken"),
        ("estimator", "taken"),
        ("estimator", "equations"),
    )
    return [monitor.count(node, key) for node, key in places]


def _is_last_estimate(monitor: Monitor) -> bool:
    """Return whether the latest estimate is the last one."""
    return monitor.estimate is not None and monitor.estimate.count == monitor.count("estimator", "equations")


def _is_judging(monitor: Monitor) -> bool:
    """Return whether the latest estimate has another verdict to come: of the stream to its end."""
    return monitor.value("estimator", "judging") == str(True)


class StreamTroubles:
    """Gathers complaints by node and task, window by window.

    Attributes
    ----------
    confirmed : dict of str to str
        Complaints of windows that had samples before them and after them.
    """

    def __init__(self) -> None:
        self.confirmed: dict[str, str] = {}
        self._lately: dict[str, str] = {}
        self._accepted = 0

    def take(self, accepted: int, complaints: Mapping[str, str]) -> None:
        """End of a window: how many samples were accepted until now, and what was complained of in it."""
        if accepted == self._accepted:
            return
        self.confirmed |= self._lately
        self._lately = dict(complaints) if self._accepted else {}
        self._accepted = accepted
