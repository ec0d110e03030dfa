# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""From what is true in the machine to what its log says: encoders that err, late currents, wrong columns and units."""

from __future__ import annotations

from collections import deque
from dataclasses import replace

import numpy as np

from pkm_identification.mechanisms.hexapod.drive import LONGEST_DELAY
from pkm_identification.numerics.arrays import FloatArray

from ..actuators import DriveConstants
from ..sensors import Sample
from .setup import EncoderErrors, ForceErrors, RecordErrors

MEMORY = 4 * LONGEST_DELAY  # s
SAME_INSTANT = 1e-9  # s, what sums of periods may be off


class Encoders:
    """What encoders show of true lengths.

    Parameters
    ----------
    errors : EncoderErrors
    drive : DriveConstants
        Its `length_at_zero` is where a wrong pitch shows nothing.
    half_time : float or None
        s, when counts are lost that have no time of their own.
    """

    def __init__(self, errors: EncoderErrors, drive: DriveConstants, half_time: float | None) -> None:
        self._errors = errors
        self._zero = drive.length_at_zero
        self._lost = [
            (lost.strut, lost.size, half_time if lost.time is None else lost.time) for lost in errors.lost
        ]
        self.right = bool(np.all(errors.scale == 1.0) and not np.any(errors.offset))
        """Whether zero and pitch are right."""
        self.reset()

    def reset(self) -> None:
        """Back to the start: nothing is stuck yet."""
        self._reached: dict[int, float] = {}

    def shown(self, length: FloatArray, time: float) -> FloatArray:
        """Lengths (n,) as the encoders show them at `time` (s), before rounding to counts."""
        if not self.right:
            length = self._zero + self._errors.scale * (length - self._zero) + self._errors.offset
        for strut, size, instant in self._lost:
            if instant is not None and time >= instant - SAME_INSTANT:
                length = np.array(length)
                length[strut] += size
        for k, wrong in enumerate(self._errors.wrong):
            if time >= wrong.time - SAME_INSTANT:
                length = np.array(length)
                reached = self._reached.setdefault(k, float(length[wrong.strut]))
                length[wrong.strut] = reached + wrong.share * (length[wrong.strut] - reached)
        return length

    def true(self, shown: FloatArray) -> FloatArray:
        """Lengths (n,) at which zero and pitch make the encoders show these."""
        if self.right:
            return shown
        return self._zero + (shown - self._errors.offset - self._zero) / self._errors.scale


class Currents:
    """What current sensors show of true forces, late and wrong.

    A force that is early is one whose lengths are late: all lengths then are, in the log, by the largest such time.

    Parameters
    ----------
    errors : ForceErrors
    """

    def __init__(self, errors: ForceErrors) -> None:
        self._errors = errors
        self.lengths_late = max(0.0, -float(errors.delay.min()))
        """s, by which the lengths of a log come late so that forces can be early."""
        self._delay = errors.delay + self.lengths_late
        self._scaled = bool(np.any(errors.gain != 1.0) or np.any(errors.offset))
        self._past: deque[tuple[float, FloatArray, FloatArray, FloatArray]] = deque()
        self.late = bool(np.any(self._delay)) or self.lengths_late > 0.0
        """Whether anything is late."""

    def measure(self, force: FloatArray) -> FloatArray:
        """Return what a true force (n,) is measured as, delays apart."""
        return self._errors.gain * force + self._errors.offset if self._scaled else force

    def true(self, measured: FloatArray) -> FloatArray:
        """Return the true force (n,) where the drives see `measured`: their current loops control what they measure."""
        return (measured - self._errors.offset) / self._errors.gain if self._scaled else measured

    def note(self, time: float, force: FloatArray, length: FloatArray, rate: FloatArray) -> None:
        """Keep true forces (N), lengths (m) and rates, each (n,), of one instant (s), for those that are late."""
        if not self.late:
            return
        while self._past and self._past[-1][0] >= time:
            self._past.pop()
        self._past.append((time, force, length, rate))
        while self._past[0][0] < time - MEMORY:
            self._past.popleft()

    def force(self, time: float, present: FloatArray) -> FloatArray:
        """Return forces (n,) as measured at `time` (s); forces go linearly from one instant to the next."""
        if not self.late:
            return self.measure(present)
        late = np.array([self._between(time - self._delay[i])[0][i] for i in range(len(self._delay))])
        return self.measure(late)

    def length(self, time: float, present: FloatArray) -> FloatArray:
        """True lengths (n,) that a log shows at `time` (s)."""
        return self._between(time - self.lengths_late)[1] if self.lengths_late else present

    def _between(self, time: float) -> tuple[FloatArray, FloatArray]:
        """Return forces (linear) and lengths (cubic) at one instant; before the first, those of the first."""
        after = len(self._past) - 1
        while after > 0 and self._past[after - 1][0] >= time:
            after -= 1
        t1, force_1, length_1, rate_1 = self._past[after]
        if after == 0 or time >= t1:
            return force_1, length_1
        t0, force_0, length_0, rate_0 = self._past[after - 1]
        span = t1 - t0
        u = (time - t0) / span
        length = (
            (1 + 2 * u) * (1 - u) ** 2 * length_0
            + u * (1 - u) ** 2 * span * rate_0
            + u * u * (3 - 2 * u) * length_1
            + u * u * (u - 1) * span * rate_1
        )
        return force_0 + u * (force_1 - force_0), length


class Record:
    """What a log makes of a sample: clipped, reversed, in other columns, in other units.

    Parameters
    ----------
    errors : RecordErrors
    drive : DriveConstants
    """

    def __init__(self, errors: RecordErrors, drive: DriveConstants) -> None:
        self._errors = errors
        self._drive = drive
        straight = tuple(range(len(errors.force_order)))
        self._right = (
            np.all(np.isinf(errors.force_limit))
            and np.all(errors.force_sign == 1.0)
            and (errors.force_order, errors.length_order) == (straight, straight)
            and (errors.force_unit, errors.length_unit, errors.time_unit) == (1.0, 1.0, 1.0)
        )

    def of(self, sample: Sample) -> Sample:
        """Return the sample as recorded."""
        if self._right:
            return sample
        errors, drive = self._errors, self._drive
        force = errors.force_sign * np.clip(sample.force, -errors.force_limit, errors.force_limit)
        force = force[list(errors.force_order)] / errors.force_unit
        length = sample.length[list(errors.length_order)] / errors.length_unit
        return replace(
            sample,
            time=sample.time / errors.time_unit,
            counts=(length - drive.length_at_zero) * drive.counts_per_meter,
            current=force / drive.force_per_ampere,
            length=length,
            force=force,
        )
