"""How a node becomes a process: one line and exit code 2 when it cannot start, 0 when it is told to stop."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import rclpy
from rclpy.executors import Executor, ExternalShutdownException, SingleThreadedExecutor

from ..errors import PkmError
from .node_base import PipelineNode
from .parameters import ParameterError

FAILED, FAILED_START = 1, 2
LONG = 1e6  # s


def run(node_class: type[PipelineNode], args: list[str] | None = None) -> int:
    """Run one node until it is told to stop or has finished.

    Parameters
    ----------
    node_class : type of PipelineNode
    args : list of str, optional
        Command line, with `--ros-args`; that of the process by default.

    Returns
    -------
    int
        0 after SIGINT, SIGTERM or a finished job; with one line on stderr 2 when the node cannot start and 1 when
        it cannot go on.
    """
    node: PipelineNode | None = None
    code = 0
    started = False
    try:
        # rclpy's own handlers shut the context down and then call those that were there before.
        stop = _StopHandler()
        _initialize(args)
        node = node_class()
        # before the node is active: rclpy cannot make an executor in a context that a signal has shut down
        executor = make_executor(node.parameter["executor"])
        node.compiling = stop.at_once
        if node.parameter["autostart"]:
            node.bring_up()
        executor.add_node(node)
        started = True
        # Without a time-out the events executor does not return for a signal in some releases.
        while rclpy.ok() and not node.finished.done():
            executor.spin_until_future_complete(node.finished, timeout_sec=LONG)
        if node.finished.done():
            code = node.finished.result()
    except ExternalShutdownException:
        pass
    except PkmError as error:
        # A signal in the middle of the start is no failure of the start.
        if rclpy.ok() or node is None:
            print(f"{node_class.NAME}: {error}", file=sys.stderr, flush=True)
            code = FAILED if started else FAILED_START
    except Exception:
        # A signal invalidates the context under the hands of whatever runs.
        if rclpy.ok():
            raise
    finally:
        _ignore_signals()
        if node is not None:
            node.close()
        rclpy.try_shutdown()
        _ignore_signals()
    return code


def make_executor(kind: str) -> Executor:
    """An executor by the name in the parameter `executor`.

    Raises
    ------
    ParameterError
        If this rclpy does not have it.
    """
    if kind == "single_threaded":
        return SingleThreadedExecutor()
    try:
        from rclpy.experimental import EventsExecutor
    except ImportError:
        raise ParameterError(f"parameter 'executor' = '{kind}': this rclpy has no events executor") from None
    return EventsExecutor()


def _initialize(args: list[str] | None) -> None:
    try:
        rclpy.init(args=args)
    except Exception as error:  # bad arguments and parameter files raise several kinds
        raise ParameterError(" ".join(str(error).split(", at /")[0].split())) from None


class _StopHandler:
    """Python's part in a signal: none, because a KeyboardInterrupt would break off anything anywhere.

    While kernels are compiled, which takes seconds without a look at the context, the process ends at once: there is
    nothing to put in order yet, and an exception would get lost in the compiler's callbacks.
    """

    def __init__(self) -> None:
        self._at_once = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._handle)

    def _handle(self, *_: object) -> None:
        if self._at_once:
            os._exit(0)

    @contextmanager
    def at_once(self) -> Iterator[None]:
        self._at_once = True
        try:
            if not rclpy.ok():
                os._exit(0)  # the signal came just before
            yield
        finally:
            self._at_once = False


def _ignore_signals() -> None:
    """A second Ctrl-C must not break the orderly end; shutting rclpy down restores Python's handlers."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
