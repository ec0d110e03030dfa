# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What is wrong with a log, and what it can be used for: the `pkm check` command's findings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pkm_identification.errors import PkmError
from pkm_identification.estimation.statuses import is_identified
from pkm_identification.machines.contract import DEGRADED, Drive, Machine
from pkm_identification.machines.load import AnyMachine, as_machine
from pkm_identification.motion import DriveLog
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.large_arrays import chosen_rows, row_blocks
from pkm_identification.numerics.rows import segment_slices
from pkm_identification.signals.forces.acting import acting
from pkm_identification.signals.input_validation import ValidatedLog
from pkm_identification.signals.input_validation.another_machine import refuse_another_machine
from pkm_identification.signals.input_validation.unusable import refuse_unsigned_forces

from .equations.standstill import StandstillLimits, find_standstill
from .identify import identify
from .long_logs.segments import compute_samples_by_segment
from .rates.recorded_rows import EXTRA, prepare_log
from .rates.sample_rate import compute_estimated_period
from .rates.slow_log import describe_rate, format_slow_log_sentences
from .regression.flicker import measure_flicker
from .regression.limits import apply_validation
from .regression.validation import (
    follow_stamps,
    name_force_units,
    refuse_copied_drives,
    refuse_forces_beyond_limits,
    refuse_silent_drives,
)
from .result import Identification
from .settings import FULL, Settings

# What input validation leaves out, and fills where the hole is short
DROPPED = ("not_finite", "late", "ahead", "spike", "out_of_limits")
RESAMPLED = (
    "stamps are uneven, and coordinates move as they say: samples are taken at an even clock in between"
)
DRIVE_WORDS = ("drive", "lowest", "highest", "limits")
STRUT_WORDS = ("strut", "shortest", "longest", "length limits")
# Kinds of faults, in the order they are reported.
KINDS = (
    "repeated_header",
    "overrun",
    "cut",
    "missing_name",
    "repeated_name",
    "unequal_lengths",
    "zero_stamp",
    "bad_stamp",
    "missing",
    "not_finite",
    "duplicate",
    EXTRA,
    "late",
    "ahead",
    "spike",
    "out_of_limits",
    "gap",
    "clock_jump",
)


@dataclass(frozen=True)
class Fault:
    """A kind of fault: how often, and when first (stamp in s; None where the reader set it right)."""

    kind: str
    count: int
    first: float | None


@dataclass(frozen=True)
class LogCheck:
    """Findings on one log.

    Attributes
    ----------
    source : str
    samples, usable : int
        Recorded, and left after input validation.
    duration, rate, jitter : float
        s, Hz (median), and standard deviation of the stamps' distances in s.
    expected_rate : float or None
    faults : tuple of Fault
    segments : int
        uninterrupted segments.
    longest : float
        Longest segment in s.
    drives : tuple of Drive
        Units and limits of the n columns.
    coordinate_range : ndarray, shape (n, 2)
        Smallest and largest of each drive, in its unit.
    peak_rate, peak_force : ndarray, shape (n,)
        Of its unit by s; N or N m (NaN without forces).
    standstill : ndarray, shape (n,), or None
        Share of the time in which each drive stands still, where that was looked for.
    poses_failed, poses_degraded : int
    identification : Identification or None
        What the log can show, None when it cannot be identified from.
    obstacle : str
        Why it cannot, empty otherwise.
    warnings : tuple of str
    labels : tuple of str
        What the drives are called in the table.
    words : tuple of four str
        What a drive, its smallest and its largest coordinate and its limits are called.
    rate_shows : str
        What a log at this sample rate can show, a sentence; empty where warnings say what it does not show.
    """

    source: str
    samples: int
    usable: int
    duration: float
    rate: float
    jitter: float
    expected_rate: float | None
    faults: tuple[Fault, ...]
    segments: int
    longest: float
    drives: tuple[Drive, ...]
    coordinate_range: FloatArray
    peak_rate: FloatArray
    peak_force: FloatArray
    standstill: FloatArray | None
    poses_failed: int
    poses_degraded: int
    identification: Identification | None
    obstacle: str
    warnings: tuple[str, ...]
    labels: tuple[str, ...]
    words: tuple[str, str, str, str] = DRIVE_WORDS
    rate_shows: str = ""

    @property
    def usable_for_identification(self) -> bool:
        """Whether the answer may be used, and something is identified."""
        result = self.identification
        return result is not None and result.trusted and any(map(is_identified, result.estimate.status))

    @property
    def verdict(self) -> str:
        """One line: whether and for what the log can be used."""
        if self.identification is None:
            return f"not usable for identification: {self.obstacle}"
        answer = self.identification.answer
        estimate = self.identification.estimate
        status = estimate.status if answer is None else tuple(one.status for one in answer.values)
        identified = sum(map(is_identified, status))
        if not self.usable_for_identification:
            why = f"none of the {len(status)} values can be estimated from this log"
            if answer is not None and not answer.verdict.good:
                why = answer.verdict.sentence
            return f"not usable for identification: {why}"
        return f"usable: {identified} of {len(status)} values can be estimated from this log"


@dataclass(frozen=True)
class _Motion:
    """Peak rates (n,), how many poses fail or are degraded, and the share of the time in which drives stand still."""

    peak_rate: FloatArray
    failed: int
    degraded: int
    standstill: FloatArray | None = None


@dataclass(frozen=True)
class _Validated:
    """What input validation makes of a log: rows that are used, or what was recorded where none is."""

    usable: int
    period: float
    expected_rate: float | None
    stamps: FloatArray
    segment: NDArray[np.int64]
    coordinate: FloatArray
    force: FloatArray | None
    counts: Mapping[str, int]
    first: Mapping[str, float | None]
    warnings: tuple[str, ...]
    motion: _Motion | None
    obstacle: str = ""
    rate_shows: str = ""


def inspect_log(log: DriveLog, machine: AnyMachine) -> LogCheck:
    """Examine a log.

    Parameters
    ----------
    log : DriveLog
    machine : Machine

    Returns
    -------
    LogCheck

    Raises
    ------
    LogError
        If there is too little to examine, forces are zero or unsigned, all coordinates are copies of one, or the rate
        is off by more than a fifth.
    """
    machine = as_machine(machine)
    found = _examine(log, machine)
    identification, obstacle = None, found.obstacle
    if not obstacle:
        try:
            settings = Settings.of(estimator=FULL, hold_out=0.0)
            identification = identify([log], machine, settings)
        except PkmError as error:
            obstacle = str(error)
    nothing = np.full(len(machine.drives), np.nan)
    motion = found.motion or _Motion(nothing, 0, 0, nothing)
    spans = [(part.stop - part.start) * found.period for part in segment_slices(found.segment)]
    duration, rate, jitter = find_timing(found.stamps, found.period)
    counts = found.counts
    return LogCheck(
        source=log.source,
        samples=len(log),
        usable=found.usable,
        duration=duration,
        rate=rate,
        jitter=jitter,
        expected_rate=found.expected_rate,
        faults=tuple(Fault(kind, counts[kind], found.first.get(kind)) for kind in KINDS if counts.get(kind)),
        segments=len(spans),
        longest=max(spans, default=0.0),
        drives=machine.drives,
        coordinate_range=find_range(found.coordinate),
        peak_rate=motion.peak_rate,
        peak_force=nothing if found.force is None else np.abs(find_range(found.force)).max(axis=1),
        standstill=motion.standstill,
        poses_failed=motion.failed,
        poses_degraded=motion.degraded,
        identification=identification,
        obstacle=obstacle,
        warnings=found.warnings,
        labels=tuple(drive.label for drive in machine.drives),
        words=STRUT_WORDS if machine.drives[0].part == "strut" else DRIVE_WORDS,
        rate_shows=found.rate_shows,
    )


def _examine(log: DriveLog, machine: Machine) -> _Validated:
    """Return what input validation makes of a log; where that makes it useless, it is reported and not raised."""
    prepared = prepare_log(log, machine)
    log = prepared.log
    refuse_silent_drives(log, machine)
    refuse_forces_beyond_limits(log, machine)
    refuse_copied_drives(log, machine)
    period, warning = compute_estimated_period(log, machine, hold=prepared.hold)
    settings = Settings().resolve(machine, period)
    validated = apply_validation(log, machine, settings.validation)
    refuse_unsigned_forces(validated.force, log.source, name_force_units(machine))
    counts = log.faults | prepared.faults | {k: v for k, v in validated.counts.items() if k in KINDS}
    # a bridge spans rows that are missing and rows that were dropped
    dropped = sum(validated.counts[kind] for kind in DROPPED)
    counts["missing"] = max(validated.counts["filled"] - dropped, 0)
    # where input validation refused everything, its reason shows in what was recorded
    seen = validated if len(validated) else log
    found = _Validated(
        usable=validated.counts["accepted"],
        period=period,
        expected_rate=None if machine.sample_rate is None else machine.sample_rate / prepared.hold,
        stamps=chosen_rows(validated.time, ~validated.filled) if len(validated) else log.time,
        segment=validated.segment,
        coordinate=seen.coordinate,
        force=seen.force,
        counts=counts,
        first=validated.first | {"missing": validated.first.get("filled")},
        warnings=(*prepared.warnings, *((warning,) if warning else ())),
        motion=None,
    )
    try:
        refuse_another_machine(log, machine)
        even = follow_stamps(validated)
        at_machine = acting(even, settings.validation)
        slow = format_slow_log_sentences(machine, settings.band, [at_machine])
        resampled = (RESAMPLED,) if even.resampled else ()
        return replace(
            found,
            motion=_move(at_machine, machine, settings),
            warnings=(*found.warnings, *resampled, *slow),
            rate_shows="" if slow else describe_rate(machine, settings.band, at_machine),
        )
    except PkmError as error:
        return replace(found, obstacle=str(error))


def _move(log: ValidatedLog, machine: Machine, settings: Settings) -> _Motion:
    """Return what the drives do; the motion itself is let go."""
    parameters, cutoff = machine.build_parameter_set(machine.parameter_sets[0]), settings.filter.cutoff
    limits = StandstillLimits.of(
        machine, parameters, measure_flicker(machine, log.coordinate, log.period, cutoff)
    )
    peaks, still, failed, degraded = [], [], 0, 0
    for samples in compute_samples_by_segment(log, machine, settings.filter, settings.band):
        moved, own = samples.motion, samples.own(samples.time)
        failed += samples.failed
        degraded += int(np.count_nonzero(moved.status[own] == DEGRADED))
        peaks.append(np.abs(find_range(moved.rate[own])).max(axis=1))
        rest = find_standstill(limits, moved.coordinate, moved.rate, samples.segment, settings.band)
        still.append(rest)
    nothing = np.full(len(machine.drives), np.nan)
    rate = np.abs(find_range(np.array(peaks).reshape(-1, len(nothing)))).max(axis=1)
    standing = np.concatenate([np.empty((0, len(nothing)), dtype=bool), *still])
    return _Motion(rate, failed, degraded, np.mean(standing, axis=0) if len(standing) else nothing)


def find_timing(stamps: FloatArray, period: float) -> tuple[float, float, float]:
    """Return duration in s, rate in Hz (mean) and jitter in s of the stamps (N,) of rows."""
    finite = stamps[np.isfinite(stamps)]
    steps = np.diff(stamps)
    regular = steps[np.isfinite(steps) & (np.abs(steps - period) < 0.5 * period)]
    rate, jitter = (1.0 / np.mean(regular), np.std(regular)) if len(regular) else (np.nan, np.nan)
    return float(finite.max() - finite.min()), float(rate), float(jitter)


def find_range(values: FloatArray) -> FloatArray:
    """Return the smallest and the largest finite value of each column of (N, n), (n, 2); NaN where there is none."""
    low, high = np.full(values.shape[1], np.inf), np.full(values.shape[1], -np.inf)
    for block in row_blocks(len(values)):
        part = values[block]
        finite = np.isfinite(part)
        low = np.minimum(low, np.where(finite, part, np.inf).min(axis=0))
        high = np.maximum(high, np.where(finite, part, -np.inf).max(axis=0))
    limits = np.stack([low, high], axis=1)
    return np.where(np.isfinite(limits), limits, np.nan)
