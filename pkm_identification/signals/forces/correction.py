# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Corrections of a validated log that need neighbouring samples: of whole logs, and one sample at a time.

Offline they are applied behind input validation (`identification.experiment`), online in the strut stage, by the same
code. Offline input validation's period is the one that stamps have; online it is the stated one, and a stream of
corrections is informed when stamps show another (`CorrectionStream.follow`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

import numpy as np

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rows import segment_slices

from ..input_validation import ValidatedLog, ValidatedSample

FIRST_ROOM = 64  # rows


class RecentRows:
    """Rows of `width` numbers, appended at the end and dropped at the beginning.

    Parameters
    ----------
    width : int
    """

    def __init__(self, width: int) -> None:
        self._room = np.empty((FIRST_ROOM, width))
        self._begin = self._end = 0

    def __len__(self) -> int:
        return self._end - self._begin

    @property
    def rows(self) -> FloatArray:
        """The rows (n, width), oldest first, good until the next one is appended."""
        return self._room[self._begin : self._end]

    def append(self, row: FloatArray) -> None:
        """Append a row (width,)."""
        if self._end == len(self._room):
            kept = self.rows.copy()
            if 2 * len(kept) > len(self._room):
                self._room = np.empty((2 * len(self._room), self._room.shape[1]))
            self._begin, self._end = 0, len(kept)
            self._room[: len(kept)] = kept
        self._room[self._end] = row
        self._end += 1

    def drop(self, count: int) -> None:
        """Drop the oldest rows."""
        self._begin += min(count, len(self))

    def keep(self, most: int) -> None:
        """Drop the oldest rows but for so many of the newest."""
        self.drop(len(self) - min(most, len(self)))

    def clear(self) -> None:
        """Drop all rows."""
        self._begin = self._end = 0


SPARE = 2  # samples kept beyond twice what a correction needs before


class Correction(Protocol):
    """What makes true lengths and forces of measured ones."""

    @property
    def before(self) -> int:
        """Samples it needs before the one it corrects."""

    @property
    def after(self) -> int:
        """Samples it needs behind it."""

    @property
    def force_weights(self) -> FloatArray:
        """Weights (n, 6) of successive measured forces in a corrected one, as far as it is linear in them."""

    def at(self, period: float) -> Correction:
        """The same for samples that come at another period in s."""

    def correct(self, length: FloatArray, force: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Lengths in m and forces in N of an uninterrupted segment (n, 6): those that have their neighbours."""


class ForceStream(Protocol):
    """What corrects validated samples as they come: a `CorrectionStream`, or one that knows more of the machine."""

    @property
    def delay(self) -> float:
        """Seconds from a sample to the one that completes its correction, at the stated period."""

    def reset(self) -> None:
        """Forget the samples seen and their period."""

    def follow(self, period: float) -> None:
        """Take the samples that come from now on as `period` s apart."""

    def step(self, sample: ValidatedSample) -> list[ValidatedSample]:
        """Take a validated sample; give those whose neighbours it completes."""

    def warm_up(self) -> None:
        """Compile (or load from the cache) what it needs, and forget everything."""


def corrected_log(log: ValidatedLog, correction: Correction) -> ValidatedLog:
    """Return a validated log with a correction; samples at the ends of a segment that lack neighbours are left out."""
    if log.force is None:
        return log
    rows, lengths, forces = [], [], []
    for part in segment_slices(log.segment):
        chosen = np.arange(part.start + correction.before, part.stop - correction.after)
        if len(chosen) == 0:
            continue
        length, force = correction.correct(log.length[part], log.force[part])
        rows.append(chosen)
        lengths.append(length)
        forces.append(force)
    kept = np.concatenate(rows) if rows else np.zeros(0, dtype=np.int64)
    empty = np.empty((0, log.length.shape[1]))
    return replace(
        log,
        time=log.time[kept],
        coordinate=np.concatenate(lengths) if rows else empty,
        force=np.concatenate(forces) if rows else empty,
        segment=log.segment[kept],
        filled=log.filled[kept],
        imu=None if log.imu is None else log.imu[kept],
        sensor=None if log.sensor is None else log.sensor[kept],
    )


class CorrectionStream:
    """`corrected_log`, one validated sample at a time.

    Where a change of the period makes a correction need more samples, the next waits for them; where it needs fewer,
    what was waiting comes at once. None is lost and none comes twice.

    Parameters
    ----------
    correction : Correction
    period : float
        s, that the correction was made for.
    """

    def __init__(self, correction: Correction, period: float) -> None:
        self._initial, self._initial_period = correction, period
        self.reset()

    def reset(self) -> None:
        """Forget the samples seen and their period."""
        self._window: list[ValidatedSample] = []
        drives = self._initial.force_weights.shape[1]
        self._coordinate, self._force = RecentRows(drives), RecentRows(drives)
        self._correction, self._period = self._initial, self._initial_period
        self._begin()

    def _begin(self) -> None:
        self._window.clear()
        self._coordinate.clear()
        self._force.clear()
        self._turn = self._correction.before

    @property
    def delay(self) -> float:
        """Seconds from a sample to the one that completes its correction, at the stated period."""
        return self._correction.after * self._initial_period

    def warm_up(self) -> None:
        """See `ForceStream`; nothing of it is compiled."""
        self.reset()

    def follow(self, period: float) -> None:
        """Take the samples that come from now on as `period` s apart."""
        if period == self._period:
            return
        self._period = period
        self._correction = self._initial if period == self._initial_period else self._initial.at(period)
        self._turn = max(self._turn, self._correction.before) if self._window else self._correction.before

    def step(self, sample: ValidatedSample) -> list[ValidatedSample]:
        """Take a validated sample; give those whose neighbours it completes: mostly one."""
        if sample.force is None:
            self._begin()
            return [sample]
        if self._window and self._window[-1].segment != sample.segment:
            self._begin()
        self._window.append(sample)
        self._coordinate.append(sample.coordinate)
        self._force.append(sample.force)
        completed = []
        while len(self._window) > self._turn + self._correction.after:
            completed.append(self._corrected_in_turn())
        return completed

    def _corrected_in_turn(self) -> ValidatedSample:
        correction, turn = self._correction, self._turn
        near = slice(turn - correction.before, turn + correction.after + 1)
        true_coordinate, true_force = correction.correct(self._coordinate.rows[near], self._force.rows[near])
        in_turn = self._window[turn]
        self._turn += 1
        # at another period it may need more before
        unneeded = max(0, self._turn - 2 * correction.before - SPARE)
        del self._window[:unneeded]
        self._coordinate.drop(unneeded)
        self._force.drop(unneeded)
        self._turn -= unneeded
        return in_turn._replace(coordinate=true_coordinate[0], force=true_force[0])
