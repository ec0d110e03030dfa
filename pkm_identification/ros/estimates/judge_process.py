# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A judge in a process of its own, so that the node's thread shares Python's lock with nobody.

It reads the node's samples where the node keeps them: a question is some hundred bytes. It has the lowest of usual
priorities, gives its core up to whatever wakes, and ends with the node, however that one ends: then its connection
does. Run as a module it is that process, which imports no rclpy.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pkm_identification.errors import PkmError

from ..processes.time_slice import LONG_S, set_time_slice

if TYPE_CHECKING:
    from pkm_identification.identification.online.judge import Judge, Question, StreamVerdict

STARTS = 2  # a process that ended is started once more: what killed it may have been the lack of memory for a moment
NICE = 10  # below what people and nodes do, above what nobody waits for
SESSION_NICE = 5  # a third of the share of another session: a core that is full still gives a verdict
AUTOGROUP = Path("/proc/self/autogroup")


class JudgeError(PkmError):
    """The judge's process cannot go on."""


class JudgeProcess:
    """Asks a judge that has its own process, which is started at once and loads meanwhile.

    Parameters
    ----------
    judge : Judge
    """

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._turn = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection | None = None
        self._starts = 0
        self._failure = ""
        self._starting = threading.Thread(target=self._start, daemon=True)
        self._starting.start()

    def ask(self, question: Question) -> tuple[StreamVerdict | None, float]:
        """Return the verdict, None of too few samples, and the processor's time in s that it took.

        Raises
        ------
        JudgeError
            If the judge could not work it out, or its process did not start or ended for the second time.
        """
        self._starting.join()
        with self._turn:
            while self._connection is not None:
                try:
                    self._connection.send(question)
                    verdict, trouble, cost = self._connection.recv()
                except (EOFError, OSError):
                    self._start_again()
                    continue
                if trouble:
                    raise JudgeError(trouble)
                return verdict, cost
        raise JudgeError(f"{self._failure}; restart the node to have it judged")

    def close(self) -> None:
        """End the process."""
        self._starting.join()
        self._starts = STARTS
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def _start(self) -> None:
        self._starts += 1
        ours, theirs = Pipe()
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-m", __name__, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                env=_build_environment(),
                pass_fds=(theirs.fileno(), self._judge.kept.descriptor),
                # where each session has its share of the processor, it would work with that of the node
                start_new_session=True,
            )
            ours.send(self._judge)
        except BrokenPipeError:
            pass  # it has ended already, as the first question will find
        except (OSError, ValueError) as error:  # no memory, no such processes on this system
            self._failure = f"its process does not start: {error}"
            return
        finally:
            theirs.close()
        self._connection = ours

    def _start_again(self) -> None:
        assert self._process is not None
        code = self._process.wait()
        self._connection = None
        if self._starts < STARTS:
            self._start()
        else:
            self._failure = f"its process ended with code {code}"


def _build_environment() -> dict[str, str]:
    """Return this process's environment, with its modules, and one thread for algebra."""
    environment = dict(os.environ)
    environment["PYTHONPATH"] = os.pathsep.join(os.path.abspath(path) for path in sys.path if path)
    environment["PYTHONSAFEPATH"] = "1"  # nothing of the folder where the node was started
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        environment.setdefault(name, "1")
    return environment


def main() -> None:
    """Answer questions on the connection whose descriptor is the argument, as long as somebody is at its other end."""
    for number in (signal.SIGINT, signal.SIGTERM):  # they are for the node
        signal.signal(number, signal.SIG_IGN)
    if hasattr(os, "sched_setscheduler"):
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))  # not the node's real-time priority
    os.nice(NICE)
    with contextlib.suppress(OSError):  # a system without shares of sessions
        # where each session has its share, being nice counts within it alone, unless the session is nice as well
        AUTOGROUP.write_text(str(SESSION_NICE), encoding="ascii")
    set_time_slice(LONG_S)
    connection = Connection(int(sys.argv[1]))
    arrived: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def listen() -> None:
        try:
            while True:
                arrived.put(connection.recv())
        except (EOFError, OSError):
            os._exit(0)  # in the middle of a verdict, too

    threading.Thread(target=listen, daemon=True).start()
    _answer(connection, arrived)


def _answer(connection: Connection, arrived: queue.SimpleQueue[Any]) -> None:
    judge: Judge = arrived.get()
    with contextlib.suppress(
        Exception
    ):  # a motion that is made up need not be possible; the stream's is judged anyway
        judge.warm_up()
    while True:
        question: Question = arrived.get()
        before = time.process_time()
        verdict, trouble = None, ""
        try:
            verdict = judge.answer(question)
        except Exception as error:
            trouble = f"{type(error).__name__}: {error}"
        connection.send((verdict, trouble, time.process_time() - before))


if __name__ == "__main__":
    main()
