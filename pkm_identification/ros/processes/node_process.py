# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Nodes as processes of their own: for the demo, tests and benchmarks."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import yaml

from pkm_identification.errors import PkmError

# What a node logs when it is configured and subscribed.
ACTIVE = ": active"
START_DEADLINE = 300.0  # s; the first start of all compiles the kernels
STOP_DEADLINE = 10.0  # s
POLL = 0.02  # s
SHOWN_LINES = 8


class ProcessError(PkmError):
    """A node that did not start, or ended when it should not: with the last lines of its log."""


class NodeProcess:
    """One node of this package (or several, with `bringup`) in a process of its own, as a context manager.

    Entering starts it; leaving stops it with SIGINT, then SIGTERM, then SIGKILL. Its output is in `log`.

    Parameters
    ----------
    node : str
        Module in `pkm_identification.nodes`: strut_filter, kinematics, estimator, controller, simulator, recorder,
        player, bringup.
    parameters : mapping, optional
        Node parameters.
    domain : int, optional
        ROS domain; that of the environment by default.
    folder : Path, optional
        For the log and the parameter file; a temporary one by default.
    namespace : str
    arguments : tuple of str
        More ROS arguments, such as `-r`, `strut_states:=other`.
    together : tuple of str
        With `bringup`, the nodes to run.
    handed_over : bool
        Whether these hand streams over to each other; else they go through DDS.
    """

    def __init__(
        self,
        node: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        domain: int | None = None,
        folder: Path | None = None,
        namespace: str = "",
        arguments: tuple[str, ...] = (),
        together: tuple[str, ...] = (),
        handed_over: bool = True,
    ) -> None:
        self.node = node
        self._temporary = None
        if folder is None:
            self._temporary = tempfile.TemporaryDirectory(prefix="pkm_")
            folder = Path(self._temporary.name)
        folder.mkdir(parents=True, exist_ok=True)
        self.log = folder / f"{node}.log"
        self.parameter_file = folder / f"{node}.yaml"
        wildcard = {"/**": {"ros__parameters": dict(parameters or {})}}
        self.parameter_file.write_text(yaml.safe_dump(wildcard), encoding="utf-8")
        self._count = max(len(together), 1)
        self._arguments = ["--nodes", ",".join(together)] if together else []
        if together and parameters is not None and "executor" in parameters:
            self._arguments += ["--executor", parameters["executor"]]
        if together and not handed_over:
            self._arguments.append("--no-hand-over")
        self._arguments += ["--ros-args", "--params-file", str(self.parameter_file), *arguments]
        if namespace:
            self._arguments += ["-r", f"__ns:=/{namespace.strip('/')}"]
        self._environment = process_environment(domain)
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> NodeProcess:
        """Start the process; see `wait_active`."""
        command = [sys.executable, "-m", f"pkm_identification.nodes.{self.node}", *self._arguments]
        with self.log.open("wb") as output:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=self._environment,
                start_new_session=True,  # a Ctrl-C at the terminal is ours to pass on
            )
        return self

    @property
    def pid(self) -> int:
        """Process id."""
        return self._running().pid

    @property
    def code(self) -> int | None:
        """Exit code, None while it runs."""
        return self._running().poll()

    def text(self) -> str:
        """Return what the node has written so far."""
        return self.log.read_text(encoding="utf-8", errors="replace") if self.log.exists() else ""

    def wait_active(self, deadline: float = START_DEADLINE) -> NodeProcess:
        """Wait until the node is active, or all of them.

        Raises
        ------
        ProcessError
            If it ends or takes longer than `deadline` s.
        """
        end = time.monotonic() + deadline
        while self.text().count(ACTIVE) < self._count:
            if self.code is not None and self.text().count(ACTIVE) < self._count:
                raise ProcessError(f"{self.node} ended with code {self.code}: {self._last_lines()}")
            if time.monotonic() > end:
                raise ProcessError(f"{self.node} is not active after {deadline:g} s: {self._last_lines()}")
            time.sleep(POLL)
        return self

    def wait(self, deadline: float) -> int:
        """Wait for the end; its exit code.

        Raises
        ------
        ProcessError
            If it takes longer than `deadline` s.
        """
        try:
            return self._running().wait(deadline)
        except subprocess.TimeoutExpired:
            raise ProcessError(f"{self.node} still runs after {deadline:g} s: {self._last_lines()}") from None

    def signal(self, number: int) -> None:
        """Send a signal."""
        self._running().send_signal(number)

    def stop(self, deadline: float = STOP_DEADLINE) -> int:
        """End the process and wait for it; its exit code."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            if self.code is not None:
                break
            self.signal(number)
            try:
                self._running().wait(deadline)
            except subprocess.TimeoutExpired:
                continue
        return self._running().wait()

    def cpu_time(self) -> float:
        """Processor time used so far in s (Linux)."""
        return cpu_time(self.pid)

    def __enter__(self) -> NodeProcess:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        if self._temporary is not None:
            self._temporary.cleanup()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise ProcessError(f"{self.node} was not started")
        return self._process

    def _last_lines(self) -> str:
        return " | ".join(self.text().strip().splitlines()[-SHOWN_LINES:]) or "it wrote nothing"


def process_environment(domain: int | None = None) -> dict[str, str]:
    """Environment for a node's process: this package importable, on this machine only, one thread for algebra."""
    environment = dict(os.environ)
    source = str(Path(__file__).resolve().parents[3])
    paths = [source, *filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))]
    environment["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(paths))
    environment.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    environment["PYTHONUNBUFFERED"] = "1"
    # Six by six matrices gain nothing from threads, and idle ones spin.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        environment.setdefault(name, "1")
    if domain is not None:
        environment["ROS_DOMAIN_ID"] = str(domain)
    return environment


def cpu_time(pid: int) -> float:
    """Processor time that a process and those it started have used so far in s (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    own = sum(int(field) for field in fields[11:15]) / os.sysconf("SC_CLK_TCK")  # with those that have ended
    return own + sum(map(cpu_time, list_children(pid)))


def list_children(pid: int) -> list[int]:
    """Return the process ids of those that a process has started (Linux)."""
    found: list[int] = []
    for one in Path(f"/proc/{pid}/task").glob("*/children"):
        found += map(int, one.read_text(encoding="ascii").split())
    return found
