# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the full model says of the newest minute of a stream: the verdict of `pkm identify` of the same samples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.estimation.posterior.answer import Answer
from pkm_identification.machines.contract import OK, Machine, Motion
from pkm_identification.machines.motions import split_states
from pkm_identification.numerics.arrays import FloatArray, contiguous

from ..diagnosis.findings import Diagnosis
from ..experiment import Experiment
from ..full_model.assessment import compute_fit_residual, judge_experiment
from ..full_model.stream_floor import measure_stream_floor
from ..samples import Samples
from ..settings import Settings
from .kept_samples import KeptSamples

LEAST_S = 15.0  # s: deviations need 12 blocks of a second, and filters settle
# A motion that has all kernels compiled: drives swing by a share of their size, each at a frequency of its own.
SWING = 0.03
SLOWEST, STEP = 0.4, 0.13  # Hz of the first drive, and more for each further one
NOISE = 0.01  # of the forces, relative


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
    recursion : ParameterEstimate or None
        What the recursion had found then; None where it says nothing of these samples, or is to stand as it is.
    """

    answer: Answer
    fit: Diagnosis
    time: float
    recursion: ParameterEstimate | None = None

    @property
    def good(self) -> bool:
        """Whether the estimate may be used."""
        return self.answer.verdict.good


@dataclass(frozen=True, eq=False)
class Question:
    """Which samples are to be judged with which estimate.

    Attributes
    ----------
    numbers : range
        Of the samples, counted from the stream's first.
    basis : ndarray, shape (B,)
        The present estimate.
    known : bool
        Whether the estimate says anything of these samples: nothing of those before friction changed.
    rate_noise : ndarray, shape (n,), or None
        Standard deviations of the samples' rates, which friction is to allow for.
    recursion : ParameterEstimate or None
        The present estimate with the recursion's own deviations.
    """

    numbers: range
    basis: FloatArray
    known: bool
    rate_noise: FloatArray | None
    recursion: ParameterEstimate | None = None


class Judge:
    """Works out verdicts on the samples of one stream, in a second or two each, in any thread or process.

    Parameters
    ----------
    machine : Machine
    settings : Settings
        Of the stream.
    shapes : tuple of shapes
        Of the parts of the machine's state.
    kept : KeptSamples
        Rows of coordinates, rates, accelerations, forces and state.
    """

    def __init__(
        self, machine: Machine, settings: Settings, shapes: tuple[tuple[int, ...], ...], kept: KeptSamples
    ) -> None:
        self.kept = kept
        self._machine, self._settings, self._shapes = machine, settings, shapes

    def answer(self, question: Question) -> StreamVerdict | None:
        """Return the verdict; None of too few samples."""
        noise = question.rate_noise
        machine = self._machine if noise is None else self._machine.with_rate_noise(noise)
        time, segment, rows = self.kept.copy(question.numbers)
        if not len(time):
            return None
        n = len(machine.drives)
        parts = [contiguous(rows[:, k * n : (k + 1) * n]) for k in range(4)]
        state = tuple(contiguous(part) for part in split_states(rows[:, 4 * n :], self._shapes))
        status = np.full(len(rows), OK, dtype=np.uint8)
        motion = Motion(parts[0], parts[1], parts[2], state, status, np.zeros(len(rows)))
        return self._judge(machine, Samples(time, motion, parts[3], segment), question)

    def warm_up(self) -> None:
        """Have compiled (or loaded from the cache) what a verdict needs, by a motion that is made up."""
        machine = self._machine
        drives = machine.drives
        time = np.arange(round(LEAST_S / self._settings.period) + 1) * self._settings.period
        turn = 2.0 * np.pi * (SLOWEST + STEP * np.arange(len(drives)))
        swing = SWING * np.array([drive.size for drive in drives])
        phase = turn * time[:, None]
        moved = machine.home + swing * np.sin(phase)
        motion = machine.compute_motion(moved, swing * turn * np.cos(phase), -swing * turn**2 * np.sin(phase))
        good = motion.status == OK
        basis = machine.basis.nominal
        force = machine.compute_force_groups(motion).total
        noise = NOISE * machine.force_size * np.random.default_rng(0).standard_normal(force.shape)
        samples = Samples(
            time[good], motion[good], (force + noise)[good], np.zeros(np.count_nonzero(good), dtype=np.int64)
        )
        self._judge(machine, samples, Question(range(0), basis, True, None))

    def _judge(self, machine: Machine, samples: Samples, question: Question) -> StreamVerdict | None:
        basis = question.basis
        experiment = Experiment.of_samples(machine, self._settings, [samples], ["the stream"])
        floor = measure_stream_floor(experiment, basis)
        if floor is None:
            return None
        replaced = self._settings.estimator.takes_full_values
        asked = question.known and not replaced
        fitted = (lambda one: (compute_fit_residual(one, basis), 0.0)) if asked else None
        verdict = judge_experiment(experiment, basis, floor, np.diag(floor.std**2), fitted)
        if verdict is None or verdict.fit is None:
            return None
        recursion = question.recursion if question.known and replaced else None
        return StreamVerdict(verdict.answer, verdict.fit, float(samples.time[-1]), recursion)
