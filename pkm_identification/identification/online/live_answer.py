# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The answer of a stream: what `full_model` makes of the newest minute of it, as offline of a log.

Samples are kept as they come, in some microseconds each; the answer is worked out when it is asked for, in a second or
two of another thread's time. Whatever makes those samples another machine's (a load, other friction) begins
anew, so that drift which is followed is judged, too.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.estimation.identifiability import IDENTIFIABLE, IN_DOUBT
from pkm_identification.estimation.posterior.answer import Answer
from pkm_identification.machines.contract import OK, Machine, Motion
from pkm_identification.machines.motions import split_states
from pkm_identification.motion import TrackedSample
from pkm_identification.numerics.arrays import FloatArray, contiguous
from pkm_identification.signals.guard import GuardedLog

from ..experiment import Experiment
from ..full_model.coloured_noise import measure_coloured_floor
from ..full_model.judging import judge_posterior
from ..full_model.posterior import find_posterior
from ..samples import Samples
from ..settings import Settings

KEPT_S = (
    60.0  # s of motion that an answer is worked out from: what a log of that length says, in 30 MB at 1 kHz
)
SPARE_S = 1.0  # s of the oldest, which may be written over while they are read
LEAST_S = 15.0  # s: fewer blocks of time tell nothing of deviations


def with_total_deviations(estimate: ParameterEstimate, answer: Answer) -> ParameterEstimate:
    """Return a stream's estimate with the total deviations of an answer, of values that have the same name in both.

    What rests on the file, or contradicts it, is in doubt, and everything is where the answer is not to be used.
    """
    rows = {one.name: one for one in answer.values}
    std, status, covariance = estimate.std.copy(), list(estimate.status), estimate.covariance.copy()
    for k, name in enumerate(estimate.names):
        one = rows.get(name)
        if one is not None and one.std > std[k]:
            covariance[k, k] += one.std**2 - std[k] ** 2
            std[k] = one.std
        refused = not answer.verdict.good or (one is not None and not one.usable)
        if refused and status[k] == IDENTIFIABLE:
            status[k] = IN_DOUBT
    return replace(estimate, std=std, status=tuple(status), covariance=covariance)


class LiveAnswer:
    """Keeps the newest samples of a machine in motion, and works out an answer by them.

    Parameters
    ----------
    machine : Machine
    settings : Settings
        Of the stream.
    shapes : tuple of shapes
        Of the parts of the machine's state.
    """

    def __init__(self, machine: Machine, settings: Settings, shapes: tuple[tuple[int, ...], ...]) -> None:
        self._machine, self._shapes = machine, shapes
        self._settings = replace(settings, causal=False)
        count = len(machine.drives)
        self._drives = count
        self._capacity = round((KEPT_S + SPARE_S) / settings.period)
        self._spare = round(SPARE_S / settings.period)
        width = 2 + 4 * count + sum(int(np.prod(shape)) for shape in shapes)
        self._rows = np.empty((self._capacity, width))
        self.clear()

    def clear(self) -> None:
        """Forget the samples: what comes is not of the same machine."""
        self._count = 0

    @property
    def enough(self) -> bool:
        """Whether an answer can be worked out."""
        return self._count * self._settings.period >= LEAST_S

    def note(self, sample: TrackedSample) -> None:
        """Keep a sample with a good motion and forces."""
        row, n = self._rows[self._count % self._capacity], self._drives
        row[0], row[1] = sample.time, sample.segment
        row[2 : 2 + n], row[2 + n : 2 + 2 * n] = sample.coordinate, sample.rate
        row[2 + 2 * n : 2 + 3 * n], row[2 + 3 * n : 2 + 4 * n] = sample.acceleration, sample.force
        row[2 + 4 * n :] = sample.state
        self._count += 1

    def compute(self, basis: FloatArray, floor: FloatArray, machine: Machine) -> Answer | None:
        """Return the answer; None of too few samples.

        Parameters
        ----------
        basis : ndarray, shape (B,)
            The present estimate.
        floor : ndarray, shape (n,)
            Noise of the equations.
        machine : Machine
            As its friction takes the samples' rates.
        """
        samples = self._take_samples()
        force = samples.force
        assert force is not None
        # of a log whose noise above the kinematic low-pass is gone: nothing is read there
        filled = np.zeros(len(samples), dtype=bool)
        log = GuardedLog(
            samples.time, samples.motion.coordinate, None, samples.segment, filled, {}, {},
            self._settings.period, source="the stream",
        )  # fmt: skip
        experiment = Experiment.of_samples(machine, self._settings, log, samples)
        noise = np.diag(floor**2)
        posterior = find_posterior(experiment, basis[: len(machine.basis)], noise)
        if posterior is None:
            return None
        coloured = measure_coloured_floor(experiment, posterior.equations.rows, posterior.basis)
        return judge_posterior(posterior, noise, floor, coloured)[1]

    def _take_samples(self) -> Samples:
        end = self._count
        first = max(0, end - self._capacity + self._spare)
        rows = self._rows[np.arange(first, end) % self._capacity]
        n, count = self._drives, len(rows)
        parts = [contiguous(rows[:, 2 + k * n : 2 + (k + 1) * n]) for k in range(4)]
        state = tuple(contiguous(part) for part in split_states(rows[:, 2 + 4 * n :], self._shapes))
        status = np.full(count, OK, dtype=np.uint8)
        motion = Motion(parts[0], parts[1], parts[2], state, status, np.zeros(count))
        return Samples(contiguous(rows[:, 0]), motion, parts[3], rows[:, 1].astype(np.int64))
