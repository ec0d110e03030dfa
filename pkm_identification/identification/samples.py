# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Good samples of one validated log of any machine: filtered, with a motion found for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pkm_identification.machines.capabilities import platform_of
from pkm_identification.machines.contract import DEGRADED, OK, Machine, Motion
from pkm_identification.motion import PlatformMotion, StrutMotion
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rows import segment_slices
from pkm_identification.signals.butterworth import low_pass, zero_phase
from pkm_identification.signals.causal import FilterSettings, filter_log_causally
from pkm_identification.signals.input_validation import ValidatedLog
from pkm_identification.signals.zero_phase import filter_log

from .rates.rounding_watch import rounded_after


def compute_instrument_motions(
    log: ValidatedLog, struts: StrutMotion, cutoff: float, order: int
) -> tuple[StrutMotion, StrutMotion]:
    """Motions of a log with the image of its noise added and taken away.

    Parameters
    ----------
    log : ValidatedLog
    struts : StrutMotion
        Of the log, by `filter_log` with the same cutoff (Hz) and order.
    """
    sections = low_pass(order, cutoff, 1.0 / log.period)
    removed = np.empty_like(log.length)
    for part in segment_slices(log.segment):
        removed[part] = log.length[part] - zero_phase(sections, log.length[part])
    sign = np.where(np.arange(len(removed)) % 2, -1.0, 1.0)
    image = filter_log(replace(log, coordinate=sign[:, None] * removed), cutoff, order)

    def with_image(side: float) -> StrutMotion:
        return replace(
            struts,
            length=struts.length + side * image.length,
            rate=struts.rate + side * image.rate,
            acceleration=struts.acceleration + side * image.acceleration,
        )

    return with_image(1.0), with_image(-1.0)


@dataclass(frozen=True)
class SegmentOrigin:
    """Where samples stand in a longer log.

    Attributes
    ----------
    row : int
        Of the longer log, which the first sample is from; runs of good samples are numbered by the row they begin with.
    run : int or None
        The run of the first sample, if it began before.
    start : tuple of ndarray, or None
        The machine's state at the first sample, as far as it is known.
    begin, end : float
        As in `Samples`.
    """

    row: int = 0
    run: int | None = None
    start: tuple[FloatArray, ...] | None = None
    begin: float = -np.inf
    end: float = np.inf


@dataclass(frozen=True)
class Samples:
    """Good samples of one log, or of a segment of it.

    Attributes
    ----------
    time : ndarray, shape (N,)
        s
    motion : Motion
        Smooth, loops closed, every row good.
    force : ndarray, shape (N, n), or None
        Behind the same low-pass, N or N m.
    segment : ndarray of int64, shape (N,)
        Runs of good samples.
    failed : int
        Samples without a good motion, which are left out.
    degraded : int
        Those of them that are near a singularity.
    instruments : tuple of Motion
        Twins of the motion, where asked for.
    wrong_rate : int
        Samples a causal run left out because of their rate.
    begin, end : float
        Stamps in s from and before which they are these samples' own; what is beyond is there for the filters, and
        other samples have it, too.
    rounded_after : float
        Stamp in s of the sample by which a causal run finds coordinates rounded; what follows has rates with noise.
    low_pass : FilterSettings or None
        What the samples of a causal run have passed.
    """

    time: FloatArray
    motion: Motion
    force: FloatArray | None
    segment: NDArray[np.int64]
    failed: int = 0
    instruments: tuple[Motion, ...] = ()
    wrong_rate: int = 0
    begin: float = -np.inf
    end: float = np.inf
    rounded_after: float = -np.inf
    low_pass: FilterSettings | None = None
    degraded: int = 0

    def __len__(self) -> int:
        return len(self.time)

    def own(self, time: FloatArray) -> slice:
        """Return which of these stamps are its own; nothing is left out of samples that share none with others."""
        if np.isinf(self.begin) and np.isinf(self.end):
            return slice(None)
        first, last = np.searchsorted(time, [self.begin, self.end])
        return slice(int(first), int(last))

    def since_clock_jump(self) -> Samples:
        """Return those since the clock was set back last, where a stream starts afresh; no instruments' motions."""
        back = np.flatnonzero(np.diff(self.time) < 0.0)
        if not len(back):
            return self
        rows = slice(int(back[-1]) + 1, None)
        force = None if self.force is None else self.force[rows]
        return replace(
            self, time=self.time[rows], motion=self.motion[rows], force=force, segment=self.segment[rows],
            instruments=(),
        )  # fmt: skip

    @property
    def struts(self) -> StrutMotion:
        """The drives' motion with stamps, forces and runs."""
        motion = self.motion
        return StrutMotion(
            self.time, motion.coordinate, motion.rate, motion.acceleration, self.force, self.segment
        )

    @property
    def platform(self) -> PlatformMotion:
        """The motion of a platform on six struts; other machines have none."""
        return platform_of(self.motion, self.time)

    @classmethod
    def concatenate(cls, segments: Sequence[Samples]) -> Samples:
        """Successive segments of one log behind the zero-phase filter as one, of what is their own; no twins."""
        if len(segments) == 1:
            return segments[0]
        pairs = [(one, one.own(one.time)) for one in segments]
        forces = [one.force[rows] for one, rows in pairs if one.force is not None]
        return cls(
            np.concatenate([one.time[rows] for one, rows in pairs]),
            Motion.concatenate([one.motion[rows] for one, rows in pairs]),
            np.concatenate(forces) if forces else None,
            np.concatenate([one.segment[rows] for one, rows in pairs]),
            sum(one.failed for one in segments),
        )


def samples_of(
    log: ValidatedLog,
    machine: Machine,
    settings: FilterSettings,
    *,
    causal: bool = False,
    instruments: bool = False,
    origin: SegmentOrigin | None = None,
) -> Samples:
    """Return the samples of one log with a good motion.

    Parameters
    ----------
    log : ValidatedLog
    machine : Machine
    settings : FilterSettings
        Of the kinematic low-pass.
    causal : bool
        Filter as online; else zero-phase.
    instruments : bool
        Add the twins of the motion (`twins`).
    origin : Place, optional
        Where these samples stand in a longer log.
    """
    origin = origin or SegmentOrigin()
    smooth, wrong_rate = (
        filter_log_causally(log, settings)
        if causal
        else (filter_log(log, settings.cutoff, settings.order), 0)
    )
    others: tuple[StrutMotion, ...] = ()
    if instruments:
        others = compute_instrument_motions(log, smooth, settings.cutoff, settings.order)
    samples = close_samples(machine, smooth, origin, others)
    after = -np.inf
    if causal:
        motion = samples.motion
        after = rounded_after(
            machine, samples.time, samples.segment, motion.rate, motion.acceleration, settings
        )
    passed = settings if causal else None
    return replace(samples, wrong_rate=wrong_rate, rounded_after=after, low_pass=passed)


def close_samples(
    machine: Machine,
    smooth: StrutMotion,
    origin: SegmentOrigin | None = None,
    instruments: Sequence[StrutMotion] = (),
) -> Samples:
    """Return the samples of drives in smooth motion, without those that the machine cannot be in."""
    origin = origin or SegmentOrigin()
    motion, *others = (
        machine.compute_motion(one.length, one.rate, one.acceleration, origin.start)
        for one in (smooth, *instruments)
    )
    good = motion.status == OK
    segment = number_runs(smooth.segment, good, origin)
    samples = Samples(
        smooth.time,
        motion,
        smooth.force,
        segment,
        instruments=tuple(others),
        begin=origin.begin,
        end=origin.end,
    )
    own = samples.own(smooth.time)
    failed = int(np.count_nonzero(~good[own]))
    samples = replace(samples, degraded=int(np.count_nonzero(motion.status[own] == DEGRADED)))
    if good.all():
        return replace(samples, failed=failed)
    return replace(
        samples,
        time=smooth.time[good],
        motion=motion[good],
        force=None if smooth.force is None else smooth.force[good],
        segment=segment[good],
        failed=failed,
        instruments=tuple(one[good] for one in others),
    )


def number_runs(
    segment: NDArray[np.int64], good: NDArray[np.bool_], origin: SegmentOrigin | None = None
) -> NDArray[np.int64]:
    """Return the run of good rows that each row (N,) belongs to, by its first row: a bad row ends one as a gap does."""
    origin = origin or SegmentOrigin()
    begins = np.ones(len(segment), dtype=bool)
    begins[1:] = (np.diff(segment) != 0) | ~good[:-1]
    number = np.maximum.accumulate(np.where(begins, np.arange(len(segment)), 0)) + origin.row
    if origin.run is not None and len(good) and good[0]:
        number[number == origin.row] = origin.run
    return number
