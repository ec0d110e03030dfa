# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a benchmark hands to the report."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .timing import Timing


@dataclass(frozen=True)
class Peer:
    """Another program's time for the same numbers; `note` says what its time includes."""

    name: str
    timing: Timing
    note: str = ""


@dataclass(frozen=True)
class Item:
    """One line of the table; times in s per operation.

    `agreement` says how closely the peers' numbers were found to be ours.
    """

    name: str
    ours: Timing
    budget: float | None = None
    peers: tuple[Peer, ...] = ()
    agreement: str = ""
    note: str = ""


@dataclass(frozen=True)
class Growth:
    """Median time in s of one call with so many samples."""

    name: str
    counts: tuple[int, ...]
    seconds: tuple[float, ...]


@dataclass(frozen=True)
class Shared:
    """A batch of so many samples on one thread and shared out among several: times in s per sample."""

    name: str
    samples: int
    threads: int
    one: Timing
    several: Timing

    @property
    def speed_up(self) -> tuple[float, float]:
        """Of the medians, and of the best rounds, in which nobody else was busy."""
        return self.one.median / self.several.median, self.one.best / self.several.best


@dataclass(frozen=True)
class Memory:
    """Resident memory of the process in MB after so many online steps, and the step's time in s around there."""

    steps: tuple[int, ...]
    resident: tuple[float, ...]
    seconds: tuple[float, ...]


@dataclass(frozen=True)
class Stream:
    """Nodes on real topics, fed for so many seconds at so many Hz.

    `missing` are samples sent of which no platform state arrived, `lost` what each node noticed itself. Latencies in
    s from the sending of a sample to the arrival of what was made from it, without the filter's constant delay:
    median, 99th percentile, largest. `cpu` in shares of one core, `memory` in MB at the end and its slope in MB per
    minute over the second half. `course` has the same over time: s, samples missing so far, median and 99th percentile
    of the estimates' latency in each interval; at `marks` (s) memory in MB and % of a core of each process.
    """

    name: str
    rate: float
    seconds: float
    sent: int
    accepted: int
    missing: int
    lost: dict[str, int]
    driver_lateness: tuple[float, float, float]
    state_latency: tuple[float, float, float]
    estimate_latency: tuple[float, float, float]
    estimates: int
    cpu: dict[str, float]
    memory: dict[str, float]
    memory_slope: dict[str, float]
    load: tuple[float, float]
    course: dict[str, Any] = field(default_factory=dict, repr=False)


@dataclass
class Findings:
    """Everything one run has measured."""

    items: list[Item] = field(default_factory=list)
    growth: list[Growth] = field(default_factory=list)
    shared: list[Shared] = field(default_factory=list)
    memory: list[Memory] = field(default_factory=list)
    streams: list[Stream] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Effort:
    """How much is measured.

    Rounds of short timings, runs of whole programs, samples of the long ones, seconds of each run on real topics, or
    minutes of one of them.
    """

    rounds: int
    programs: int
    online_steps: int
    largest: int
    poses: int
    stream_seconds: float
    soak_minutes: float = 0.0

    @classmethod
    def of(cls, quick: bool, soak_minutes: float = 0.0) -> Effort:
        if quick:
            return cls(15, 1, 40_000, 100_000, 20_000, 10.0, soak_minutes)
        return cls(41, 5, 200_000, 1_000_000, 100_000, 60.0, soak_minutes)


def closeness(found: np.ndarray, expected: np.ndarray) -> float:
    """Largest difference as a share of the largest number expected."""
    return float(np.abs(np.asarray(found) - expected).max() / np.abs(expected).max())


def agree(name: str, found: np.ndarray, expected: np.ndarray, tolerance: float) -> str:
    """Check that a peer computes the same numbers; text for the table.

    Raises
    ------
    AssertionError
        If it does not: then a comparison of times means nothing.
    """
    share = closeness(found, expected)
    if not share <= tolerance:
        raise AssertionError(f"{name} computes other numbers: off by {share:.1e} of the largest")
    return f"{name} {share:.0e}"
