# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Input validation of logs of n drives: what no filter may get is left out, holes are filled, stamps are followed.

The kernel is that of hexapods' input validation. Where stamps are uneven either they or the samples jitter: if
coordinates move as uneven stamps say, samples are taken at a regular clock in between; else they are taken as even, as
they stand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pkm_identification.errors import LogError
from pkm_identification.machines.contract import Machine
from pkm_identification.motion import DriveLog
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.large_arrays import representative_rows, row_blocks
from pkm_identification.numerics.rows import segment_slices
from pkm_identification.signals.input_validation import ValidatedLog, ValidationSettings
from pkm_identification.signals.input_validation.another_machine import refuse_another_machine
from pkm_identification.signals.input_validation.unusable import (
    are_copies,
    find_copied_forces,
    refuse_copies,
    refuse_unsigned_forces,
    refuse_zero_forces,
)
from pkm_identification.signals.white_noise import LAGS, force_density

from ..rates.recorded_rows import find_segments, prepare_log
from ..rates.sample_rate import compute_common_period
from ..settings import Settings
from .limits import NEIGHBOURS, apply_validation

FEWEST_OF_NOISE = 16 * LAGS  # rows that show the level of its noise
DRIFTING_SHARE = 0.02  # of the samples whose stamps run away
# The slope of what coordinates do besides an even clock against what uneven stamps ask for: 0 or 1, and how sure of it
FOLLOWED, SURE = 0.5, 0.2
# Samples over which a period is measured, and how far it may be off the whole's
DRIFTING, LARGEST_DRIFT = 100, 0.02
# Periods by which each stamp, and the mean of DRIFTING stamps, may be off an even clock; and the least median error of
# the steps: below it stamps are even, and a long step is a lost sample
SCATTER, SIDED, LEAST_SCATTER = 0.6, 0.15, 0.05
ALIKE = 0.1  # of the forces' rms: forces of drives that differ by noise alone


@dataclass(frozen=True)
class ValidatedLogs:
    """Logs of one experiment on their clocks, as the drives report them.

    Attributes
    ----------
    logs : tuple of ValidatedLog
    settings : Settings
        Resolved for the machine and the logs' sample period.
    dropped : dict of str to int
        Rows left out, by reason.
    warnings : tuple of str
    """

    logs: tuple[ValidatedLog, ...]
    settings: Settings
    dropped: dict[str, int]
    warnings: tuple[str, ...]


def validate_logs(logs: Sequence[DriveLog], machine: Machine, given: Settings) -> ValidatedLogs:
    """Return logs on their clock at their common sample period.

    Raises
    ------
    LogError
        If a log holds no forces, is of another machine, runs at a wrong rate or at another than the first, or has no
        usable row.
    SettingsError
        If a filter is impossible at that period.
    """
    prepared = [prepare_log(log, machine) for log in logs]
    if not given.causal:  # a stream has no line through all stamps
        prepared = [replace(one, log=even_out_stamps(one.log)) for one in prepared]
    for one in prepared:
        refuse_useless(one.log, machine)
    holds = [one.hold for one in prepared]
    period, warnings = compute_common_period([one.log for one in prepared], machine, given.validation, holds)
    settings = given.resolve(machine, period)
    validated = tuple(validate_log(one.log, machine, settings.validation) for one in prepared)
    dropped: Counter[str] = Counter()
    for one, log in zip(prepared, validated, strict=True):
        dropped.update(one.faults)
        dropped.update(log.dropped)
        dropped["resampled"] += len(log) if log.resampled else 0
    sentences = [sentence for one in prepared for sentence in one.warnings]
    return ValidatedLogs(validated, settings, dict(+dropped), (*sentences, *warnings))


def refuse_useless(log: DriveLog, machine: Machine) -> None:
    """Refuse a log of another machine, forces that are none, and copies of a column."""
    refuse_silent_drives(log, machine)
    refuse_forces_beyond_limits(log, machine)
    refuse_copied_drives(log, machine)
    refuse_another_machine(log, machine)


def validate_log(log: DriveLog, machine: Machine, validation: ValidationSettings) -> ValidatedLog:
    """Return a log on a regular clock, without rows that are not finite, come twice or late, or are spikes.

    Parameters
    ----------
    log : DriveLog
        As `prepare_log` leaves it.
    machine : Machine
        Its drives' limits; what they do not state is read off the log.
    validation : ValidationSettings
        Resolved.

    Raises
    ------
    LogError
        If the log has no usable row, or its forces have no sign.
    """
    validated = apply_validation(log, machine, validation)
    if not len(validated):
        worst = max(validated.dropped, key=lambda name: validated.dropped[name], default="")
        raise LogError(f"{log.source}: no usable sample: all {len(log)} dropped, mostly '{worst}'")
    refuse_unsigned_forces(validated.force, log.source, name_force_units(machine))
    return follow_stamps(validated)


def name_force_units(machine: Machine) -> str:
    """Return the units of a machine's forces, in words."""
    return " or ".join(dict.fromkeys(drive.force_unit for drive in machine.drives))


def even_out_stamps(log: DriveLog) -> DriveLog:
    """Return a log at its even clock, where stamps scatter about one so much that samples would be miscounted by them.

    No sample is missing or double where stamps stay near the line through all of them and scatter to either side of it.
    """
    time = log.time
    if len(time) < 2 * DRIFTING or not np.isfinite(time).all():
        return log
    count = np.arange(len(time)) - 0.5 * (len(time) - 1)
    period = float(count @ time / (count @ count))
    steps = np.abs(np.diff(time) / period - 1.0)
    if not np.any(steps > 0.5) or np.median(steps) < LEAST_SCATTER:
        return log
    even = time.mean() + period * count
    off = (time - even) / period
    means = [np.mean(part) for part in np.array_split(off, len(off) // DRIFTING)]
    scattered = np.abs(off).max() < SCATTER and np.abs(means).max() < SIDED
    if not scattered or follows_stamps(time, log.coordinate, np.zeros(len(time), dtype=np.int64), period):
        return log
    return replace(log, time=even)


def follow_stamps(log: ValidatedLog) -> ValidatedLog:
    """Return a log at an even clock, with samples taken in between where stamps are uneven and samples follow them."""
    rows = np.concatenate(find_segments(~log.filled))  # of hours some stretches tell it
    if not follows_stamps(log.time[rows], log.coordinate[rows], log.segment[rows], log.period):
        _refuse_drift(log.source, log.time, log.segment, log.period)
        return log
    own = ~log.filled
    time, coordinate, segment = log.time[own], log.coordinate[own], log.segment[own]
    columns = {"time": time, "coordinate": coordinate}
    density = np.zeros(coordinate.shape[1])
    if log.force is not None:
        columns["force"] = log.force[own]
        if len(time) >= FEWEST_OF_NOISE:
            density = force_density(columns["force"], coordinate, log.period)
    made = _resample(columns, segment, log.period)
    nothing = np.zeros(len(made["time"]), dtype=bool)
    return ValidatedLog(
        made["time"], made["coordinate"], made.get("force"), made["segment"], nothing, log.counts, log.first,
        log.period, source=log.source, force_density=density,
    )  # fmt: skip


def _refuse_drift(source: str, time: FloatArray, segment: NDArray[np.int64], period: float) -> None:
    """Refuse samples whose stamps run away from the even clock that they are taken to have."""
    for part in segment_slices(segment):
        stamps = time[part]
        if len(stamps) <= DRIFTING:
            continue
        own = (stamps[DRIFTING:] - stamps[:-DRIFTING]) / DRIFTING
        off = np.abs(own / period - 1.0) > LARGEST_DRIFT
        if np.mean(off) > DRIFTING_SHARE:
            k = int(np.argmax(off))
            raise LogError(
                f"{source}: column t must rise evenly: {own[k]:.4g} s a sample from {stamps[k]:g} s on, "
                f"{period:.4g} s on the whole, and the coordinates do not move as these stamps say"
            )


def follows_stamps(
    time: FloatArray, coordinate: FloatArray, segment: NDArray[np.int64], period: float
) -> bool:
    """Return whether coordinates move as uneven stamps say, and not as on an even clock.

    What a sample is off the middle of its neighbours is regressed on what the stamps ask for, rate times what the stamp
    is off the middle of theirs: the slope is 1 if samples were taken at their stamps, and 0 if only stamps jitter.

    Parameters
    ----------
    time : ndarray, shape (N,)
    coordinate : ndarray, shape (N, n)
    segment : ndarray of int64, shape (N,)
    period : float
        s
    """
    whole = time[2:] - time[:-2]
    near = (np.diff(time) < NEIGHBOURS * period) & (np.diff(segment) == 0)
    near = near[1:] & near[:-1]
    off = (time[1:-1] - 0.5 * (time[2:] + time[:-2]))[near]
    if not len(off) or np.abs(off).max() < 1e-6 * period:
        return False
    asked = off[:, None] * ((coordinate[2:] - coordinate[:-2])[near] / whole[near, None])
    seen = (coordinate[1:-1] - 0.5 * (coordinate[2:] + coordinate[:-2]))[near]
    power = np.mean(seen**2, axis=0)
    moving = power > 0.0
    asked, seen = asked[:, moving] / np.sqrt(power[moving]), seen[:, moving] / np.sqrt(power[moving])
    square = float(np.sum(asked**2))
    if square == 0.0:
        return False
    slope = float(np.sum(asked * seen)) / square
    std = np.sqrt(float(np.mean((seen - slope * asked) ** 2)) / square)
    return slope > FOLLOWED and std < SURE


def _resample(
    columns: dict[str, FloatArray], segment: NDArray[np.int64], period: float
) -> dict[str, NDArray]:
    """Return columns at a regular clock within each segment: coordinates by cubic splines, forces by straight lines."""
    # here, because it brings along what takes a second to load
    from scipy.interpolate import CubicSpline

    parts: dict[str, list] = {name: [] for name in (*columns, "segment")}
    for part in segment_slices(segment):
        time = columns["time"][part]
        if len(time) < 4:
            continue
        even = time[0] + period * np.arange(int((time[-1] - time[0]) / period + 1e-9) + 1)
        parts["time"].append(even)
        parts["coordinate"].append(CubicSpline(time, columns["coordinate"][part])(even))
        if "force" in columns:
            lines = [np.interp(even, time, one) for one in columns["force"][part].T]
            parts["force"].append(np.column_stack(lines))
        parts["segment"].append(np.full(len(even), segment[part.start], dtype=np.int64))
    return {name: np.concatenate(one) for name, one in parts.items()}


def refuse_copied_drives(log: DriveLog, machine: Machine) -> None:
    """Refuse a log in which one drive's coordinate stands in all columns, or one force in those of two drives.

    Drives of a symmetric machine do move alike where it is simulated without noise: then their forces are alike, too.
    """
    if log.force is None:
        refuse_copies(log.coordinate, log.source, "coordinates", machine.drives[0].part)
    elif are_copies(log.coordinate):
        force = log.force[np.isfinite(log.force).all(axis=1)]
        apart = np.mean((force - force[:, :1]) ** 2) / max(float(np.mean(force**2)), 1e-300)
        if not 0.0 < np.sqrt(apart) < ALIKE:
            refuse_copies(log.coordinate, log.source, "coordinates", machine.drives[0].part)

    if log.force is not None and (pair := find_copied_forces(log.force, log.coordinate)) is not None:
        one, other = (machine.drives[k].force_name for k in pair)
        raise LogError(
            f"{log.source}: {one} and {other} are the same in every sample: one drive's force, or the sum of both, "
            "stands in both columns. A sum cannot be divided: record the force of each drive"
        )


def refuse_forces_beyond_limits(log: DriveLog, machine: Machine) -> None:
    """Refuse a log in which a drive's force is mostly more than the machine file lets it give."""
    if log.force is None or not len(log):
        return
    usual = np.median(np.nan_to_num(np.abs(representative_rows(log.force))), axis=0)
    beyond = [
        f"{drive.force_name} is mostly about {size:.3g} {drive.force_unit}, and the file's force limit is "
        f"{drive.force_limit:.4g} {drive.force_unit}"
        for drive, size in zip(machine.drives, usual, strict=True)
        if size > drive.force_limit
    ]
    if beyond:
        raise LogError(
            f"{log.source}: {'; '.join(beyond)}: state the unit that the log has (--units, or in the column's name), "
            "or correct the limit"
        )


def refuse_silent_drives(log: DriveLog, machine: Machine) -> None:
    """Refuse a log in which all forces, or a drive's, are 0 or missing throughout."""
    if log.force is None or not len(log):
        return
    refuse_zero_forces(log.force, log.source)
    heard, numbers = np.zeros((2, len(machine.drives)), dtype=bool)
    for block in row_blocks(len(log)):
        heard |= np.nan_to_num(log.force[block]).any(axis=0)
        numbers |= np.isfinite(log.force[block]).any(axis=0)
    for state, drives in (("0 throughout", numbers & ~heard), ("no number throughout", ~numbers)):
        if drives.any():
            names = ", ".join(machine.drives[i].force_name for i in np.flatnonzero(drives))
            raise LogError(f"{log.source}: {names}: {state}; expected the forces of all drives")
