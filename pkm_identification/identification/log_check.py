# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What is wrong with a log, and what it can be used for: the `pkm check` command's findings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.errors import PkmError
from pkm_identification.estimation.identifiability import IDENTIFIABLE
from pkm_identification.machines.contract import Drive
from pkm_identification.machines.hexapod import Hexapod
from pkm_identification.machines.load import as_machine
from pkm_identification.mechanisms.hexapod.kinematics.forward import (
    DEGRADED,
    FAILED,
    forward_kinematics,
)
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUTS, StrutLog
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.large_arrays import chosen_rows, row_blocks
from pkm_identification.numerics.segments import segment_slices
from pkm_identification.signals.forces.acting import acting
from pkm_identification.signals.guard import GuardedLog, StreamGuard
from pkm_identification.signals.guard.unusable import (
    refuse_copies,
    refuse_unsigned_forces,
    refuse_zero_forces,
)

from .identify import identify
from .long_logs.stretches import smooth_in_stretches
from .rates.recorded_rows import EXTRA, prepare_log
from .rates.sample_rate import estimated_period
from .rates.slow_log import slow_log_sentences
from .result import Identification
from .settings import Settings

# What input validation leaves out, and fills where the hole is short
DROPPED = ("not_finite", "late", "ahead", "spike", "out_of_limits")
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
        Recorded, and left after the guard.
    duration, rate, jitter : float
        s, Hz (median), and standard deviation of the stamps' distances in s.
    expected_rate : float or None
    faults : tuple of Fault
    segments : int
        Uninterrupted stretches.
    longest : float
        Longest stretch in s.
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
    words: tuple[str, str, str, str] = ("drive", "lowest", "highest", "limits")

    @property
    def usable_for_identification(self) -> bool:
        """Whether anything can be used: a parameter, or in a fit that is not refused a combination of some."""
        result = self.identification
        if result is None:
            return False
        return IDENTIFIABLE in result.estimate.status or (
            result.fits and len(result.estimate.combinations) > 0
        )

    @property
    def verdict(self) -> str:
        """One line: whether and for what the log can be used."""
        if self.identification is None:
            return f"not usable for identification: {self.obstacle}"
        status = self.identification.estimate.status
        identified = sum(s == IDENTIFIABLE for s in status)
        if not self.usable_for_identification:
            return f"not usable for identification: none of the {len(status)} parameters can be estimated from this log"
        prefix = "usable" if identified == len(status) else "partly usable"
        return f"{prefix}: {identified} of {len(status)} parameters are identifiable one by one"


def inspect_log(log: StrutLog, machine: Machine, faults: dict[str, int] | None = None) -> LogCheck:
    """Examine a log.

    Parameters
    ----------
    log : StrutLog
    machine : Machine
    faults : dict of str to int, optional
        What the reader found.

    Returns
    -------
    LogCheck

    Raises
    ------
    LogError
        If there is too little to examine or the rate is off by more than a fifth.
    """
    recorded, prepared = log, prepare_log(log, machine)
    log = prepared.log
    refuse_zero_forces(log.force, log.source)
    refuse_copies(log.length, log.source)
    period, warning = estimated_period(log, machine, hold=prepared.hold)
    settings = Settings().resolved(machine, period)
    guarded = acting(StreamGuard(settings.guard).guard(log), settings.guard)
    refuse_unsigned_forces(guarded.force, log.source)
    counts = dict(faults or {}) | prepared.faults | {k: v for k, v in guarded.counts.items() if k in KINDS}
    # a bridge spans rows that are missing and rows that were dropped
    dropped = sum(guarded.counts[kind] for kind in DROPPED)
    counts["missing"] = max(guarded.counts["filled"] - dropped, 0)
    first = guarded.first | {"missing": guarded.first.get("filled")}
    timing = find_timing(_used_stamps(guarded) if len(guarded.time) else log.time, period)
    spans = [(part.stop - part.start) * period for part in segment_slices(guarded.segment)]
    peak_rate, failed, degraded = _motion_findings(guarded, machine, settings)
    # where the guard refused everything, its reason shows in what was recorded
    seen = guarded if len(guarded.time) else log
    lengths, peak_force, usable = find_range(seen.length), _peak(seen.force), guarded.counts["accepted"]
    slow = slow_log_sentences(as_machine(machine), settings.band, [guarded])
    del guarded, seen  # an identification makes its own, and a log of hours is large
    identification, obstacle = None, ""
    try:
        identification = identify(
            [recorded], machine, Settings.of(estimator="ls", hold_out=0.0), dict(faults or {})
        )
    except PkmError as error:
        obstacle = str(error)
    return LogCheck(
        source=log.source,
        samples=len(recorded),
        usable=usable,
        duration=timing[0],
        rate=timing[1],
        jitter=timing[2],
        expected_rate=machine.drive.sample_rate / prepared.hold if machine.drive else None,
        faults=tuple(Fault(kind, counts[kind], first.get(kind)) for kind in KINDS if counts.get(kind)),
        segments=len(spans),
        longest=max(spans, default=0.0),
        drives=Hexapod(machine).drives,
        coordinate_range=lengths,
        peak_rate=peak_rate,
        peak_force=peak_force,
        standstill=None,
        poses_failed=failed,
        poses_degraded=degraded,
        identification=identification,
        obstacle=obstacle,
        warnings=(*prepared.warnings, *((warning,) if warning else ()), *slow),
        labels=tuple(str(i + 1) for i in range(STRUTS)),
        words=("strut", "shortest", "longest", "length limits"),
    )


def _used_stamps(log: GuardedLog) -> FloatArray:
    return chosen_rows(log.time, ~log.filled)


def find_timing(stamps: FloatArray, period: float) -> tuple[float, float, float]:
    """Return duration in s, rate in Hz (median) and jitter in s of the stamps (N,) of rows."""
    finite = stamps[np.isfinite(stamps)]
    steps = np.diff(stamps)
    regular = steps[np.isfinite(steps) & (np.abs(steps - period) < 0.5 * period)]
    rate, jitter = (1.0 / np.median(regular), np.std(regular)) if len(regular) else (np.nan, np.nan)
    return float(finite.max() - finite.min()), float(rate), float(jitter)


def _motion_findings(
    guarded: GuardedLog, machine: Machine, settings: Settings
) -> tuple[FloatArray, int, int]:
    """Peak rates (6,) in m/s, and how many poses are missing and degraded; the motion itself is let go."""
    peaks, failed, degraded = [], 0, 0
    for motion in smooth_in_stretches(guarded, settings.filter):
        status = forward_kinematics(machine, motion.length).status
        peaks.append(_peak(motion.rate))
        failed += int(np.count_nonzero(status == FAILED))
        degraded += int(np.count_nonzero(status == DEGRADED))
    return _peak(np.array(peaks).reshape(-1, STRUTS)), failed, degraded


def _peak(values: FloatArray | None) -> FloatArray:
    return np.full(STRUTS, np.nan) if values is None else np.abs(find_range(values)).max(axis=1)


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
