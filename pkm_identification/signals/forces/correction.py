"""Corrections of a guarded log that need neighbouring samples: of whole logs, and one sample at a time.

Offline they are applied behind the guard (`identification.experiment`), online in the strut stage, by the same code.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import Protocol

import numpy as np

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.segments import segment_slices

from ..guard import GuardedLog, GuardedSample


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

    def corrected(self, length: FloatArray, force: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Lengths in m and forces in N of an uninterrupted stretch (n, 6): those that have their neighbours."""


def corrected_log(log: GuardedLog, correction: Correction) -> GuardedLog:
    """A guarded log with a correction; samples at the ends of a segment that lack neighbours are left out."""
    if log.force is None:
        return log
    rows, lengths, forces = [], [], []
    for part in segment_slices(log.segment):
        chosen = np.arange(part.start + correction.before, part.stop - correction.after)
        if len(chosen) == 0:
            continue
        length, force = correction.corrected(log.length[part], log.force[part])
        rows.append(chosen)
        lengths.append(length)
        forces.append(force)
    kept = np.concatenate(rows) if rows else np.zeros(0, dtype=np.int64)
    empty = np.empty((0, log.length.shape[1]))
    return replace(
        log,
        time=log.time[kept],
        length=np.concatenate(lengths) if rows else empty,
        force=np.concatenate(forces) if rows else empty,
        segment=log.segment[kept],
        filled=log.filled[kept],
        imu=None if log.imu is None else log.imu[kept],
        sensor=None if log.sensor is None else log.sensor[kept],
    )


class CorrectionStream:
    """`corrected_log`, one guarded sample at a time.

    Parameters
    ----------
    correction : Correction
    period : float
        s.
    """

    def __init__(self, correction: Correction, period: float) -> None:
        self._correction = correction
        self._width = correction.before + correction.after + 1
        self._window: deque[GuardedSample] = deque(maxlen=self._width)
        self.delay = correction.after * period
        """s, from a sample to the one that completes its correction."""

    def reset(self) -> None:
        """Forget the samples seen."""
        self._window.clear()

    def step(self, sample: GuardedSample) -> GuardedSample | None:
        """Take a guarded sample; give the one whose neighbours it completes, if any."""
        if sample.force is None:
            self._window.clear()
            return sample
        if self._window and self._window[-1].segment != sample.segment:
            self._window.clear()
        self._window.append(sample)
        if len(self._window) < self._width:
            return None
        length = np.array([each.length for each in self._window])
        force = np.array([each.force for each in self._window], dtype=float)
        true_length, true_force = self._correction.corrected(length, force)
        return replace(self._window[self._correction.before], length=true_length[0], force=true_force[0])
