# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What pages show at this moment: the newest of everything, written by one thread and read by another."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any


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
