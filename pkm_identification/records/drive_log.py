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
from pathlib import Path

import numpy as np

from pkm_identification.errors import LogError
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.memory import arrays_beyond_memory
from pkm_identification.signals.guard.held_values import choose_new_rows, find_hold
from pkm_identification.signals.guard.unusable import refuse_unsorted

from .bags import ROS_1
from .foreign import ARRAY_FILES, looks_foreign
from .foreign.drive_sheet import read_drive_sheet, states_units
from .log import BAG_FILES
from .mechanism_csv import read_named_csv

TIME = "t"


@dataclass(frozen=True)
class DriveLog:
    """What the drives of a mechanism reported, in the order it was recorded.

    Attributes
    ----------
    time : ndarray, shape (N,)
        Stamps in s; may jitter, repeat or run backwards.
    drive, force : ndarray, shape (N, n)
        Coordinates in m or rad, forces in N or N m; not finite where a sample has none.
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
        If it cannot be read, a column or a joint is missing, or its rows are in no order.
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
        table = read_named_csv(path, (*drives, *forces), finite=False)
        if table.time is None:
            raise LogError(f"{path}: no column t; rates need times")
        drive, force = np.split(table.values, [len(drives)], axis=1)
        log = DriveLog(table.time, drive, force, table.source)
    refuse_unsorted(log.time, log.source)
    return without_repeats(log)


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
    return DriveLog(values[:, 0], drive, force, str(path))


def _of_recording(path: Path, drives: Sequence[str], topic: str | None) -> DriveLog:
    # Imported here because it takes longer than reading text
    from .bags.reader import read_joint_bag

    decoded = read_joint_bag(path, drives, topic)
    if decoded.effort is None:
        raise LogError(f"{path}: no message has efforts; expected the forces of all drives")
    return DriveLog(decoded.time, decoded.position, decoded.effort, str(path))
