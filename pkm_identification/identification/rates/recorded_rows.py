# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The rows of a log that are samples: without rows of a second publisher and repeats of values that are held."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from pkm_identification.errors import LogError
from pkm_identification.machines.contract import Machine
from pkm_identification.motion import DriveLog
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.large_arrays import chosen_rows, row_blocks
from pkm_identification.signals.input_validation.held_values import choose_new_rows, find_hold
from pkm_identification.signals.input_validation.unusable import refuse_unsorted
from pkm_identification.signals.rate import RATE_ERROR

EXTRA = "extra"  # the fault of a row between two of the regular clock
# Periods from the row before to the row after one that is extra, and from the row before to it; on a regular clock
# these are two and one.
ACROSS, BEFORE = 1.25, 0.75
LOOKED_AT, SEGMENTS = 200_000, 10  # rows that are looked at, and stretches of a longer log they are from
STEADY_STEPS = 0.1  # periods: where steps differ by more (median), stamps do not tell which row is extra


@dataclass(frozen=True)
class PreparedLog:
    """A log of samples alone.

    Attributes
    ----------
    log : DriveLog
    faults : dict of str to int
        Rows left out, by reason.
    hold : float
        Samples of the drive in one of the log; 1 unless values were held.
    warnings : tuple of str
    """

    log: DriveLog
    faults: dict[str, int] = field(default_factory=dict)
    hold: float = 1.0
    warnings: tuple[str, ...] = ()


def prepare_log(log: DriveLog, machine: Machine) -> PreparedLog:
    """Return a log without extra rows and repeats; what is not finite or outside the limits is left for validation.

    Raises
    ------
    LogError
        If its rows are in no order of time, or it is of another number of drives.
    """
    count, drives = log.coordinate.shape[1], len(machine.drives)
    if count != drives:
        raise LogError(f"{log.source}: a log of {count} drives; '{machine.name}' has {drives}")
    refuse_unsorted(log.time, log.source)
    plain = _mark_plain_rows(log, machine)
    faults: dict[str, int] = {}
    segments = find_segments(plain)
    extra = _mark_extra_rows(log.time, plain, segments, machine)
    if extra is not None:
        faults[EXTRA] = int(np.count_nonzero(extra))
        log, plain = _select_rows(log, ~extra), plain[~extra]
        segments = find_segments(plain)
    groups = [slice(0, drives)] if log.force is None else [slice(0, drives), slice(drives, 2 * drives)]
    steps = np.array([drive.resolution for drive in machine.drives])
    hold = find_hold([_read_values(log, rows) for rows in segments], groups, steps)
    if hold is None:
        return PreparedLog(log, faults)
    rows = np.flatnonzero(plain)
    new = ~plain
    new[rows[choose_new_rows(_read_values(log, rows), hold)]] = True
    warning = f"{log.source}: values change {hold.words}: the {np.count_nonzero(~new)} repeated values in between are "
    "not used"
    return PreparedLog(_select_rows(log, new), faults, hold.samples, (warning,))


def _read_values(log: DriveLog, rows: NDArray[np.int64]) -> FloatArray:
    """Return coordinates, and forces where there are any, of some rows."""
    if log.force is None:
        return log.coordinate[rows]
    return np.hstack([log.coordinate[rows], log.force[rows]])


def find_segments(plain: NDArray[np.bool_]) -> list[NDArray[np.int64]]:
    """Return the numbers of plain rows: all, or of a long log those of segments spread over it."""
    if len(plain) <= LOOKED_AT:
        return [np.flatnonzero(plain)]
    size = LOOKED_AT // SEGMENTS
    starts = np.linspace(0, len(plain) - size, SEGMENTS).astype(int)
    return [start + np.flatnonzero(plain[start : start + size]) for start in starts]


def _select_rows(log: DriveLog, kept: NDArray[np.bool_]) -> DriveLog:
    """Return the marked rows of a log; of a large one, in large arrays."""

    def rows_of(column: FloatArray | None) -> FloatArray | None:
        return None if column is None else chosen_rows(column, kept)

    return replace(
        log,
        time=chosen_rows(log.time, kept),
        coordinate=chosen_rows(log.coordinate, kept),
        force=rows_of(log.force),
        imu=rows_of(log.imu),
        sensor=rows_of(log.sensor),
    )


def _mark_plain_rows(log: DriveLog, machine: Machine) -> NDArray[np.bool_]:
    """Return a mask (N,) of the rows that are finite, inside the limits and later than the row before them."""
    low, high = (np.array([getattr(drive, end) for drive in machine.drives]) for end in ("lowest", "highest"))
    plain = np.zeros(len(log), dtype=bool)
    last = np.inf
    for block in row_blocks(len(log)):
        position = log.coordinate[block]
        good = np.isfinite(log.time[block]) & ((position >= low) & (position <= high)).all(axis=1)
        if log.force is not None:
            good &= np.isfinite(log.force[block]).all(axis=1)
        rows = np.flatnonzero(good)
        stamps = log.time[block][rows]
        good[rows[np.diff(stamps, prepend=stamps[:1] - 1.0 if last == np.inf else last) <= 0.0]] = False
        last = stamps[-1] if len(stamps) else last
        plain[block] = good
    return plain


def _mark_extra_rows(
    time: FloatArray, plain: NDArray[np.bool_], segments: Sequence[NDArray[np.int64]], machine: Machine
) -> NDArray[np.bool_] | None:
    """Return a mask (N,) of the plain rows that come between two rows of the regular clock; None if there is none."""
    steps = np.concatenate([np.diff(time[rows]) for rows in segments])
    if not len(steps):
        return None
    period = float(np.median(steps))
    if machine.sample_rate is not None and abs(period * machine.sample_rate - 1.0) < RATE_ERROR:
        period = 1.0 / machine.sample_rate
    if np.median(np.abs(steps - period)) > STEADY_STEPS * period:
        return None
    extra = _mark_extra(time, plain, ACROSS * period, BEFORE * period)
    return extra if extra.any() else None


@kernel
def _mark_extra(time, plain, across, before):
    """Mark plain stamps (N,) at most `before` s after the last one kept, with the next one `across` s after it."""
    extra = np.zeros(time.shape[0], dtype=np.bool_)
    last, known = 0.0, False
    waiting = -1  # the row that is extra if the next plain one is near enough
    for n in range(time.shape[0]):
        if not plain[n]:
            continue
        if waiting >= 0:
            if 0.0 < time[n] - last <= across:
                extra[waiting] = True
            else:
                last = time[waiting]
            waiting = -1
        if known and 0.0 < time[n] - last <= before:
            waiting = n
        else:
            last, known = time[n], True
    return extra
