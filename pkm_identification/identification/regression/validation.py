# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Input validation of logs of n drives: what no filter may get is left out, holes are filled, stamps are followed.

The kernel is that of hexapods' guard. Where stamps are uneven either they or the samples jitter: if coordinates move as
uneven stamps say, samples are taken at a regular clock in between; else they are taken as even, as they stand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from pkm_identification.errors import LogError
from pkm_identification.machines.contract import Machine
from pkm_identification.motion import DriveLog
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.segments import segment_slices
from pkm_identification.signals.forces.drive_transfer import DriveTransfer
from pkm_identification.signals.guard.judgement import (
    ACCEPTED,
    CLOCK,
    HIGHEST,
    LOWEST,
    MEMORY,
    NEW_SEGMENT,
    REJECTIONS,
    REMEMBERED,
    START,
    judge_log,
)
from pkm_identification.signals.guard.samples import GuardedLog
from pkm_identification.signals.guard.settings import FILLED, FILLED_PERIODS
from pkm_identification.signals.guard.stream import fill_short_holes
from pkm_identification.signals.guard.unusable import are_copies, refuse_copies, refuse_zero_forces
from pkm_identification.signals.steady_period import TWICE, period_of_stamps
from pkm_identification.signals.white_noise import LAGS, force_density

from ..rates.sample_rate import SAME_RATE
from .limits import find_limits

LATE_TOLERANCE = 0.5  # s: stamps so far behind are stragglers; more is a clock set back
FEWEST = 20  # rows of a log
FEWEST_OF_NOISE = 16 * LAGS  # rows that show the level of its noise
ANOTHER_SHARE = 0.02  # of the samples outside a drive's limits: the log of another machine, or wrong limits
# The slope of what coordinates do besides an even clock against what uneven stamps ask for: 0 or 1, and how sure of it
FOLLOWED, SURE = 0.5, 0.2
DRIFTING, LARGEST_DRIFT = (
    100,
    0.02,
)  # samples over which a period is measured, and how far it may be off the whole's
ALIKE = 0.1  # of the forces' rms: forces of drives that differ by noise alone
NEIGHBOURS = 1.75  # periods between two stamps that belong to successive samples, at most


@dataclass(frozen=True)
class ValidatedLog:
    """A log on a regular clock, at the encoders or at the mechanism.

    Attributes
    ----------
    time : ndarray, shape (N,)
        s
    coordinate, force : ndarray, shape (N, n)
        In the drives' units, N or N m.
    segment : ndarray of int64, shape (N,)
        Number of the uninterrupted segment a row belongs to.
    period : float
        s
    source : str
    dropped : dict of str to int
        Rows left out and segments begun, by reason.
    force_density : ndarray, shape (n,), or None
        Where samples are taken between uneven stamps: power density of the forces' noise as recorded, N^2/Hz. What is
        between stamps has less noise near half the sample rate, where it is measured otherwise.
    first : dict of str to float
        Stamp in s of the first row of each reason of `dropped` that input validation has found.
    accepted, filled : int
        Rows of the log that are used, and rows that never came or were dropped, and were filled in.
    """

    time: FloatArray
    coordinate: FloatArray
    force: FloatArray
    segment: NDArray[np.int64]
    period: float
    source: str
    dropped: dict[str, int]
    force_density: FloatArray | None = None
    first: dict[str, float] = field(default_factory=dict)
    accepted: int = 0
    filled: int = 0

    @property
    def resampled(self) -> bool:
        """Whether samples are taken between uneven stamps."""
        return self.force_density is not None

    def as_guarded(self) -> GuardedLog:
        """The same, as filters take a log on a regular clock."""
        return GuardedLog(
            self.time, self.coordinate, self.force, self.segment, np.zeros(len(self), dtype=bool),
            {"accepted": self.accepted, "filled": self.filled} | self.dropped, self.first, self.period,
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.time)

    def __getitem__(self, rows: slice) -> ValidatedLog:
        parts = {name: getattr(self, name)[rows] for name in ("time", "coordinate", "force", "segment")}
        return replace(self, **parts)


def validate_logs(logs: Sequence[DriveLog], machine: Machine) -> list[ValidatedLog]:
    """Return logs of one sample rate on their clocks; raises LogError as `validate_log`, and where rates differ."""
    periods = [measure_period(log) for log in logs]
    for log, period in zip(logs, periods, strict=True):
        if abs(period / periods[0] - 1.0) > SAME_RATE:
            raise LogError(
                f"{log.source}: {1 / period:.6g} samples a second, {1 / periods[0]:.6g} in the first log"
            )
    return [validate_log(log, machine, periods[0]) for log in logs]


def measure_period(log: DriveLog) -> float:
    """Return the sample period of a log in s: of the rows that are finite, since others are not used.

    Raises
    ------
    LogError
        If time goes forward too seldom.
    """
    time = log.time[_finite_rows(log)]
    steps = np.diff(time)
    steps = steps[steps > 0.0]
    if len(steps) < FEWEST:
        count = f"{len(log)} samples" if len(log) != 1 else "one sample"
        raise LogError(
            f"{log.source}: the log is too short: {count}, time goes forward {len(steps)} times; "
            f"at least {FEWEST} are needed"
        )
    near = float(np.median(steps))
    return period_of_stamps(time, near)


def _finite_rows(log: DriveLog) -> NDArray[np.bool_]:
    """Return which rows (N,) of a log have a finite stamp, coordinates and forces; a LogError if none has."""
    finite = np.asarray(np.isfinite(np.column_stack([log.time, log.coordinate, log.force])).all(axis=1))
    if len(finite) and not finite.any():
        raise LogError(f"{log.source}: no usable sample: all {len(finite)} dropped, mostly 'not_finite'")
    return finite


def validate_log(log: DriveLog, machine: Machine, period: float) -> ValidatedLog:
    """Return a log on a regular clock, without rows that are not finite, come twice or late, or are spikes.

    Parameters
    ----------
    log : DriveLog
    machine : Machine
        Its drives' limits; what they do not state is read off the log.
    period : float
        s

    Raises
    ------
    LogError
        If the log is of another machine or has no usable row, all coordinates are copies of one, or a drive's force is
        0 throughout.
    """
    time, coordinate, force = (np.ascontiguousarray(part) for part in (log.time, log.coordinate, log.force))
    finite = _finite_rows(log)
    refuse_copied_drives(log)
    refuse_silent_drives(log, machine)
    step = np.diff(time[finite])
    beside = (step > TWICE * period) & (step < NEIGHBOURS * period)
    limits = find_limits(coordinate[finite], period, beside, machine)
    _refuse_another_machine(log, machine, coordinate[finite], limits)
    count = len(time)
    kept, segment = np.zeros((2, count), dtype=np.int64)
    verdicts, beginnings = np.zeros((2, count), dtype=np.int8)
    fills, memory = np.zeros(count, dtype=np.int32), np.zeros(1, dtype=MEMORY)
    memory["segment"] = -1
    clock = np.array([(period, max(FILLED, FILLED_PERIODS * period), LATE_TOLERANCE)], dtype=CLOCK)
    past = np.zeros((REMEMBERED, len(machine.drives)))
    judged = kept, fills, segment, verdicts, beginnings
    used = judge_log(time, coordinate, force, True, memory, past, (clock, limits), judged)
    found = {name: np.flatnonzero(verdicts == code) for code, name in REJECTIONS.items()}
    found |= {name: np.flatnonzero(beginnings == code) for code, name in NEW_SEGMENT.items() if code != START}
    first = {name: float(time[rows[0]]) for name, rows in found.items() if len(rows)}
    dropped = log.faults | {name: len(rows) for name, rows in found.items() if len(rows)}
    if not used:
        worst = max(dropped, key=lambda name: dropped[name])
        raise LogError(f"{log.source}: no usable sample: all {count} dropped, mostly '{worst}'")
    rows = np.flatnonzero(verdicts == ACCEPTED)
    columns: dict[str, NDArray] = {"time": time, "coordinate": coordinate, "force": force}
    resampled = follows_stamps(time[rows], coordinate[rows], segment[:used], period)
    density = None
    if resampled:
        density = _measure_density(force[rows], coordinate[rows], period)
        columns = _resample({name: column[rows] for name, column in columns.items()}, segment[:used], period)
    elif used < count or fills[:used].any():
        columns = fill_short_holes(columns, kept[:used], fills[:used], segment[:used])
    else:
        columns["segment"] = segment
    if not resampled:
        _refuse_drift(log.source, columns["time"], columns["segment"], period)
    return ValidatedLog(
        columns["time"], columns["coordinate"], columns["force"], columns["segment"], period, log.source,
        dropped, density, first, used, int(fills[:used].sum()),
    )  # fmt: skip


def _measure_density(force: FloatArray, coordinate: FloatArray, period: float) -> FloatArray:
    """Return the power density (n,) of the noise of forces; 0 of logs that are too short to measure it."""
    if len(force) < FEWEST_OF_NOISE:
        return np.zeros(force.shape[1])
    return force_density(force, coordinate, period)


def _refuse_drift(source: str, time: FloatArray, segment: NDArray[np.int64], period: float) -> None:
    """Refuse samples whose stamps run away from the even clock that they are taken to have."""
    for part in segment_slices(segment):
        stamps = time[part]
        if len(stamps) <= DRIFTING:
            continue
        own = (stamps[DRIFTING:] - stamps[:-DRIFTING]) / DRIFTING
        off = np.abs(own / period - 1.0) > LARGEST_DRIFT
        if np.mean(off) > ANOTHER_SHARE:
            k = int(np.argmax(off))
            raise LogError(
                f"{source}: column t must rise evenly: {own[k]:.4g} s a sample from {stamps[k]:g} s on, "
                f"{period:.4g} s on the whole, and the coordinates do not move as these stamps say"
            )


def follows_stamps(
    time: FloatArray, coordinate: FloatArray, segment: NDArray[np.int64], period: float
) -> bool:
    """Whether coordinates move as uneven stamps say, and not as on an even clock.

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
        parts["force"].append(
            np.column_stack([np.interp(even, time, one) for one in columns["force"][part].T])
        )
        parts["segment"].append(np.full(len(even), segment[part.start], dtype=np.int64))
    return {name: np.concatenate(one) for name, one in parts.items()}


def refuse_copied_drives(log: DriveLog) -> None:
    """Refuse a log in which one drive's coordinate stands in all columns.

    Drives of a symmetric machine do move alike where it is simulated without noise: then their forces are alike, too.
    """
    if are_copies(log.coordinate):
        force = log.force[np.isfinite(log.force).all(axis=1)]
        apart = np.mean((force - force[:, :1]) ** 2) / max(float(np.mean(force**2)), 1e-300)
        if not 0.0 < np.sqrt(apart) < ALIKE:
            refuse_copies(log.coordinate, log.source, "coordinates", "drive")


def refuse_silent_drives(log: DriveLog, machine: Machine) -> None:
    """Refuse a log in which all forces, or a drive's, are 0 throughout."""
    refuse_zero_forces(log.force, log.source)
    drives = zip(machine.drives, np.nan_to_num(log.force).T, strict=True)
    silent = [drive.force_name for drive, column in drives if not column.any()]
    if silent:
        raise LogError(f"{log.source}: {', '.join(silent)}: 0 throughout; expected the forces of all drives")


def _refuse_another_machine(
    log: DriveLog, machine: Machine, coordinate: FloatArray, limits: FloatArray
) -> None:
    for i, drive in enumerate(machine.drives):
        outside = (coordinate[:, i] < limits[LOWEST, i]) | (coordinate[:, i] > limits[HIGHEST, i])
        if (share := float(np.mean(outside))) > ANOTHER_SHARE:
            raise LogError(
                f"{log.source}: {100 * share:.3g} % of the samples have {drive.name} outside its limits "
                f"{drive.lowest:g} to {drive.highest:g} {drive.unit} in the file of '{machine.name}' "
                f"({coordinate[:, i].min():.4g} to {coordinate[:, i].max():.4g}): another machine, unit or limits"
            )


def find_acting(log: ValidatedLog, machine: Machine) -> ValidatedLog:
    """Return coordinates and forces at the mechanism, of those that its drives report; segments lose their ends.

    Raises
    ------
    LogError
        If all segments are too short for it.
    """
    transfers = machine.build_transfers(log.period)
    if transfers is None:
        return log
    through = DriveTransfer(transfers, log.period)
    parts = []
    for part in segment_slices(log.segment):
        inner = slice(part.start + through.before, part.stop - through.after)
        if inner.start < inner.stop:
            coordinate, force = through.corrected(log.coordinate[part], log.force[part])
            parts.append((log.time[inner], coordinate, force, log.segment[inner]))
    if not parts:
        raise LogError(f"{log.source}: the log is too short: {len(log)} samples")
    time, coordinate, force, segment = (np.concatenate(one) for one in zip(*parts, strict=True))
    return replace(log, time=time, coordinate=coordinate, force=force, segment=segment)
