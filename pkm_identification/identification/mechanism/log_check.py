# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What is wrong with a log of drives, and what it can be used for: `pkm check` of machines that are no hexapods."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.errors import LogError, PkmError
from pkm_identification.machines.contract import DEGRADED
from pkm_identification.machines.multibody import Multibody
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.segments import segment_slices
from pkm_identification.records.drive_log import DriveLog
from pkm_identification.signals.guard.unusable import refuse_unsigned_forces

from ..identify import identify
from ..log_check import DROPPED, KINDS, Fault, LogCheck, find_range, find_timing
from ..regression.road import Road
from ..regression.validation import (
    ValidatedLog,
    measure_period,
    refuse_copied_drives,
    refuse_silent_drives,
    validate_log,
)
from ..settings import Settings

RESAMPLED = (
    "stamps are uneven, and coordinates move as they say: samples are taken at an even clock in between"
)


@dataclass(frozen=True)
class _Motion:
    """Peak rates (n,), share of the time in which drives stand still (n,), and how many poses fail or are degraded."""

    peak_rate: FloatArray
    standstill: FloatArray
    failed: int
    degraded: int


def inspect_drive_log(log: DriveLog, mechanism: Mechanism) -> LogCheck:
    """Examine a log of drives.

    Parameters
    ----------
    log : DriveLog
    mechanism : Mechanism

    Returns
    -------
    LogCheck

    Raises
    ------
    LogError
        If there is too little to examine, a drive's force is 0 throughout, forces are unsigned, or all coordinates are
        copies of one.
    """
    machine = Multibody(mechanism)
    refuse_silent_drives(log, machine)
    refuse_copied_drives(log)
    period = measure_period(log)
    validated, motion, identification, obstacle = None, None, None, ""
    try:
        validated = validate_log(log, machine, period)
    except LogError as error:
        obstacle = str(error)
    if validated is not None:
        refuse_unsigned_forces(validated.force, log.source, "N or N m")
        try:
            motion = _find_motion(machine, validated)
            identification = identify([log], machine, Settings.of(estimator="ls", hold_out=0.0))
        except PkmError as error:
            obstacle = str(error)
    # where nothing could be used, the reason shows in what was recorded
    coordinate, force = (
        (log.drive, log.force) if validated is None else (validated.coordinate, validated.force)
    )
    spans = [] if validated is None else segment_slices(validated.segment)
    lengths = [(part.stop - part.start) * period for part in spans]
    duration, rate, jitter = find_timing(_used_stamps(log, validated), period)
    nothing = np.full(len(machine.drives), np.nan)
    return LogCheck(
        source=log.source,
        samples=len(log),
        usable=0 if validated is None else validated.accepted,
        duration=duration,
        rate=rate,
        jitter=jitter,
        expected_rate=machine.sample_rate,
        faults=_find_faults(log, validated),
        segments=len(lengths),
        longest=max(lengths, default=0.0),
        drives=machine.drives,
        coordinate_range=find_range(coordinate),
        peak_rate=nothing if motion is None else motion.peak_rate,
        peak_force=np.abs(find_range(force)).max(axis=1),
        standstill=nothing if motion is None else motion.standstill,
        poses_failed=0 if motion is None else motion.failed,
        poses_degraded=0 if motion is None else motion.degraded,
        identification=identification,
        obstacle=obstacle,
        warnings=(*log.warnings, *((RESAMPLED,) if validated is not None and validated.resampled else ())),
        labels=tuple(drive.name for drive in machine.drives),
    )


def _find_motion(machine: Multibody, log: ValidatedLog) -> _Motion:
    """Return what the drives do; raises PkmError where the log is too short or another machine's."""
    band = replace(Settings().band, period=log.period)
    made = Road(machine, machine.build_parameter_set(), band).equations(log)
    motion = made.samples.motion
    standstill = np.mean(made.still, axis=0) if len(made.still) else np.full(len(machine.drives), np.nan)
    degraded = int(np.count_nonzero(motion.status == DEGRADED))
    return _Motion(np.abs(find_range(motion.rate)).max(axis=1), standstill, made.samples.failed, degraded)


def _used_stamps(log: DriveLog, validated: ValidatedLog | None) -> FloatArray:
    """Return the stamps as recorded, of the time in which rows are used."""
    if validated is None:
        return log.time
    first, last = validated.time.min(), validated.time.max()
    return log.time[(log.time >= first) & (log.time <= last)]


def _find_faults(log: DriveLog, validated: ValidatedLog | None) -> tuple[Fault, ...]:
    """Return what is wrong, by kind; rows that never came are those filled that were not dropped."""
    if validated is None:
        counts, first = dict(log.faults), {}
    else:
        counts, first = dict(validated.dropped), validated.first
        counts["missing"] = max(validated.filled - sum(counts.get(kind, 0) for kind in DROPPED), 0)
    return tuple(Fault(kind, counts[kind], first.get(kind)) for kind in KINDS if counts.get(kind))
