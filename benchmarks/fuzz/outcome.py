# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

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
