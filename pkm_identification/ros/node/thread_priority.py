# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Real-time priority of a process's threads: control and its middleware before all work that can wait."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from pathlib import Path

from pkm_identification.control.paths.background_call import THREAD_NAME

THREADS = Path("/proc/self/task")
_KNOWN = hasattr(os, "sched_setscheduler") and THREADS.is_dir()


class ThreadPriority:
    """First in, first out scheduling of the threads of this process, as long as it is asked for.

    Threads that work alongside control, and those that have a real-time priority of their own, stay as they are.
    Threads made later by one that was raised have its priority, too.
    """

    def __init__(self) -> None:
        self._priority = 0
        self._others: set[int] = set()  # threads with a real-time priority of their own
        self._refusal: str | None = None

    def __str__(self) -> str:
        """How the calling thread is scheduled, and why not as asked for."""
        name = "normal"
        if _KNOWN:
            policy, priority = _read_scheduling(0)
            if policy in (os.SCHED_FIFO, os.SCHED_RR):
                return f"real-time, priority {priority}"
            name = {os.SCHED_BATCH: "batch", os.SCHED_IDLE: "idle"}.get(policy, name)
        return name if self._refusal is None else f"{name} ({self._refusal})"

    def rise(self, priority: int) -> str | None:
        """Take a priority of 1 to 99; 0 asks for none. Why it could not be, or None.

        A process that was started with another than the normal scheduling keeps it.
        """
        self.fall()
        self._refusal = None
        if priority == 0:
            return None
        if not _KNOWN:
            self._refusal = f"real-time priority {priority}: this system has none for threads"
            return self._refusal
        try:
            if _read_scheduling(0)[0] != os.SCHED_OTHER:
                return None
            self._raise_all(priority)
        except OSError as error:
            self.fall()
            self._refusal = f"real-time priority {priority}: {_explain_failure(error)}"
        return self._refusal

    def fall(self) -> None:
        """Have all threads scheduled as before; nothing happens where none was raised."""
        if self._priority:
            for thread in set(_list_threads()) - self._others:
                if _read_scheduling(thread) == (os.SCHED_FIFO, self._priority):
                    with suppress(OSError):  # it has ended meanwhile
                        os.sched_setscheduler(thread, os.SCHED_OTHER, os.sched_param(0))
        self._priority = 0

    def _raise_all(self, priority: int) -> None:
        self._priority = priority
        beside = {one.native_id for one in threading.enumerate() if one.name == THREAD_NAME}
        self._others = {one for one in _list_threads() if _read_scheduling(one)[0] != os.SCHED_OTHER}
        raised: set[int] = set()
        while (
            new := set(_list_threads()) - raised - self._others - beside
        ):  # one may have made another meanwhile
            for thread in new:
                with suppress(ProcessLookupError):  # it has ended meanwhile
                    os.sched_setscheduler(thread, os.SCHED_FIFO, os.sched_param(priority))
            raised |= new


def _list_threads() -> list[int]:
    return [int(name) for name in os.listdir(THREADS)]


def _read_scheduling(thread: int) -> tuple[int, int]:
    """Policy and priority of a thread, or of the calling one for 0; normal where it cannot be determined."""
    try:
        policy = os.sched_getscheduler(thread) & ~os.SCHED_RESET_ON_FORK
        return policy, os.sched_getparam(thread).sched_priority
    except OSError:  # it has ended, or the system has the call alone
        return os.SCHED_OTHER, 0


def _explain_failure(error: OSError) -> str:
    if isinstance(error, PermissionError):
        from resource import RLIMIT_RTPRIO, getrlimit  # here: only systems that get so far have it

        return f"not permitted, the limit is {getrlimit(RLIMIT_RTPRIO)[0]}"
    return (error.strerror or str(error)).lower()
