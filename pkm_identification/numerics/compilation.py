# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Noticing that kernels are compiled, which a first start does for minutes, instead of loaded from the cache."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import Any

from numba.core import event

COMPILE = "numba:compile"


class CompilationWatch(event.Listener):
    """Counts kernels that are compiled while it is entered, as a context manager.

    Parameters
    ----------
    started : callable, optional
        Called once, when the first is about to be compiled.

    Attributes
    ----------
    kernels : int
        Compiled for themselves or for one that calls them.
    seconds : float
        What it took.
    """

    def __init__(self, started: Callable[[], object] = lambda: None) -> None:
        self.kernels = 0
        self.seconds = 0.0
        self._started = started
        self._depth = 0
        self._start = 0.0

    def __enter__(self) -> CompilationWatch:
        event.register(COMPILE, self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        event.unregister(COMPILE, self)

    def on_start(self, event: Any) -> None:
        """Listen to Numba: a kernel that is in no cache."""
        if not self.kernels:
            self._started()
        self.kernels += 1
        if not self._depth:
            self._start = time.monotonic()
        self._depth += 1

    def on_end(self, event: Any) -> None:
        """Listen to Numba: it is compiled."""
        self._depth -= 1
        if not self._depth:
            self.seconds += time.monotonic() - self._start
