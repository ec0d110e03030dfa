# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The newest minute of a stream, and what the full model says of it: the verdict of `pkm identify` of the same samples.

Samples are kept as they come, in a microsecond each. A verdict is worked out when it is asked for, in a second or two
of another thread's time. Whatever makes those samples another machine's (a load, other friction) begins anew, so that
drift which is followed is judged, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.estimation.identifiability import COMBINATION, IDENTIFIABLE, IN_DOUBT
from pkm_identification.estimation.posterior.answer import Answer
from pkm_identification.estimation.posterior.status import CONTRADICTS
from pkm_identification.machines.contract import OK, Machine, Motion
from pkm_identification.machines.motions import split_states
from pkm_identification.motion import TrackedSample
from pkm_identification.numerics.arrays import FloatArray, contiguous

from ..diagnosis.findings import Diagnosis
from ..experiment import Experiment
from ..full_model.assessment import compute_fit_residual, judge_experiment
from ..full_model.stream_floor import measure_stream_floor
from ..samples import Samples
from ..settings import Settings

KEPT_S = 60.0  # s of motion that are judged: what a log of that length says, in 30 MB at 1 kHz
SPARE_S = 1.0  # s of the oldest, which may be written over while they are read
LEAST_S = 15.0  # s: deviations need 12 blocks of a second, and filters settle


@dataclass(frozen=True, eq=False)
class StreamVerdict:
    """What the full model says of the newest minute of a stream.

    Attributes
    ----------
    answer : Answer
    fit : Diagnosis
        Whether the model, with the stream's estimate, fits, and why not.
    time : float
        Stamp of the newest sample judged, s.
    """

    answer: Answer
    fit: Diagnosis
    time: float

    @property
    def good(self) -> bool:
        """Whether the estimate may be used."""
        return self.answer.verdict.good


def give_total_deviations(estimate: ParameterEstimate, answer: Answer) -> ParameterEstimate:
    """Return a stream's estimate with the total deviations of an answer, of values that have the same name in both.

    A value that is further from the answer's than its deviation has the distance beyond that in its own: the answer
    allows for effects of the machine that a recursion does not estimate.

    What rests on the file is known in combinations only; what contradicts it is in doubt, and everything is where the
    answer is not to be used.
    """
    if not answer.verdict.good:
        estimate = estimate.mark_doubtful()
    rows = {one.name: one for one in answer.values}
    std, status, covariance = estimate.std.copy(), list(estimate.status), estimate.covariance.copy()
    for k, name in enumerate(estimate.names):
        one = rows.get(name)
        if one is not None:
            beyond = max(abs(float(estimate.values[k]) - one.value) - one.std, 0.0)
            total = max(float(std[k]), float(np.hypot(one.std, beyond)))
            covariance[k, k] += total**2 - std[k] ** 2
            std[k] = total
        if one is not None and status[k] == IDENTIFIABLE and not one.usable:
            status[k] = IN_DOUBT if one.status == CONTRADICTS else COMBINATION
    return replace(estimate, std=std, status=tuple(status), covariance=covariance)


class LiveVerdict:
    """Keeps the newest samples of a machine in motion, and judges them.

    Parameters
    ----------
    machine : Machine
    settings : Settings
        Of the stream.
    shapes : tuple of shapes
        Of the parts of the machine's state.

    Attributes
    ----------
    row : ndarray
        Where coordinates, rates, accelerations, forces and state of the next sample are to be copied.
    """

    def __init__(self, machine: Machine, settings: Settings, shapes: tuple[tuple[int, ...], ...]) -> None:
        self._machine, self._shapes, self._settings = machine, shapes, settings
        self._drives = len(machine.drives)
        self._capacity = round((KEPT_S + SPARE_S) / settings.period)
        self._spare = round(SPARE_S / settings.period)
        width = 4 * self._drives + sum(int(np.prod(shape)) for shape in shapes)
        self._rows = np.empty((self._capacity, width))
        self._time = np.empty(self._capacity)
        self._segment = np.empty(self._capacity, dtype=np.int64)
        self.row = self._rows[0]
        self._count = self._first = self._changed = 0
        self._run, self._follows = (
            0,
            -1,
        )  # number of the uninterrupted run; segment of the sample before, -1: none
        self._least = round(LEAST_S / settings.period)

    def clear(self) -> None:
        """Forget the samples: what comes is not of the same machine."""
        self._first = self._changed = self._count  # rows stay as they are: a thread may be reading them

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
        return float(self._time[(self._count - 1) % self._capacity]) if self._count else -np.inf

    @property
    def enough(self) -> bool:
        """Whether there are samples enough for a verdict."""
        return len(self._find_kept()) >= self._least

    def note(self, sample: TrackedSample) -> None:
        """Keep the sample that is in `row`: it has a good motion and forces."""
        index = self._count % self._capacity
        if sample.segment != self._follows:
            self._run, self._follows = self._run + 1, sample.segment
        self._time[index], self._segment[index] = sample.time, self._run
        self._count += 1
        self.row = self._rows[self._count % self._capacity]

    def begin_judging(self, basis: FloatArray, machine: Machine) -> Callable[[], StreamVerdict | None]:
        """Return what works out the verdict on what is kept now, in any thread; its result is None of too few samples.

        Parameters
        ----------
        basis : ndarray, shape (B,)
            The present estimate.
        machine : Machine
            As its friction takes the samples' rates.
        """
        return partial(self._judge, self._find_kept(), self._changed, basis, machine)

    def _judge(self, rows: range, changed: int, basis: FloatArray, machine: Machine) -> StreamVerdict | None:
        samples = self._take_samples(rows)
        experiment = Experiment.of_samples(machine, self._settings, [samples], ["the stream"])
        floor = measure_stream_floor(experiment, basis)
        if floor is None:
            return None
        # of samples before friction changed the present estimate says nothing
        fitted = (lambda one: (compute_fit_residual(one, basis), 0.0)) if rows.stop > changed else None
        verdict = judge_experiment(experiment, basis, floor, np.diag(floor.std**2), fitted)
        if verdict is None or verdict.fit is None:
            return None
        return StreamVerdict(verdict.answer, verdict.fit, float(samples.time[-1]))

    def _find_kept(self) -> range:
        """Return the numbers of the samples that are judged, without those that may be written over.

        They are those since friction changed or, as long as they are too few, those before.
        """
        oldest, begin, end = self._count - self._capacity + self._spare, self._changed, self._count
        if end - begin < self._least and begin > self._first:
            begin, end = self._first, self._changed
        return range(max(oldest, begin), max(oldest, end))

    def _take_samples(self, numbers: range) -> Samples:
        places = np.arange(numbers.start, numbers.stop) % self._capacity
        rows, n = self._rows[places], self._drives
        parts = [contiguous(rows[:, k * n : (k + 1) * n]) for k in range(4)]
        state = tuple(contiguous(part) for part in split_states(rows[:, 4 * n :], self._shapes))
        status = np.full(len(rows), OK, dtype=np.uint8)
        motion = Motion(parts[0], parts[1], parts[2], state, status, np.zeros(len(rows)))
        return Samples(self._time[places], motion, parts[3], self._segment[places])
