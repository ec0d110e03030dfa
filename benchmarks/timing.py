# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How times are taken: all candidates in turn, many rounds, medians."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np


@dataclass(frozen=True)
class Case:
    """Something to time: `run` does `count` operations of the kind that is compared."""

    name: str
    run: Callable[[], object]
    count: int = 1


@dataclass(frozen=True)
class Timing:
    """Seconds per operation over the rounds: median, quartiles and the best round."""

    median: float
    low: float
    high: float
    best: float
    rounds: int

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Timing:
        low, median, high = np.percentile(seconds, [25.0, 50.0, 75.0])
        return cls(float(median), float(low), float(high), float(np.min(seconds)), len(seconds))


def interleaved(
    cases: Sequence[Case], rounds: int, clock: Callable[[], float] = perf_counter
) -> dict[str, Timing]:
    """Time the cases in turn, `rounds` times each, after one round that does not count.

    On a machine that others use too, what disturbs one candidate disturbs its neighbours alike. The garbage collector
    is off meanwhile, as in `timeit`. The clock is that of the wall, if no other is asked for.
    """
    taken: dict[str, list[float]] = {case.name: [] for case in cases}
    for case in cases:
        case.run()
    collecting = gc.isenabled()
    gc.disable()
    try:
        for _ in range(rounds):
            for case in cases:
                start = clock()
                case.run()
                taken[case.name].append((clock() - start) / case.count)
    finally:
        if collecting:
            gc.enable()
    return {name: Timing.of(seconds) for name, seconds in taken.items()}
