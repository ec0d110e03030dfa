# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a run of hostile input came to."""

from __future__ import annotations

import resource
import traceback
from collections import Counter
from dataclasses import dataclass, field
from time import perf_counter


class FuzzFailure(Exception):
    """An input that did what none may do: tells which, so that it can be made again."""


@dataclass
class Outcome:
    """Counts of one run.

    Attributes
    ----------
    inputs : int
    fates : Counter
        What became of the inputs or came out of the stages, by name.
    slowest : float
        Longest time for one input in s.
    seconds : float
        Of the whole run.
    memory : int
        Bytes by which one input raised the largest memory of the process, at most.
    """

    inputs: int = 0
    fates: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0
    seconds: float = 0.0
    memory: int = 0

    def timed(self, began: float) -> None:
        """Count an input that was begun at this `perf_counter`."""
        took = perf_counter() - began
        self.inputs += 1
        self.seconds += took
        self.slowest = max(self.slowest, took)

    def line(self, name: str) -> str:
        """One line for people."""
        fates = ", ".join(f"{fate} {count}" for fate, count in self.fates.most_common())
        slowest, memory = f"slowest {1e3 * self.slowest:.1f} ms", f"memory up by {self.memory / 2**20:.0f} MB"
        return f"{name}: {self.inputs} in {self.seconds:.1f} s, {slowest}, {memory}; {fates}"


def read_peak_memory() -> int:
    """Return the largest memory of this process so far, bytes."""
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def describe_place(error: Exception | None) -> str:
    """Return where an error was raised, as ` (file.py:12)`; nothing of None."""
    if error is None:
        return ""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f" ({last.filename.rpartition('/')[2]}:{last.lineno})"
