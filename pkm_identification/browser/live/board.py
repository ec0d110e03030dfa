# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What pages show at this moment, written by one thread and read by another, and how estimates have settled so far."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from typing import Any

MOST = 400  # points; halved when they are reached


class TimeHistory:
    """Estimates over time since the estimation began: all at first, then every second one, every fourth ...

    Written by one thread and read by another.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._run = 0
        self._names: tuple[str, ...] = ()
        self._points: list[tuple[float, list[float], list[float]]] = []
        self._count = self._taken = 0
        self._stride = 1
        self.restart()

    def restart(self) -> None:
        """Forget everything: estimation starts afresh."""
        with self._lock:
            self._begin()

    def take(
        self, names: Sequence[str], count: int, time: float, values: Sequence[float], std: Sequence[float]
    ) -> int:
        """Note an estimate after `count` equations; one of fewer equations, or of others, begins a new run.

        Returns
        -------
        int
            Number of the run it belongs to.
        """
        with self._lock:
            if count < self._count or tuple(names) != self._names:
                self._begin()
                self._names = tuple(names)
            if count > self._count:
                self._count = count
                if self._taken % self._stride == 0:
                    self._points.append(
                        (time, [_shorten(x, 7) for x in values], [_shorten(x, 3) for x in std])
                    )
                self._taken += 1
                if len(self._points) >= MOST:
                    self._points = self._points[::2]
                    self._stride *= 2
            return self._run

    def entry(self) -> dict[str, Any]:
        """Return the run so far: its number, names, and for each point time (s), values and standard deviations."""
        with self._lock:
            points = list(self._points)
            return {
                "run": self._run,
                "names": list(self._names),
                "time": [point[0] for point in points],
                "values": [point[1] for point in points],
                "std": [point[2] for point in points],
            }

    def _begin(self) -> None:
        self._run += 1
        self._count = -1
        self._taken, self._stride = 0, 1
        self._points = []


def _shorten(value: float, digits: int) -> float:
    return float(f"{value:.{digits}g}")


class Board:
    """Named entries, each of which replaces the one before.

    A reader remembers the version it has seen and gets what is newer. So a reader that is slow skips what was replaced
    meanwhile: it never gets old entries late, and nobody waits for it.

    Parameters
    ----------
    opening : callable
        Gives the entries that a reader gets only once, at first: what has happened so far.
    """

    def __init__(self, opening: Callable[[], dict[str, Any]] = dict) -> None:
        self._lock = threading.Lock()
        self._opening = opening
        self._version = 1  # so that 0 is older than a board without entries
        self._entries: dict[str, tuple[int, str]] = {}

    def put(self, name: str, value: Any) -> None:
        """Replace an entry.

        Raises
        ------
        ValueError
            If it holds a number that is not finite, which JSON does not know.
        """
        text = _encode_json(value)
        with self._lock:
            self._version += 1
            self._entries[name] = (self._version, text)

    def since(self, version: int) -> tuple[int, str]:
        """What is newer than a version (0: everything, with the opening) as one JSON object, empty if there is nothing.

        Returns
        -------
        int
            Version to ask with the next time.
        str
        """
        first = {name: _encode_json(value) for name, value in self._opening().items()} if version == 0 else {}
        with self._lock:
            newer = {name: text for name, (at, text) in self._entries.items() if at > version}
            latest = self._version
        parts = [f"{_encode_json(name)}:{text}" for name, text in {**first, **newer}.items()]
        return latest, f"{{{','.join(parts)}}}" if parts else ""


def _encode_json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), allow_nan=False)
