# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Work that takes longer than a period, done alongside the control loop."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from threading import Lock, Thread
from typing import Any, Generic, TypeVar

T = TypeVar("T")
THREAD_NAME = "background of control"
SWITCH = 5e-5  # s, after which Python goes over to the control loop while there is such work


class _Switching:
    """Python's threads take turns faster as long as any work is being done at the same time."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._running = 0
        self._usual = 0.0

    def __enter__(self) -> None:
        with self._lock:
            if self._running == 0:
                self._usual = sys.getswitchinterval()
                sys.setswitchinterval(min(SWITCH, self._usual))
            self._running += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._running -= 1
            if self._running == 0:
                sys.setswitchinterval(self._usual)


_SWITCHING = _Switching()


def _wait_for_a_turn() -> None:
    """Have this thread never take the processor from another when it wakes, where the system knows such threads.

    A control loop's real-time priority, which it has from the thread that made it, is not for it. Its share of the time
    is the usual one: at a lower priority, it would hold Python's lock while others run.
    """
    with suppress(AttributeError, OSError):
        if os.sched_getscheduler(0) in (os.SCHED_OTHER, os.SCHED_FIFO, os.SCHED_RR):
            os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))


class BackgroundCall(Generic[T]):
    """The answer of a function, worked out in a thread or, where that is short work, at once.

    Parameters
    ----------
    long : bool
        Whether it is worth a thread.
    function, *arguments
        Nobody else may change the arguments meanwhile.
    """

    def __init__(self, long: bool, function: Callable[..., T], *arguments: Any) -> None:
        self._function, self._arguments = function, arguments
        self._answer: T
        self._error: Exception | None = None
        self._thread: Thread | None = None
        if long:
            # nobody waits for it at the end of the process
            self._thread = Thread(target=self._work_in_background, name=THREAD_NAME, daemon=True)
            self._thread.start()
        else:
            self._work()

    @property
    def done(self) -> bool:
        """Whether the answer is there."""
        return self._thread is None or not self._thread.is_alive()

    def answer(self) -> T:
        """Return the answer, once it is there.

        Raises
        ------
        Exception
            What the function raised, whatever it is.
        """
        self.wait()
        if self._error is not None:
            raise self._error
        return self._answer

    def wait(self) -> None:
        """Wait for its end, whatever comes of it."""
        if self._thread is not None:
            self._thread.join()

    def _work(self) -> None:
        try:
            self._answer = self._function(*self._arguments)
        except Exception as error:  # a thread has nobody to raise it to
            self._error = error

    def _work_in_background(self) -> None:
        _wait_for_a_turn()
        with _SWITCHING:
            self._work()
