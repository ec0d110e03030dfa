# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Two things wrong at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .cases import Case

REFUSED = ("length_unit", "time_unit")  # logs that their reader refuses: nothing else is looked for in them


@dataclass(frozen=True)
class Pair:
    """Two faults of one machine, each a case of its own as well."""

    first: Case
    second: Case

    @property
    def machine(self) -> str:
        """Of both."""
        return self.first.machine

    @property
    def faults(self) -> tuple[str, str]:
        """As `pkm simulate --fault` takes them."""
        return self.first.fault, self.second.fault

    @property
    def key(self) -> str:
        """A file name."""
        return f"pair-{self.first.key}-{self.second.key.removeprefix(self.machine + '-')}"


def pairs_of(cases: Sequence[Case], count: int) -> list[Pair]:
    """As many pairs drawn from all cases: middle and large sizes, of two rows of one machine."""
    rng = np.random.default_rng(45)
    able = [case for case in cases if case.size > 0 and case.row not in REFUSED]
    found: dict[str, Pair] = {}
    for _ in range(50 * count):
        if len(found) == count or not able:
            break
        first = able[int(rng.integers(len(able)))]
        others = [case for case in able if case.machine == first.machine and case.row != first.row]
        if others:
            pair = Pair(first, others[int(rng.integers(len(others)))])
            found[pair.key] = pair
    return list(found.values())
