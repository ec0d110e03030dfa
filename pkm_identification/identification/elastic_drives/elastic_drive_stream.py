# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Coordinates and forces behind drives that yield, sample by sample, by a model that the stream itself makes.

Where only motors have encoders, coordinates are theirs less how far belts or shafts are twisted. Measured forces alone
tell that badly where drives turn back (`elastic_drives.elastic_drive_model`). So the stream has an estimator of its
own: samples as measured forces have them pass filter, kinematics and estimator, and the machine with the parameters of
that, integrated behind its springs while its motors move as their encoders showed, tells how far drives are deflected.
What comes out hangs on the samples alone, and not on when somebody's estimate arrives: a bag gives again what the nodes
gave.

Until the model says what measured forces say, these are taken, as of drives that stand still; then the stream goes over
from them within FADE, and back to them within it where the model is off or lost: what it made of lengths and forces
last is held until it has faded, whatever becomes of the model. A model behind whose springs the machine flies apart, or
that stays off, has learned from forces that were none, and is made anew. What the noise of measured forces makes of the
difference does not count against the model.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from pkm_identification.machines.contract import OK, Machine, Motion
from pkm_identification.mechanisms.friction.law import TRANSITION
from pkm_identification.motion import DriveSample, TrackedSample
from pkm_identification.numerics.arrays import FloatArray, contiguous
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.finite import finite
from pkm_identification.numerics.rows import segment_slices
from pkm_identification.signals.band import BandSettings
from pkm_identification.signals.causal import CausalFilter, FilterSettings
from pkm_identification.signals.forces.correction import CorrectionStream, RecentRows
from pkm_identification.signals.forces.drive_transfer import DriveTransfer
from pkm_identification.signals.input_validation import ValidatedLog, ValidatedSample, ValidationSettings
from pkm_identification.signals.input_validation.samples import rows_of

from ..model_errors.geometry import sizes_of
from ..regression.friction import build_laws
from .running_model import RunningModel
from .springs import STEPS, Springs, follow_motors

FADE = 0.1  # s
MEMORY = 1.0  # s, over which the model is compared with measured forces
# Of what drives are wound up by measured forces, rms: how far from that the model may be to be taken, and to be kept.
NEAR, FAR = 0.05, 0.1
# The same, at most: what was worse is forgotten no later than this, within ln (WORST / NEAR)^2 times MEMORY.
WORST = 0.2
NOISE = (
    1.5  # times what forces' noise makes of the square of that distance, which it exceeds by a sixth at times
)
PATIENCE = 2.0  # s that a model may be further off than FAR until it is made anew
APART = 0.2  # of half the machine's size, or of a radian: no drive is wound up that far
BENT = 6.0  # 1 + 4 + 1: what the variance of noise is multiplied by in a second difference
SWING = 0.02  # of a large change of each drive, while kernels are loaded
STILL = 0.2  # s; what friction holds of a drive that stood for longer, no model tells


def has_elastic_drive_model(machine: Machine, validation: ValidationSettings) -> bool:
    """Whether coordinates are behind drives that yield and a model of the machine can tell how far these are deflected.

    No model tells it where passive joints rub.
    """
    transfers = validation.transfers
    if transfers is None or np.setdiff1d(machine.standstill_rows, machine.friction_rows).size:
        return False
    return all(one.on_motor and one.compliance > 0.0 for one in transfers)


class ElasticDriveStream:
    """What a `CorrectionStream` of drives does, by a model of the machine as soon as there is one.

    Parameters
    ----------
    machine : Machine
    validation : ValidationSettings
        With drives.
    filtering : FilterSettings
        Of the kinematic low-pass, with its cutoff; the linear phase is used whatever its kind.
    period : float
        Of the samples, s.

    Attributes
    ----------
    modelled : bool
        Whether the model is near enough to what measured forces say.
    """

    def __init__(
        self, machine: Machine, validation: ValidationSettings, filtering: FilterSettings, period: float
    ) -> None:
        if validation.transfers is None:
            raise ValueError("there is nothing between these motors and what they move")
        self._machine, self._transfers = machine, validation.transfers
        self._motors = np.diag([one.motor_mass for one in validation.transfers])
        self._bend = contiguous(build_laws(machine)[:, TRANSITION])
        self._scale = sizes_of(machine)
        self._initial, self._initial_period = DriveTransfer(validation.transfers, period), period
        self._by_forces = CorrectionStream(self._initial, period)
        self._filter = CausalFilter(replace(filtering, kind="fir", period=period))
        self._tracker = machine.create_tracker(np.zeros((len(machine.basis), 0)))
        self._band = BandSettings(period=period)
        self._model = RunningModel(machine, self._band, filtering.cutoff)
        before, after, middle = self._initial.before, self._initial.after, self._filter.fill // 2
        # from a sample to the one that completes it: its neighbours' winding needs the filter's, and these need theirs
        self._lag = 2 * after + middle
        self._waiting, self._near = self._lag - after + 1, before + after + 1
        self._kept = before + self._lag + 1
        count = len(machine.drives)
        self._length, self._force = RecentRows(count), RecentRows(count)
        self._acting: deque[ValidatedSample] = deque(maxlen=self._waiting)
        self._deflection = RecentRows(count)
        self._middle = middle
        self._history = _History.room(count)
        self.reset()

    def reset(self) -> None:
        """Forget the samples seen, their period and what was learned of them."""
        self._through, self._period = self._initial, self._initial_period
        self._by_forces.reset()
        self._tracker.reset()
        self._model.reset()
        self._basis: FloatArray | None = None
        self._rough, self._heard = np.zeros(len(self._machine.drives)), 0.0
        self._begin_judging()
        self._begin()

    def _begin(self) -> None:
        self._filter.reset()
        self._length.clear()
        self._force.clear()
        self._acting.clear()
        self._segment: int | None = None
        count = len(self._machine.drives)
        self._share, self._still = np.zeros((2, count))
        # what the model makes of length and force besides measured forces, last
        self._besides = np.zeros((2, count))
        self._leaving = False
        self._interrupt()

    def _interrupt(self) -> None:
        """The next sample does not follow upon the last one."""
        self._model.interrupt()
        self._lose()

    def _lose(self) -> None:
        self._deflection.clear()
        self._running = False

    def _forget_model(self) -> None:
        self._model.reset()
        self._basis = None
        self._begin_judging()
        self._lose()

    def _begin_judging(self) -> None:
        self._off = self._size = self._noise = self._astray = 0.0
        self.modelled = False

    @property
    def before(self) -> int:
        """Samples of a segment that come before the first it gives."""
        return self._initial.before

    @property
    def delay(self) -> float:
        """Seconds from a sample to the one that completes its correction, at the stated period."""
        return self._lag * self._initial_period

    def follow(self, period: float) -> None:
        """Take the samples that come from now on as `period` s apart."""
        if period != self._period:
            self._period = period
            self._by_forces.follow(period)
            self._through = self._initial.at(period)

    def step(self, sample: ValidatedSample) -> list[ValidatedSample]:
        """Take a validated sample; give the one whose neighbours it completes, if there is one."""
        if sample.force is None:
            self._begin()
            return self._by_forces.step(sample)
        if sample.segment != self._segment:
            self._begin()
            self._segment = sample.segment
        self._length.append(sample.coordinate)
        self._force.append(sample.force)
        self._length.keep(self._kept)
        self._force.keep(self._kept)
        self._hear()
        for acting in self._by_forces.step(sample):
            self._acting.append(acting)
            filtered = self._filter.step(acting)
            if filtered is not None:
                self._follow_model(filtered)
        if len(self._acting) < self._waiting:
            return []
        return [self._complete_sample(self._acting[0])]

    def _complete_sample(self, acting: ValidatedSample) -> ValidatedSample:
        """A sample as measured forces have it, as far as the model is taken by that."""
        told = self.modelled and len(self._deflection) == self._near
        if not told:
            self._leaving = True
        elif not self._share.any():
            self._leaving = False
        step = self._period / FADE
        taken = (not self._leaving) & (self._still < STILL)
        self._share = np.clip(self._share + np.where(taken, step, -step), 0.0, 1.0)
        if not self._share.any():
            return acting
        if not self._leaving:
            near = slice(0, self._near)
            length, force = self._through.correct(
                self._length.rows[near], self._force.rows[near], self._deflection.rows
            )
            self._besides = np.array([length[0] - acting.coordinate, force[0] - acting.force])
        length, force = self._share * self._besides
        return acting._replace(coordinate=acting.coordinate + length, force=acting.force + force)

    def _follow_model(self, filtered: DriveSample) -> None:
        """Learn from a filtered sample, and move the machine behind its springs on to its stamp."""
        stretched = self._initial_period / self._period
        if stretched != 1.0:
            filtered = filtered._replace(
                rate=filtered.rate * stretched, acceleration=filtered.acceleration * stretched**2
            )
        time, length, rate, second, force, segment = filtered
        if self._tracker.step(length, rate, second) != OK:
            self._interrupt()
            return
        row = self._tracker.row
        sample = TrackedSample(time, length, rate, second, force, segment, row, OK, self._tracker.residual)
        if self._model.step(sample) or self._basis is None:
            self._basis = self._model.basis
            self._springs = Springs.of(self._machine, self._basis, self._transfers)
        here = Motion(
            length[None],
            rate[None],
            second[None],
            self._tracker.state,
            np.zeros(1, dtype=np.uint8),
            np.zeros(1),
        )
        mass, bias = self._machine.compute_mass_and_bias(here, self._basis)
        if not finite(mass, bias):
            self._forget_model()
            return
        motor = self._length.rows[-1 - self._initial.after - self._middle].copy()
        history = self._history
        history.mass[1], history.bias[1], history.motor[1] = mass[0] - self._motors, bias[0], motor
        if self._running:
            follow_motors(
                history.mass, history.bias, history.motor, self._period, STEPS, self._springs, history.place,
                history.rate,
            )  # fmt: skip
        else:
            history.place[1], history.rate[1] = filtered.coordinate, filtered.rate
        deflection = motor - history.place[1]
        if not finite(deflection, history.rate[1]) or np.any(np.abs(deflection) > APART * self._scale):
            self._forget_model()
            return
        for part in history:
            part[0] = part[1]
        self._running = True
        self._deflection.append(deflection)
        self._deflection.keep(self._near)
        self._compare(deflection, motor - self._acting[-1 - self._middle].coordinate, filtered.rate)

    def _hear(self) -> None:
        """Learn from the newest sample how noisy measured forces are: by what curves between three, as nothing else."""
        if len(self._force) < 3:
            return
        before, middle, after = self._force.rows[-3:]
        kept = 1.0 - self._period / MEMORY
        self._rough = kept * self._rough + (before - 2.0 * middle + after) ** 2
        self._heard = kept * self._heard + BENT

    def _compare(self, deflection: FloatArray, by_forces: FloatArray, rate: FloatArray) -> None:
        """Judge the model by how far drives that slide, at rates (n,), are deflected (n,)."""
        kept = 1.0 - self._period / MEMORY
        noise = self._rough * (self._through.deflection_noise / self._heard)
        off, size, heard = _compute_distance(
            deflection / self._scale, by_forces / self._scale, rate, self._bend, noise / self._scale**2,
            self._still, self._period,
        )  # fmt: skip
        self._off = kept * self._off + off
        self._size = kept * self._size + size
        self._noise = kept * self._noise + heard
        # not for ever, nor anew with each segment: what a model is worth does not hang on holes
        self._off = min(self._off, self._compute_allowance(WORST))
        self.modelled = self._model.known and self._off <= self._compute_allowance(
            FAR if self.modelled else NEAR
        )
        astray = self._model.known and self._off > self._compute_allowance(FAR)
        self._astray = self._astray + self._period if astray else 0.0
        if self._astray > PATIENCE:
            self._forget_model()

    def _compute_allowance(self, limit: float) -> float:
        """Return what a model may be off by, in sum of squares, that is within `limit` of what drives are deflected."""
        return limit**2 * self._size + NOISE * self._noise

    def warm_up(self) -> None:
        """Compile (or load from the cache) what a moving machine needs, then forget the samples used for it."""
        machine, band = self._machine, self._band
        home, still = machine.home, np.zeros((1, len(machine.drives)))
        at_home = machine.compute_motion(home[None], still, still)
        mass, bias = machine.compute_mass_and_bias(at_home, self._model.basis)
        # with forces that this asks for: a model of others flies apart
        turn = 4.0 * np.pi / (band.settling * self._initial_period)
        swing = SWING * np.array([drive.size for drive in machine.drives])
        for k in range(2 * self._lag + 2 * band.settling + 2 * band.stride):
            time = k * self._initial_period
            moved = swing * np.sin(turn * time)
            self.step(ValidatedSample(time, home + moved, bias[0] - turn**2 * mass[0] @ moved, 0, False))
        self._model.warm_up()
        self.reset()


@kernel
def _compute_distance(deflection, by_forces, rate, transition_rate, noise, still, period):
    """How far the model is from measured forces, what they say and what their noise (n,) makes of it: sums of squares.

    Of drives that slide; for how long the others have stood is noted in `still` (n,).
    """
    off, size, heard = 0.0, 0.0, 0.0
    for i in range(rate.shape[0]):
        if abs(rate[i]) > transition_rate[i]:
            off += (deflection[i] - by_forces[i]) ** 2
            size += by_forces[i] ** 2
            heard += noise[i]
            still[i] = 0.0
        else:
            still[i] += period
    return off, size, heard


class _History(NamedTuple):
    """The machine behind its springs at two samples: M, h, motors, places and rates of the drives."""

    mass: FloatArray
    bias: FloatArray
    motor: FloatArray
    place: FloatArray
    rate: FloatArray

    @classmethod
    def room(cls, count: int) -> _History:
        return cls(np.zeros((2, count, count)), *np.zeros((4, 2, count)))


def apply_deflections(
    log: ValidatedLog, machine: Machine, validation: ValidationSettings, filtering: FilterSettings
) -> ValidatedLog:
    """Return a validated log of `at_motors` with what a `ElasticDriveStream` makes of its samples."""
    if log.force is None:
        return log
    stream = ElasticDriveStream(machine, validation, filtering, log.period)
    rows = np.empty(len(log.time), dtype=np.int64)
    length, force = np.empty((2, *log.length.shape))
    count = 0
    for part in segment_slices(log.segment):
        first = part.start + stream.before
        for k in range(part.start, part.stop):
            sample = ValidatedSample(
                float(log.time[k]), log.length[k], log.force[k], int(log.segment[k]), bool(log.filled[k])
            )
            for done in stream.step(sample):
                rows[count], length[count], force[count] = first, done.coordinate, done.force
                first += 1
                count += 1
    chosen = rows[:count]
    return replace(
        rows_of(log, chosen),
        coordinate=length[:count],
        force=force[:count],
        imu=None if log.imu is None else log.imu[chosen],
        sensor=None if log.sensor is None else log.sensor[chosen],
    )
