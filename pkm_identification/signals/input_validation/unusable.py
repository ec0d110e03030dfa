# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Logs that nothing can be learned from, whatever the machine: rows out of order, forces that are none."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from pkm_identification.errors import LogError
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.large_arrays import representative_rows, row_blocks

# Of the steps: a log with a straggler after every third sample is one of stragglers, which are dropped.
MOST_FALLING = 0.25
LEAST_WRAP = 0.8  # s, by which stamps fall that begin anew each second; some of the last may be missing
FEWEST_LENGTHS = 20  # different ones, of struts that move
# Magnitudes: part of the samples in which a force is exactly 0 where its drive rests
FEWEST_ZEROS = 0.1
# and of its largest (99th percentile), what a force that changes sign falls below when its sign is left out. A force
# that never changes sign by itself comes so near to 0 in one strut by chance, hardly in two.
NEAR_ZERO = 0.01
FEWEST_NEAR = 2  # struts
MOVES_ALIKE = 1e-6  # of their way: drives of a machine that is its own mirror image may move, and push, alike
FEWEST_LEVELS = (
    20  # different values of a force; a sensor with larger steps does not tell a small force from none
)


def refuse_unsorted(time: FloatArray, source: str) -> None:
    """Refuse a log whose stamps (N,) in s are in no order; single stragglers and a clock set back are."""
    falling = sum(
        int(np.count_nonzero(np.diff(time[block.start : block.stop + 1]) < 0))
        for block in row_blocks(len(time))
    )
    if falling > MOST_FALLING * len(time):
        raise LogError(
            f"{source}: the rows are not in the order of time: t falls from one row to the next {falling} times in "
            f"{len(time)} rows; sort the rows by t"
        )


def refuse_wrapped_seconds(time: FloatArray, source: str) -> None:
    """Refuse a log whose stamps (N,) in s are the parts of seconds alone, and begin anew with each."""
    finite = time[np.isfinite(time)]
    steps = np.diff(finite)
    falls = steps[steps < 0.0]
    if len(falls) and finite.min() >= 0.0 and finite.max() < 1.0 and -falls.max() > LEAST_WRAP:
        raise LogError(
            f"{source}: t falls by {-np.median(falls):.3g} s {len(falls)} times and is never more than 1 s: these are "
            "the nanoseconds of stamps without their seconds; give t as seconds + 1e-9 * nanoseconds"
        )


def refuse_copies(coordinate: FloatArray, source: str, what: str = "lengths", who: str = "strut") -> None:
    """Refuse a log whose coordinates (N, n), n > 1, are all the same that moves."""
    if are_copies(coordinate):
        raise LogError(
            f"{source}: the {what} of all {coordinate.shape[1]} {who}s are the same in every sample: copies of one; "
            f"give the column of each {who}"
        )


def are_copies(coordinate: FloatArray) -> bool:
    """Return whether coordinates (N, n), n > 1, are all the same that moves."""
    first = coordinate[:, 0]
    several = len(np.unique(representative_rows(first))) >= FEWEST_LENGTHS
    others = range(1, coordinate.shape[1])
    return (
        several
        and len(others) > 0
        and all(np.array_equal(first, coordinate[:, i], equal_nan=True) for i in others)
    )


def find_copied_forces(force: FloatArray, coordinate: FloatArray) -> tuple[int, int] | None:
    """Return two drives whose forces (N, n) are the same in every sample, though they do not move alike; else None."""
    for one, other in combinations(range(force.shape[1]), 2):
        if not np.array_equal(force[:, one], force[:, other], equal_nan=True):
            continue
        moved = coordinate[:, [one, other]] - coordinate[:1, [one, other]]
        apart = np.nanmax(np.abs(moved[:, 0] - moved[:, 1]), initial=0.0)
        several = len(np.unique(representative_rows(force[:, one]))) >= FEWEST_LEVELS
        if several and apart > MOVES_ALIKE * np.nanmax(np.abs(moved), initial=0.0):
            return one, other
    return None


def refuse_zero_forces(force: FloatArray | None, source: str) -> None:
    """Refuse a log whose forces (N, n) are all 0."""
    if force is None or not len(force):
        return
    largest = max(float(np.nanmax(np.abs(force[block]), initial=0.0)) for block in row_blocks(len(force)))
    if largest == 0.0:
        raise LogError(
            f"{source}: all forces are 0: no efforts were recorded, or the drives were off; record measured forces, "
            "torques or currents (a fall of a hexapod with drives off goes with --free-fall)"
        )


def refuse_unsigned_forces(force: FloatArray | None, source: str, unit: str = "N") -> None:
    """Refuse a log whose forces (N, n) are magnitudes: none changes its sign, but they are 0 at rest, or come near 0.

    Forces that push all of the time, as under a heavy load, stay away from 0.

    Parameters
    ----------
    force : ndarray, shape (N, n), or None
        Of rows that are used, finite.
    source : str
    unit : str
    """
    if force is None or not len(force):
        return
    low, high = force.min(axis=0), force.max(axis=0)
    if np.any((low < 0.0) & (high > 0.0)):
        return
    size = np.abs(representative_rows(force))
    zeros, top, smallest = np.mean(size == 0.0, axis=0), np.percentile(size, 99.0, axis=0), size.min(axis=0)
    # a force that the sensor's steps make 0 is none that is 0; nor is one of a channel that is dead
    fine = np.array([len(np.unique(column)) >= FEWEST_LEVELS for column in size.T])
    needed = min(FEWEST_NEAR, force.shape[1])
    at_rest = fine & (zeros >= FEWEST_ZEROS)
    near = fine & (smallest <= NEAR_ZERO * top)
    if np.count_nonzero(at_rest) >= needed:
        found = f"it is 0 in {100 * zeros[at_rest].min():.0f} to {100 * zeros[at_rest].max():.0f} % of the samples"
    elif np.count_nonzero(near) >= needed:
        found = f"that of {np.count_nonzero(near)} drives comes to {smallest[near].max():.3g} {unit} and turns back"
    else:
        return
    raise LogError(
        f"{source}: forces are unsigned: no force changes its sign, but {found}; magnitudes were recorded, and "
        "identification needs forces with their sign"
    )
