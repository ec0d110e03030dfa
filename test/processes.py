# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

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
