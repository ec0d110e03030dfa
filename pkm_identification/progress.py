# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How far a long run has come: whoever works says so, and whoever wants to know listens.

The core announces steps and knows nobody who shows them; without a listener that costs one look at a variable.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol, TypeVar

Item = TypeVar("Item")


class Listener(Protocol):
    """Who is informed."""

    def report_progress(self, what: str, part: float, whole: float) -> None:
        """So much of a piece of work is done; the last time with `part` equal to `whole`."""

    def hide(self) -> None:
        """A line is about to be written where this is shown."""

    def tell(self, line: str) -> None:
        """Say in a line what takes long and cannot be counted."""


_LISTENER: ContextVar[Listener | None] = ContextVar("progress", default=None)
_listeners: list[Listener] = []  # of all threads


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Tell a listener what is announced meanwhile, in this thread."""
    token = _LISTENER.set(listener)
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)
        _LISTENER.reset(token)


def announce(what: str, part: float, whole: float) -> None:
    """Say how far a piece of work has come, in whatever it is counted in."""
    listener = _LISTENER.get()
    if listener is not None:
        listener.report_progress(what, part, whole)


def hide() -> None:
    """Say that a line is about to be written."""
    listener = _LISTENER.get()
    if listener is not None:
        listener.hide()


def tell(line: str) -> None:
    """Say in a line what takes long and cannot be counted, from any thread: whoever listens waits for all of them."""
    for listener in tuple(_listeners):
        listener.tell(line)


def steps(what: str, items: Sequence[Item]) -> Iterable[Item]:
    """Return the items, one after the other; each is announced as done when the next one is asked for."""
    if _LISTENER.get() is None:
        return items
    return _announce(what, items)


def _announce(what: str, items: Sequence[Item]) -> Iterator[Item]:
    try:
        for count, item in enumerate(items):
            announce(what, count, len(items))
            yield item
    finally:
        # also where the rest is not needed
        announce(what, len(items), len(items))
