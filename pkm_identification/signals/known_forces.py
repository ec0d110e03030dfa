"""True forces from measured ones, where a machine file says how they differ: late, scaled, shifted.

measured(t) = gain true(t - delay) + offset, hence true(t) = (measured(t + delay) - offset) / gain. On the regular clock
behind the guard a delay is a whole number of samples and a rest; the rest is interpolated by a cubic through four
samples. Samples at the ends of a segment for which no force was measured in time are left out. This is the only place
where it is done: offline behind the guard (`identification.experiment`), online in the strut stage.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.mechanisms.hexapod.drive import KnownForces
from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.segments import segment_slices

from .guard import GuardedLog, GuardedSample

WHOLE = 1e-6  # of a period: a delay this near to whole samples is whole


@dataclass(frozen=True)
class ForceAlignment:
    """What makes true forces of measured ones at one sample period.

    Attributes
    ----------
    gain, offset : ndarray, shape (6,)
        Measured over true, and N.
    first : int
        The first sample a force is made of, relative to the sample it belongs to.
    weights : ndarray, shape (n,)
        Of the samples from there on.
    period : float
        s.
    """

    gain: FloatArray
    offset: FloatArray
    first: int
    weights: FloatArray
    period: float

    @classmethod
    def of(cls, known: KnownForces, period: float) -> ForceAlignment:
        """For a sample period in s."""
        late = known.delay / period
        whole = round(late)
        if abs(late - whole) < WHOLE:
            first, weights = whole, np.ones(1)
        else:
            before = int(np.floor(late))
            u = late - before
            first = before - 1
            weights = np.array(
                [
                    -u * (u - 1) * (u - 2) / 6,
                    (u + 1) * (u - 1) * (u - 2) / 2,
                    -(u + 1) * u * (u - 2) / 2,
                    (u + 1) * u * (u - 1) / 6,
                ]
            )
        return cls(np.array(known.gain), np.array(known.offset), first, weights, period)

    @property
    def last(self) -> int:
        """The last sample a force is made of, relative to the sample it belongs to."""
        return self.first + len(self.weights) - 1

    @property
    def delay(self) -> float:
        """s, from a sample to the arrival of the last one its force is made of."""
        return max(0, self.last) * self.period

    def true(self, measured: FloatArray) -> FloatArray:
        """Forces (..., 6) in N without gain and offset."""
        return (measured - self.offset) / self.gain

    def log(self, log: GuardedLog) -> GuardedLog:
        """A guarded log with true forces."""
        if log.force is None:
            return log
        rows, forces = [], []
        for part in segment_slices(log.segment):
            start, stop = part.start, part.stop
            chosen = np.arange(max(start, start - self.first), min(stop, stop - self.last))
            if len(chosen) == 0:
                continue
            rows.append(chosen)
            places = chosen[:, None] + np.arange(self.first, self.last + 1)
            forces.append(np.einsum("w,nws->ns", self.weights, log.force[places]))
        kept = np.concatenate(rows) if rows else np.zeros(0, dtype=np.int64)
        return replace(
            log,
            time=log.time[kept],
            length=log.length[kept],
            force=self.true(np.concatenate(forces)) if forces else np.empty((0, STRUTS)),
            segment=log.segment[kept],
            filled=log.filled[kept],
            imu=None if log.imu is None else log.imu[kept],
            sensor=None if log.sensor is None else log.sensor[kept],
        )


class ForceStream:
    """`ForceAlignment.log`, one guarded sample at a time.

    Parameters
    ----------
    alignment : ForceAlignment
    """

    def __init__(self, alignment: ForceAlignment) -> None:
        self._alignment = alignment
        self._window: deque[GuardedSample] = deque()
        # samples from the first that is needed to the last, and the one they make between them
        self._width = max(0, alignment.last) - min(0, alignment.first) + 1
        self._place = max(0, -alignment.first)
        self.reset()

    @property
    def delay(self) -> float:
        """s, from a sample to the one that completes its force."""
        return self._alignment.delay

    def reset(self) -> None:
        """Forget the samples seen."""
        self._window.clear()

    def step(self, sample: GuardedSample) -> GuardedSample | None:
        """Take a guarded sample; give the one whose force it completes, if any."""
        if sample.force is None:
            self._window.clear()
            return sample
        if self._window and self._window[-1].segment != sample.segment:
            self._window.clear()
        self._window.append(sample)
        if len(self._window) < self._width:
            return None
        window = list(self._window)
        self._window.popleft()
        alignment = self._alignment
        force = np.zeros(STRUTS)
        for n, weight in enumerate(alignment.weights):
            measured = window[self._place + alignment.first + n].force
            if measured is not None:
                force += weight * measured
        return replace(window[self._place], force=alignment.true(force))


def aligned(log: GuardedLog, known: KnownForces | None) -> GuardedLog:
    """A guarded log with true forces; the log itself where nothing is known."""
    return log if known is None else ForceAlignment.of(known, log.period).log(log)
