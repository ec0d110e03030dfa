# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Real-time priority of a process's threads: control and its middleware before all work that can wait."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

THREADS = Path("/proc/self/task")


class ThreadPriority:
    """First in, first out scheduling of the threads of this process, as long as it is asked for.

    A thread that has given way to others by itself (`control.paths.beside`) stays as it is. Threads made later by one
    with a priority have it, too.
    """

    def __init__(self) -> None:
        self._text = "normal"
        self._raised = False

    def __str__(self) -> str:
        """How the threads are scheduled, and why not otherwise, for the diagnostics."""
        return self._text

    def rise(self, priority: int) -> str | None:
        """Take a priority of 1 to 99; 0 asks for none. Why it could not be, or None.

        A process that was started with a real-time priority keeps that one.
        """
        self.fall()
        if priority == 0:
            return None
        if not (hasattr(os, "sched_setscheduler") and THREADS.is_dir()):
            return self._refused(f"real-time priority {priority}: this system knows none of threads")
        if os.sched_getscheduler(0) in (os.SCHED_FIFO, os.SCHED_RR):
            own = os.sched_getparam(0).sched_priority
            self._text = f"real-time, priority {own}, as the process was started"
            return None
        try:
            _schedule(_threads((os.SCHED_OTHER,)), os.SCHED_FIFO, priority)
        except PermissionError:
            from resource import RLIMIT_RTPRIO, getrlimit  # here: only systems that get so far have it

            limit = getrlimit(RLIMIT_RTPRIO)[0]
            return self._refused(f"real-time priority {priority}: not permitted, the limit is {limit}")
        self._raised = True
        self._text = f"real-time, priority {priority}"
        return None

    def fall(self) -> None:
        """Have all threads scheduled normally again; nothing happens where none was raised."""
        if self._raised:
            _schedule(_threads((os.SCHED_FIFO,)), os.SCHED_OTHER, 0)
        self._raised = False
        self._text = "normal"

    def _refused(self, why: str) -> str:
        self._text = f"normal ({why})"
        return why


def _threads(policies: tuple[int, ...]) -> Iterator[int]:
    """Those of this process that are scheduled so."""
    for thread in map(int, os.listdir(THREADS)):
        with suppress(ProcessLookupError):
            if os.sched_getscheduler(thread) in policies:
                yield thread


def _schedule(threads: Iterable[int], policy: int, priority: int) -> None:
    for thread in threads:
        with suppress(ProcessLookupError):  # it has ended meanwhile
            os.sched_setscheduler(thread, policy, os.sched_param(priority))
