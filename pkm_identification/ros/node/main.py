# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How nodes become a process: one line and exit code 2 when one cannot start, 0 when it is stopped."""

from __future__ import annotations

import gc
import os
import signal
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import rclpy
from rclpy.executors import Executor, ExternalShutdownException
from rclpy.task import Future
from rclpy.utilities import get_rmw_implementation_identifier

from pkm_identification.errors import PkmError, one_line

from ..parameters.declarations import ParameterError
from ..processes.time_slice import SHORT_S, set_time_slice
from ..releases import events_executor
from .hand_over import HandOver
from .launcher import end_with_launcher
from .pipeline_node import PipelineNode
from .stream_executor import StreamExecutor
from .thread_priority import ThreadPriority
from .transport import remove_shared_memory

FAILED, FAILED_START = 1, 2
LONG = 1e6  # s
NO_SECURITY = "doesn't have the security libraries"  # so says Fast DDS


def run(node_class: type[PipelineNode], args: list[str] | None = None) -> int:
    """Run one node until it is stopped or has finished; see `run_together`."""
    return run_together((node_class,), args)


def run_together(
    node_classes: Sequence[type[PipelineNode]],
    args: list[str] | None = None,
    executor: str | None = None,
    handed_over: bool = True,
) -> int:
    """Run nodes in this process until they are stopped or one of them has finished.

    Parameters
    ----------
    node_classes : sequence of type of PipelineNode
        They are configured and activated in this order.
    args : list of str, optional
        Command line, with `--ros-args`; that of the process by default.
    executor : str, optional
        As of `make_executor`; by default what the first node's parameter `executor` says.
    handed_over : bool
        Whether streams between the nodes are handed over as objects; else they go through DDS, too.

    Returns
    -------
    int
        0 after SIGINT, SIGTERM or a finished job; with one line on stderr 2 when a node cannot start and 1 when
        one cannot go on.
    """
    try:
        return _run_together(node_classes, args, executor, HandOver() if handed_over else None)
    finally:
        # Nodes hang in cycles of references: until these are collected, and frozen ones never are, their participant
        # stays and the others see them. The interpreter's own end need not look at what is left.
        gc.unfreeze()
        gc.collect()
        gc.freeze()


def _run_together(
    node_classes: Sequence[type[PipelineNode]],
    args: list[str] | None,
    executor: str | None,
    hand_over: HandOver | None,
) -> int:
    nodes: list[PipelineNode] = []
    code = 0
    started = False
    name = node_classes[0].NAME
    try:
        # rclpy's own handlers shut the context down and then call those that were there before.
        stop = _StopHandler()
        set_time_slice(SHORT_S)  # now: the middleware's threads have that of who makes them
        _initialize(args)
        if not end_with_launcher():
            return code
        for node_class in node_classes:
            name = node_class.NAME
            nodes.append(_make_node(node_class))
            nodes[-1].hand_over = hand_over or nodes[-1].hand_over
            if len(node_classes) == 1:
                nodes[-1].thread_priority = ThreadPriority()
        # before a node is active: rclpy cannot make an executor in a context that a signal has shut down
        spinning = make_executor(executor or nodes[0].parameter["executor"])
        over = Future()
        for node in nodes:
            name = node.NAME
            spinning.add_node(node)  # first, because nodes look at their executor
            node.ending_at_once = stop.at_once
            node.finished.add_done_callback(lambda job: over.done() or over.set_result(job.result()))
            if node.parameter["autostart"]:
                node.bring_up()
        if isinstance(spinning, StreamExecutor):
            # in processes of their own messages would wait once for each node
            spinning.gathering = len(nodes) > 1 and all(node.PATIENT for node in nodes)
        started = True
        # What there is by now stays: a collection that looked at all of it again would take a tenth of a second.
        gc.collect()
        gc.freeze()
        # Without a time-out the events executor does not return for a signal in some releases.
        while rclpy.ok() and not over.done():
            spinning.spin_until_future_complete(over, timeout_sec=LONG)
        if over.done():
            code = over.result()
    except ExternalShutdownException:
        pass
    except PkmError as error:
        # A signal in the middle of the start is no failure of the start.
        if rclpy.ok() or not nodes:
            print(one_line(f"{name}: {error}"), file=sys.stderr, flush=True)
            code = FAILED if started else FAILED_START
    except Exception:
        # A signal invalidates the context under the hands of whatever runs.
        if rclpy.ok():
            raise
    finally:
        _ignore_signals()
        for node in nodes:
            node.close()
        rclpy.try_shutdown()
        _ignore_signals()
    return code


def make_executor(kind: str) -> Executor:
    """Return an executor by the name in the parameter `executor`.

    Raises
    ------
    ParameterError
        If this rclpy does not have it.
    """
    if kind == "single_threaded":
        return StreamExecutor()
    return events_executor()


def _initialize(args: list[str] | None) -> None:
    try:
        remove_shared_memory(get_rmw_implementation_identifier())
        rclpy.init(args=args)
    except Exception as error:  # bad arguments and parameter files raise several kinds
        raise ParameterError(" ".join(str(error).split(", at /")[0].split())) from None


def _make_node(node_class: type[PipelineNode]) -> PipelineNode:
    try:
        with warnings.catch_warnings():
            # what rclpy says of cleaning up after an error that is told below
            warnings.filterwarnings("ignore", "Failed to fini", RuntimeWarning)
            return node_class()
    except RuntimeError as error:  # of rcl and the middleware: a wrong name, no security where it is enforced
        if not rclpy.ok():
            raise
        if NO_SECURITY in str(error):
            raise ParameterError(
                "ROS_SECURITY_ENABLE is true, but this Fast DDS was built without security (as that of the PyPI wheels "
                "is): use a distribution's rmw_fastrtps_cpp, or unset ROS_SECURITY_ENABLE"
            ) from None
        raise ParameterError(" ".join(str(error).split(", at /")[0].split())) from None


class _StopHandler:
    """Python's part in a signal: none, because a KeyboardInterrupt would break off anything anywhere.

    While kernels are compiled, which takes seconds without a look at the context, the process ends at once: there is
    nothing to put in order yet, and an exception would get lost in the compiler's callbacks. A signal that came before
    is remembered: rclpy shuts the context down in a thread of its own, some time after.
    """

    def __init__(self) -> None:
        self._at_once = False
        self._came = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._handle)

    def _handle(self, *_: object) -> None:
        self._came = True
        if self._at_once:
            os._exit(0)

    @contextmanager
    def at_once(self) -> Iterator[None]:
        self._at_once = True
        try:
            if self._came or not rclpy.ok():
                os._exit(0)
            yield
        finally:
            self._at_once = False


def _ignore_signals() -> None:
    """A second Ctrl-C must not break the orderly end; shutting rclpy down restores Python's handlers."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
