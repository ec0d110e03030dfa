# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Numbers that are those of another unit, recognised by their size."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence

import numpy as np

from pkm_identification.errors import LogError
from pkm_identification.machines.contract import Drive
from pkm_identification.motion import DriveLog
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.large_arrays import representative_rows

from .units import IN_WORDS, INCH

# Beyond its machine's limits by so much, a log is not of another pose but in another unit.
FAR = 10.0
# Of the largest limit: a log whose coordinates would be smaller in another unit is another machine's, since in a unit
# small enough any number lies within limits that begin at 0
LEAST_REACH = 0.05
# s between samples: no drive is so fast, no log of a motion so slow
SHORTEST_STEP, LONGEST_STEP = 1e-6, 0.9
WITHIN = (
    0.1  # of the samples: fewer within limits is a quantity of another kind, as many outside are its noise
)
# Counts of 100 ns since 1601, as Windows and TwinCAT have them, from 1990 to 2100
FILETIME = (1.2276e17, 1.5747e17)
SMALLER = (("mm", 1e-3), ("cm", 1e-2), ("um", 1e-6), ("in", INCH))
SMALLER_ANGLES = (("deg", math.pi / 180), ("mrad", 1e-3))


def refuse_implausible(log: DriveLog, drives: Sequence[Drive]) -> None:
    """Refuse a log whose stamps or coordinates can only be in another unit than s and the drives'.

    Parameters
    ----------
    log : DriveLog
    drives : sequence of Drive
        Their limits are what coordinates are held against.

    Raises
    ------
    LogError
        If so: names what was found, what was expected and the unit that would do.
    """
    _refuse_step(log.time, log.source)
    if log.force is not None and _are_exchanged(log.coordinate, log.force, drives):
        raise LogError(
            f"{log.source}: coordinates are outside the drives' limits, and forces are within them: the columns of "
            "coordinates and forces are exchanged; name them the other way round"
        )
    for drive, column in zip(drives, representative_rows(log.coordinate).T, strict=True):
        size, largest = _compute_median(np.abs(column)), max(abs(drive.lowest), abs(drive.highest))
        least = max(drive.lowest, 0.0)
        if np.isfinite(largest) and (size > FAR * largest or size < least / FAR):
            smaller = SMALLER if drive.unit == "m" else SMALLER_ANGLES
            reach = max(least, LEAST_REACH * largest)
            unit = next((unit for unit, factor in smaller if reach <= size * factor <= largest), "")
            expected = f"{drive.lowest:.4g} to {drive.highest:.4g} {drive.unit}"
            _refuse(log.source, f"{drive.name} is about {size:.4g} {drive.unit}", expected, unit)


def _are_exchanged(coordinate: FloatArray, force: FloatArray, drives: Sequence[Drive]) -> bool:
    """Return whether forces (N, n) could be the coordinates of all drives, and coordinates could not."""
    lowest, highest = (np.array([getattr(drive, end) for drive in drives]) for end in ("lowest", "highest"))
    if not np.all(np.isfinite(lowest) & np.isfinite(highest)):
        return False
    with np.errstate(invalid="ignore"):
        inside = [
            np.mean((rows >= lowest) & (rows <= highest), axis=0)
            for rows in (representative_rows(one) for one in (coordinate, force))
        ]
    return bool(np.any(inside[0] < WITHIN) and np.all(inside[1] > 1.0 - WITHIN))


def _refuse_step(time: FloatArray, source: str) -> None:
    step = _compute_median(np.diff(time))
    if step > LONGEST_STEP:
        unit = _find_fitting_unit(step)
        if FILETIME[0] < _compute_median(time) < FILETIME[1] and step < LONGEST_STEP / 1e-7:
            unit = "100ns"
        _refuse(source, f"samples are {step:.4g} s apart", "a fraction of a second", unit)
    if 0 < step < SHORTEST_STEP:
        _refuse(source, f"samples are {step:.3g} s apart", "a millisecond or so", "")


def _compute_median(values: FloatArray) -> float:
    """Median of what is finite; NaN of nothing."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        return float(np.nanmedian(np.where(np.isfinite(values), values, np.nan)))


def _find_fitting_unit(step: float) -> str:
    return next(
        (
            unit
            for unit, size in (("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9))
            if SHORTEST_STEP <= step * size <= 0.05
        ),
        "",
    )


def _refuse(source: str, what: str, expected: str, unit: str) -> None:
    hint = (
        f": in {IN_WORDS.get(unit, unit)}? give --units {unit}"
        if unit
        else "; give their unit with --units, or check that this is the machine's log"
    )
    hint += "; a count of samples? give --rate" if unit == "ms" else ""
    raise LogError(f"{source}: {what}, expected {expected}{hint}")
