# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Logs of a mechanism's drives of any kind, by their path: text, arrays, recordings; columns and joints by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from pkm_identification.errors import LogError
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.memory import arrays_beyond_memory
from pkm_identification.signals.guard.held_values import choose_new_rows, find_hold
from pkm_identification.signals.guard.unusable import refuse_unsorted
from pkm_identification.signals.steady_period import period_of_stamps

from .bags import ROS_1
from .foreign import ARRAY_FILES, looks_foreign
from .foreign.drive_sheet import read_drive_sheet, states_units
from .log import BAG_FILES
from .mechanism_csv import read_named_csv

_UNEVEN = 0.1  # of the sample period
# Between stamps that is interpolated across: one sample may be missing, or a tenth of a period of the estimation band;
# motion is smooth over that.
LARGEST_STEP_PERIODS, LARGEST_STEP_S = 2.5, 0.010
TIME = "t"


@dataclass(frozen=True)
class DriveLog:
    """What the drives of a mechanism reported, on a regular clock.

    Attributes
    ----------
    time : ndarray, shape (N,)
        s.
    drive, force : ndarray, shape (N, n)
        Coordinates in m or rad, forces in N or N m.
    source : str
    faults : dict of str to int
        What was set right while reading, by reason; empty for a good log.
    warnings : tuple of str
        What a reader of results should know of the log.
    """

    time: FloatArray
    drive: FloatArray
    force: FloatArray
    source: str = "the log"
    faults: dict[str, int] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.time)

    @cached_property
    def period(self) -> float:
        """Sample period in s; raises LogError unless times rise evenly, and names the first that does not."""
        steps = np.diff(self.time)
        if not len(steps):
            raise LogError(f"{self.source}: the log is too short: one sample")
        refuse_unsorted(self.time, self.source)
        period = float(np.median(steps))
        uneven = ~(np.abs(steps - period) <= _UNEVEN * period) | (steps <= 0.0)
        if uneven.any():
            k = int(np.argmax(uneven))
            raise LogError(
                f"{self.source}: column t must rise evenly: "
                f"{steps[k]:g} s from {self.time[k]:g} s on, mostly {period:g} s"
            )
        # stamps that are rounded have another middle step than they have on average
        return period_of_stamps(self.time, period)


def read_drive_log(
    path: str | Path, drives: Sequence[str], forces: Sequence[str], topic: str | None = None
) -> DriveLog:
    """A log of drives: a table as `pkm simulate` of a mechanism writes it, files of arrays, or a recording.

    Parameters
    ----------
    path : str or Path
        Text of `t`, drives and forces by name (.gz, too; other delimiters, decimal commas and units in brackets or
        below the names as `read_drive_sheet` takes them); .mat, .parquet, .h5 or .hdf5 with arrays of these names; a
        rosbag2 folder, its .db3 or .mcap file, or a .bag of ROS 1, with sensor_msgs/JointState whose names are the
        drives' and whose efforts are their forces.
    drives, forces : sequence of str
        m or rad; N or N m.
    topic : str, optional
        Of a recording, when several have all drives.

    Raises
    ------
    LogError
        If it cannot be read, a column or a joint is missing, a number is not finite, or times do not rise evenly.
    SettingsError
        If a library that reads it is not installed.
    """
    file = Path(path)
    ending = file.suffix.lower()
    if file.is_dir() or ending in (*BAG_FILES, ROS_1):
        log = _of_recording(file, drives, topic)
    elif topic is not None:
        raise LogError(f"{path}: has no topics; --topic is for recordings")
    elif ending in ARRAY_FILES:
        log = _of_arrays(file, drives, forces)
    elif looks_foreign(path) or states_units(path, (TIME, *drives, *forces)):
        values, source, faults = read_drive_sheet(path, TIME, drives, forces)
        drive, force = np.split(values[:, 1:], [len(drives)], axis=1)
        log = DriveLog(values[:, 0], drive, force, source, faults)
    else:
        table = read_named_csv(path, (*drives, *forces))
        if table.time is None:
            raise LogError(f"{path}: no column t; rates need times")
        drive, force = np.split(table.values, [len(drives)], axis=1)
        log = DriveLog(table.time, drive, force, table.source)
    log = _resampled_evenly(without_repeats(log))
    _ = log.period
    return log


def _resampled_evenly(log: DriveLog) -> DriveLog:
    """Return the log at even instants where its stamps are uneven and rise without gaps; else the log itself.

    Values between the samples are those of cubic splines through them.
    """
    steps = np.diff(log.time)
    if len(steps) < 4:
        return log
    period = float(np.median(steps))
    largest = max(LARGEST_STEP_PERIODS * period, LARGEST_STEP_S)
    even = np.all(np.abs(steps - period) <= _UNEVEN * period)
    if even or not (np.all(steps > 0.0) and np.max(steps) <= largest):
        return log
    from scipy.interpolate import CubicSpline  # here: most logs are even

    time = log.time[0] + period * np.arange(int((log.time[-1] - log.time[0]) / period) + 1)
    whole = CubicSpline(log.time, np.column_stack([log.drive, log.force]))(time)
    drive, force = np.split(whole, [log.drive.shape[1]], axis=1)
    warning = (
        f"{log.source}: stamps are {1e3 * np.min(steps):.3g} to {1e3 * np.max(steps):.3g} ms apart: values were "
        f"taken every {1e3 * period:.4g} ms, interpolated between samples"
    )
    return replace(log, time=time, drive=drive, force=force, warnings=(*log.warnings, warning))


def without_repeats(log: DriveLog) -> DriveLog:
    """Return a log without the repeats of values that are held over several samples; itself where none are."""
    values, count = np.hstack([log.drive, log.force]), log.drive.shape[1]
    hold = find_hold([values], [slice(0, count), slice(count, 2 * count)])
    if hold is None:
        return log
    rows = choose_new_rows(values, hold)
    warning = (
        f"{log.source}: values change {hold.words}: the {len(log) - len(rows)} repeats between are left out"
    )
    return replace(
        log,
        time=log.time[rows],
        drive=log.drive[rows],
        force=log.force[rows],
        warnings=(*log.warnings, warning),
    )


def _of_arrays(path: Path, drives: Sequence[str], forces: Sequence[str]) -> DriveLog:
    columns = ARRAY_FILES[path.suffix.lower()](path)
    wanted = (TIME, *drives, *forces)
    missing = [name for name in wanted if name not in columns.names]
    if missing:
        raise LogError(f"{path}: no column {', '.join(missing)}; there are: {', '.join(columns.names)}")
    pieces: list[FloatArray] = []
    for piece in columns.pieces(wanted):
        pieces.append(piece)
        if problem := arrays_beyond_memory(sum(one.nbytes for one in pieces)):
            raise LogError(f"{path}: {problem}")
    values = np.concatenate(pieces)
    drive, force = np.split(values[:, 1:], [len(drives)], axis=1)
    return _finite(DriveLog(values[:, 0], drive, force, str(path)))


def _of_recording(path: Path, drives: Sequence[str], topic: str | None) -> DriveLog:
    # Imported here because it takes longer than reading text
    from .bags.reader import read_joint_bag

    decoded = read_joint_bag(path, drives, topic)
    if decoded.effort is None:
        raise LogError(f"{path}: no message has efforts; expected the forces of all drives")
    return _finite(DriveLog(decoded.time, decoded.position, decoded.effort, str(path)))


def _finite(log: DriveLog) -> DriveLog:
    whole = np.column_stack([log.time, log.drive, log.force])
    wrong = ~np.isfinite(whole).all(axis=1)
    if wrong.any():
        raise LogError(f"{log.source}: sample {int(np.argmax(wrong)) + 1} has a number that is not finite")
    return log
