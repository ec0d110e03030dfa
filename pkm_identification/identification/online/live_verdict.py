# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The newest minute of a stream, kept for the full model's verdict.

Samples are kept as they come, in a microsecond each. A verdict is worked out when it is asked for (`judge.Judge`), in
a second or two of another thread's or process's time. Whatever makes those samples another machine's (a load, other
friction) begins anew, so that drift which is followed is judged, too.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.machines.contract import Machine
from pkm_identification.motion import TrackedSample
from pkm_identification.numerics.arrays import FloatArray

from ..settings import Settings
from .judge import LEAST_S, Judge, Question
from .kept_samples import KeptSamples

KEPT_S = 60.0  # s of motion that are judged: what a log of that length says, in 30 MB at 1 kHz
SPARE_S = 1.0  # s of the oldest, which may be written over while they are read


class LiveVerdict:
    """Keeps the newest samples of a machine in motion, for a judge.

    Parameters
    ----------
    machine : Machine
    settings : Settings
        Of the stream.
    shapes : tuple of shapes
        Of the parts of the machine's state.

    Attributes
    ----------
    judge : Judge
        Of these samples.
    row : ndarray
        Where coordinates, rates, accelerations, forces and state of the next sample are to be copied.
    """

    def __init__(self, machine: Machine, settings: Settings, shapes: tuple[tuple[int, ...], ...]) -> None:
        width = 4 * len(machine.drives) + sum(int(np.prod(shape)) for shape in shapes)
        self._kept = KeptSamples(round((KEPT_S + SPARE_S) / settings.period), width)
        self._spare, self._least = round(SPARE_S / settings.period), round(LEAST_S / settings.period)
        self.judge = Judge(machine, settings, shapes, self._kept)
        self.row = self._kept.rows[0]
        self._count = self._first = self._changed = 0
        self._run, self._follows = (
            0,
            -1,
        )  # number of the uninterrupted run; segment of the sample before, -1: none

    def clear(self) -> None:
        """Forget the samples: what comes is not of the same machine."""
        self._first = self._changed = self._count  # rows stay as they are: somebody may be reading them

    def skip(self) -> None:
        """A sample is left out: what comes does not follow what was."""
        self._follows = -1

    def begin_anew(self) -> None:
        """What comes has other friction; what changes all the time is judged as it is."""
        if self._count - self._changed >= self._least:
            self._first, self._changed = self._changed, self._count

    @property
    def newest(self) -> float:
        """Stamp of the newest sample that is kept, s; minus infinity before the first."""
        return float(self._kept.time[(self._count - 1) % self._kept.capacity]) if self._count else -np.inf

    @property
    def share(self) -> float:
        """How many of the samples that a verdict needs there are; from 1 on there are enough."""
        return len(self._find_kept()) / self._least

    def note(self, sample: TrackedSample) -> None:
        """Keep the sample that is in `row`: it has a good motion and forces."""
        if sample.segment != self._follows:
            self._run, self._follows = self._run + 1, sample.segment
        self._kept.add(sample.time, self._run)
        self._count += 1
        self.row = self._kept.rows[self._count % self._kept.capacity]

    def ask(self, basis: FloatArray, rate_noise: FloatArray | None, recursion: ParameterEstimate) -> Question:
        """Return the question for the judge of what is kept now.

        Parameters
        ----------
        basis : ndarray, shape (B,)
            The present estimate.
        rate_noise : ndarray, shape (n,), or None
            What friction is to allow for in the samples' rates.
        recursion : ParameterEstimate
            The present estimate with the recursion's own deviations.
        """
        numbers = self._find_kept()
        return Question(numbers, basis, numbers.stop > self._changed, rate_noise, recursion)

    def _find_kept(self) -> range:
        """Return the numbers of the samples that are judged, without those that may be written over.

        They are those since friction changed or, as long as they are too few, those before.
        """
        oldest, begin, end = self._count - self._kept.capacity + self._spare, self._changed, self._count
        if end - begin < self._least and begin > self._first:
            begin, end = self._first, self._changed
        return range(max(oldest, begin), max(oldest, end))
