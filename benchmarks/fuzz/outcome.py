"""What a run of hostile input came to."""

from __future__ import annotations

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
    """

    inputs: int = 0
    fates: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0
    seconds: float = 0.0

    def timed(self, began: float) -> None:
        """Count an input that was begun at this `perf_counter`."""
        took = perf_counter() - began
        self.inputs += 1
        self.seconds += took
        self.slowest = max(self.slowest, took)

    def line(self, name: str) -> str:
        """One line for people."""
        fates = ", ".join(f"{fate} {count}" for fate, count in self.fates.most_common())
        return f"{name}: {self.inputs} in {self.seconds:.1f} s, slowest {1e3 * self.slowest:.1f} ms; {fates}"
