# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Ctrl-C ends a command at any moment: one line, exit code 130, nothing half-written.

A KeyboardInterrupt cannot: it gets lost in the callbacks of the compiler, and breaks off imports with a traceback. So
the process ends at once, and takes with it what it has begun to write.
"""

from __future__ import annotations

import os
import shutil
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

INTERRUPTED = 130

_unfinished: set[Path] = set()


@contextmanager
def remove_unfinished(path: Path) -> Iterator[Path]:
    """A file or folder that is worth nothing before the block has ended."""
    _unfinished.add(path)
    try:
        yield path
    finally:
        _unfinished.discard(path)


@contextmanager
def interruptible(name: str) -> Iterator[None]:
    """Let Ctrl-C end the process, in the name of a command, as long as the block lasts.

    A process that was started to ignore it (`nohup`, a script's background job) goes on ignoring it.
    """

    def end(*_: object) -> None:
        for path in _unfinished:
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                with suppress(OSError):
                    path.unlink()
        os.write(2, f"{name}: interrupted\n".encode())
        os._exit(INTERRUPTED)

    before = signal.getsignal(signal.SIGINT)
    # only the main thread may set it; another is not interrupted
    if before == signal.SIG_IGN or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def stoppable() -> Iterator[Callable[[], bool]]:
    """For work that is worth something whenever it ends: says whether Ctrl-C was pressed.

    A second one ends the process, as without this.
    """
    pressed = False
    before = signal.getsignal(signal.SIGINT)

    def note(*_: object) -> None:
        nonlocal pressed
        pressed = True
        signal.signal(signal.SIGINT, before)

    if before == signal.SIG_IGN or threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield lambda: pressed
    finally:
        signal.signal(signal.SIGINT, before)
