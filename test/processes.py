# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What tests ask of processes that they have started."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

DEADLINE = 600.0  # s; a first start compiles kernels, perhaps on a busy computer


def wait(condition: Callable[[], bool], what: str) -> None:
    """Wait until a condition holds; fails with what did not come."""
    end = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < end, f"no {what} within {DEADLINE:g} s"
        time.sleep(0.05)


def runs(process: int) -> bool:
    """Whether a process is there and not only waiting for somebody to ask for its exit code (Linux)."""
    try:
        state = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def run_node(node, domain, *arguments):
    """A node that is expected to end by itself: what it printed, and its exit code."""
    from pkm_identification.ros.processes.node_process import process_environment

    return subprocess.run(
        [sys.executable, "-m", f"pkm_identification.nodes.{node}", "--ros-args", *arguments],
        env=process_environment(domain),
        capture_output=True,
        text=True,
        timeout=300,
    )
