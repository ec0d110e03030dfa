# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Logs of any machine's drives of any kind, by their path: text, arrays, recordings; columns and joints by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from pkm_identification.errors import LogError
from pkm_identification.machines.contract import Drive
from pkm_identification.motion import DriveLog
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.memory import arrays_beyond_memory
from pkm_identification.signals.guard.unusable import refuse_unsorted, refuse_wrapped_seconds

from .bags.packed import is_recording
from .channels import TIME, Channels, build_drive_channels
from .column_guess import columns_hint
from .foreign import (
    LogLayout,
    is_foreign,
    read_foreign,
    refuse_for_columns,
    refuse_for_recording,
    refuse_implausible_drives,
    whole_layout,
)
from .foreign.units import find_factor, units_by_quantity
from .strokes import add_at_zero, subtract_at_zero
from .table import NAMES_SHOWN, read_table, short, write_table


def read_drive_log(
    path: str | Path, drives: Sequence[Drive], topic: str | None = None, layout: LogLayout | None = None
) -> DriveLog:
    """Read a log of drives: a table as `pkm simulate` writes it, another program's, files of arrays, or a recording.

    Parameters
    ----------
    path : str or Path
        Text of `t`, drives and forces by name, .gz too; what is not our own CSV may have any delimiter, decimal commas,
        comments, other columns and other units; .mat, .parquet, .h5 or .hdf5 with arrays of these names; a rosbag2
        folder, its .db3 or .mcap file, or a .bag of ROS 1, with sensor_msgs/JointState whose efforts are the forces.
    drives : sequence of Drive
        Names of columns and of joints in messages; m or rad, N or N m.
    topic : str, optional
        Of a recording, when several have all drives.
    layout : LogLayout, optional
        Columns, units, joint names and rate of a foreign log; what it says nothing of is as kept beside the log in
        `LOG.columns.yaml`.

    Raises
    ------
    LogError
        If it cannot be read, a column or a joint is missing, its rows are in no order, its numbers can only be in other
        units, or the layout says what cannot be said of such a log.
    SettingsError
        If a library that reads it is not installed.
    """
    file, channels = Path(path), build_drive_channels(drives)
    whole = whole_layout(path, layout, channels)
    if is_recording(file):
        log = _read_recording(file, channels, topic, whole)
    else:
        if topic is not None:
            raise LogError(f"{path}: has no topics; --topic is for recordings")
        refuse_for_columns(file, whole)
        log = _read_columns(file, channels, whole)
    known = [drive.reported.at_zero for drive in drives]
    ends = [(drive.lowest, drive.highest) for drive in drives]
    log = replace(log, coordinate=add_at_zero(log.coordinate, whole.at_zero, known, ends))
    refuse_unsorted(log.time, log.source)
    refuse_implausible_drives(log.time, log.coordinate, drives, log.source)
    refuse_wrapped_seconds(log.time, log.source)
    return log


def write_drive_log(
    path: str | Path, log: DriveLog, drives: Sequence[Drive], more: Mapping[str, FloatArray] | None = None
) -> None:
    """Write `t`, drives, forces and further columns (N,) as CSV in SI units, .gz too; LogError if impossible.

    Coordinates are 0 where the machine file says that its logs have 0.
    """
    columns = {TIME: log.time}
    logged = subtract_at_zero(log.coordinate, [drive.reported.at_zero for drive in drives])
    columns |= {drive.name: column for drive, column in zip(drives, logged.T, strict=True)}
    if log.force is not None:
        columns |= {drive.force_name: column for drive, column in zip(drives, log.force.T, strict=True)}
    write_table(path, columns | dict(more or {}))


def _read_columns(path: Path, channels: Channels, layout: LogLayout) -> DriveLog:
    source = str(path)
    if is_foreign(path, layout, channels):
        tables, faults = read_foreign(path, layout, channels.joints)
    else:
        table = read_table(path, lambda names: _find_own(names, channels), f"; {channels.numbers_hint}")
        tables = iter([replace(table, columns=channels.rename(table.columns, channels.joints))])
        faults = {"repeated_header": table.repeated_headers} if table.repeated_headers else {}
    pieces: list[FloatArray] = []
    for one in tables:
        pieces.append(one.select((TIME, *channels.coordinates, *channels.forces)))
        if problem := arrays_beyond_memory(sum(piece.nbytes for piece in pieces)):
            raise LogError(f"{path}: {problem}")
    values = np.concatenate(pieces)
    drive, force = np.split(values[:, 1:], [len(channels.coordinates)], axis=1)
    return DriveLog(values[:, 0], drive, force, source, faults=faults)


def _find_own(names: tuple[str, ...], channels: Channels) -> tuple[str, ...]:
    """Return the names in the file of the columns to read; raises ValueError where some are missing."""
    ours = channels.rename(names, channels.joints)
    try:
        return tuple(names[ours.index(name)] for name in channels.choose(ours))
    except ValueError as error:
        there = short(", ".join(names), NAMES_SHOWN)
        raise ValueError(f"{error}; {columns_hint(names, channels)}; there are: {there}") from None


def _read_recording(path: Path, channels: Channels, topic: str | None, layout: LogLayout) -> DriveLog:
    # Imported here because it takes longer than reading text
    from .bags.reader import read_joint_bag

    refuse_for_recording(path, layout)
    received = layout.stamps == "receive"
    decoded = read_joint_bag(path, layout.joints or channels.joints, topic, received=received)
    if decoded.effort is None:
        raise LogError(f"{path}: no message has efforts; expected the forces of all drives")
    units = units_by_quantity(layout.units, channels)
    coordinate, force = (
        np.array([find_factor(name, units, channels) for name in names])
        for names in (channels.coordinates, channels.forces)
    )
    return DriveLog(
        decoded.time, decoded.position * coordinate, decoded.effort * force, str(path),
        faults=dict(decoded.dropped),
    )  # fmt: skip
