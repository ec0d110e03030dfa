# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Values that stay for several samples: of a drive that is asked more often than it has something new to say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pkm_identification.numerics.arrays import FloatArray

# A change by so many times the smallest step of a channel, after it stayed: no moving thing does that by itself, but an
# encoder with coarse counts changes by one count after it stayed.
LEAST_CHANGE = 3.0
FEWEST_CHANGES = 30  # of that size, in what is looked at
# Of those changes: most that may come from one sample to the next, and fewest that must come as often as most do. Where
# nothing is held practically all come from one sample to the next.
MOST_AT_ONCE, FEWEST_REGULAR = 0.2, 0.8
ROUNDING = 1e-9  # of a channel's largest value: smaller steps are those of numbers, not of a sensor


@dataclass(frozen=True)
class Hold:
    """Values that change every `samples` samples (2.5 where it is two and three in turn) in columns `columns`."""

    samples: float
    columns: slice

    @property
    def words(self) -> str:
        """How often values change, for a message."""
        nearest = round(self.samples)
        if abs(self.samples - nearest) > 0.05:
            return f"every {self.samples:.3g} samples"
        return f"every {nearest}{ {2: 'nd', 3: 'rd'}.get(nearest, 'th') } sample"


def find_hold(
    segments: Sequence[FloatArray], groups: Sequence[slice], count: FloatArray | float = 0.0
) -> Hold | None:
    """Return how values are held, of segments (N, n) of successive samples; None where they are not.

    Parameters
    ----------
    segments : sequence of ndarray, shape (N, n)
        Finite.
    groups : sequence of slice
        Columns that are read together, as all lengths and all forces; that which changes least often counts.
    count : ndarray, shape (n,), or float
        Resolution of the first group's columns in their units; 0 where it is not known.
    """
    held = [
        Hold(_count_held_samples([part[:, columns] for part in segments], 0.0 if number else count), columns)
        for number, columns in enumerate(groups)
    ]
    slowest = max(held, key=lambda one: one.samples)
    if slowest.samples == 1.0:
        return None
    together = all(abs(one.samples - slowest.samples) < 0.5 for one in held)
    return Hold(slowest.samples, slice(None)) if together else slowest


def _count_held_samples(segments: Sequence[FloatArray], count: FloatArray | float) -> float:
    """Return for how many samples the values of segments (N, n) stay; 1 where they are not held."""
    changes = [np.abs(np.diff(part, axis=0)) for part in segments]
    largest = np.max([np.abs(part).max(axis=0, initial=0.0) for part in segments], axis=0)
    smallest = np.full(len(largest), np.inf)
    for change in changes:
        seen = np.where(change > ROUNDING * largest, change, np.inf)
        smallest = np.minimum(smallest, seen.min(axis=0, initial=np.inf))
    limit = LEAST_CHANGE * np.maximum(smallest, count)
    between = []
    for change in changes:
        rows = np.flatnonzero(change.any(axis=1))
        evident = (change[rows] >= limit).any(axis=1)
        between.append(np.diff(rows)[evident[1:]])
    distance = np.concatenate(between)
    if len(distance) < FEWEST_CHANGES or np.mean(distance == 1) > MOST_AT_ONCE:
        return 1.0
    usual = float(np.median(distance))
    regular = np.abs(distance - usual) <= 1.0
    return float(np.mean(distance[regular])) if np.mean(regular) >= FEWEST_REGULAR else 1.0


def choose_new_rows(values: FloatArray, hold: Hold) -> NDArray[np.int64]:
    """Return the rows of values (N, n) that are new: those that change, and where nothing does, as often as they do."""
    held = values[:, hold.columns]
    changed = np.flatnonzero((held[1:] != held[:-1]).any(axis=1)) + 1
    if not len(changed):
        return np.arange(len(values))
    # values that stay longer have come again and are the same
    times = np.maximum(
        np.rint(np.diff(changed, append=len(values) + hold.samples / 2) / hold.samples), 1
    ).astype(int)
    index = np.arange(times.sum()) - np.repeat(np.cumsum(times) - times, times)
    later = np.repeat(changed, times) + np.rint(index * hold.samples).astype(int)
    earlier = np.arange(changed[0], -0.5, -hold.samples).astype(int)
    rows = np.unique(np.concatenate([earlier, later]))
    return rows[rows < len(values)]
