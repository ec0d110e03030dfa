# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What tests ask of processes that they have started."""

from __future__ import annotations

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
