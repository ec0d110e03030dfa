# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`pkm watch` as a process alongside others."""

from __future__ import annotations

import contextlib
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import NamedTuple

from .node_process import STOP_DEADLINE, ProcessError, process_environment

ADDRESS = re.compile(r"Page: (\S+)")


class Watching(NamedTuple):
    """A running `pkm watch`: address of its page, and its process id."""

    address: str
    pid: int


@contextlib.contextmanager
def watching(domain: int, *options: str) -> Iterator[Watching]:
    """Run `pkm watch` on a free port as long as the block lasts.

    Parameters
    ----------
    domain : int
        ROS domain.
    options : str
        Of the command.

    Raises
    ------
    ProcessError
        If it does not start; with what it said.
    """
    command = [sys.executable, "-m", "pkm_identification.cli", "watch", "--port", "0", *options]
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=process_environment(domain),
        start_new_session=True,  # a Ctrl-C at the terminal is ours to pass on
    ) as process:
        try:
            yield Watching(_read_address(process), process.pid)
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(STOP_DEADLINE)
            except subprocess.TimeoutExpired:
                process.kill()


def _read_address(process: subprocess.Popen[str]) -> str:
    """Return the page's address: libraries may write warnings before it."""
    output = []
    for line in process.stdout or ():
        if match := ADDRESS.match(line):
            return match[1]
        output.append(line.strip())
    raise ProcessError(" | ".join(filter(None, output)) or "pkm watch ended and printed nothing")
