# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Reading and writing logs of any machine and of any kind by their path."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pkm_identification.errors import LogError
from pkm_identification.machines.contract import Drive
from pkm_identification.motion import STRUT_NAMES, DriveLog
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.progress import steps
from pkm_identification.signals.input_validation.unusable import refuse_unsorted, refuse_wrapped_seconds

from .bags import BAG_FILES, MOTOR_STATES, ROS_1, STRUT_STATES
from .bags.packed import is_recording
from .channels import STRUT_CHANNELS, STRUT_DRIVES, Channels, build_channels, build_drive_channels
from .drive_csv import GrowingLog, build_log, read_csv, write_csv
from .foreign import (
    LogLayout,
    is_foreign,
    read_foreign,
    refuse_for_columns,
    refuse_for_recording,
    refuse_implausible,
    whole_layout,
)
from .foreign.units import find_factor, units_by_quantity
from .strokes import add_at_zero

if TYPE_CHECKING:
    from pkm_identification.machines.load import AnyMachine

# A derivative filter alone is longer than this; with fewer there is nothing to work with.
FEWEST_SAMPLES = 10


def find_channels(machine: AnyMachine | Sequence[Drive] | None) -> Channels:
    """Return the columns of logs of a machine, its description or its drives; of six struts where there are none."""
    if machine is None:
        return STRUT_CHANNELS
    if isinstance(machine, Sequence):
        return build_drive_channels(machine)
    # here, because readers of logs need no machine's kernels
    from pkm_identification.machines.load import as_machine

    return build_channels(as_machine(machine))


def read_log(
    path: str | Path,
    machine: AnyMachine | Sequence[Drive] | None = None,
    topic: str | None = None,
    layout: LogLayout | None = None,
) -> DriveLog:
    """Read a log: a recording (rosbag2 folder, .db3 or .mcap file, ROS 1 .bag), text of columns, or arrays.

    Arrays are those of .mat, .parquet, .h5 and .hdf5 files. Text may be plain or .gz; what is not our own CSV may have
    any delimiter, decimal commas, comments, other columns and other units.

    Parameters
    ----------
    path : str or Path
    machine : Machine, its description or sequence of Drive, optional
        Its drives name columns and joints in messages, and say what counts and currents are; of two encoders of each
        drive those on the load are taken, unless the machine's are on the motors alone (`machines.encoders`). Without
        one it is a log of six struts.
    topic : str, optional
        Of a recording, when it has several of the drives.
    layout : LogLayout, optional
        Columns, units, joint names and rate of a foreign log; what it says nothing of is as kept next to the log in
        `LOG.columns.yaml`.

    Returns
    -------
    DriveLog
        Samples in the order they were recorded, values not finite included. Its `faults` tell what was set right while
        reading, by reason: `repeated_header`, `missing_name`, ...

    Raises
    ------
    LogError
        If it cannot be read, has less than ten samples, its rows are in no order of time, its numbers can only be in
        other units, or the layout says what cannot be said of such a log: one line with file, place and what was
        expected.
    SettingsError
        If a library that reads it is not installed.
    """
    channels = find_channels(machine)
    try:
        whole = replace(whole_layout(path, layout, channels), channels=channels)
        log = _read(Path(path), channels, topic, whole)
    except MemoryError:
        raise LogError(f"{path}: is larger than this computer's memory takes; give it in parts") from None
    known = [drive.reported.at_zero for drive in channels.drives]
    ends = [(drive.lowest, drive.highest) for drive in channels.drives]
    log = replace(log, coordinate=add_at_zero(log.coordinate, whole.at_zero, known, ends))
    if len(log) < FEWEST_SAMPLES:
        raise LogError(f"{path}: only {len(log)} samples, expected at least {FEWEST_SAMPLES}")
    refuse_unsorted(log.time, log.source)
    refuse_implausible(log, channels.drives)
    refuse_wrapped_seconds(log.time, log.source)
    return log


def _read(file: Path, channels: Channels, topic: str | None, layout: LogLayout) -> DriveLog:
    if is_recording(file):
        return _read_recording(file, channels, topic, layout)
    if topic is not None:
        raise LogError(f"{file}: has no topics; --topic is for recordings")
    refuse_for_columns(file, layout)
    if not is_foreign(file, layout, channels):
        return read_csv(file, channels)
    tables, faults, notes = read_foreign(file, layout, channels.joints)
    growing = GrowingLog()
    for table in tables:
        growing.append(build_log(table, channels))
    return replace(growing.taken(str(file), faults), warnings=tuple(notes))


def _read_recording(file: Path, channels: Channels, topic: str | None, layout: LogLayout) -> DriveLog:
    # Imported here because it takes longer than reading a CSV file.
    from .bags.reader import read_joint_bag

    refuse_for_recording(file, layout)
    _refuse_other_encoders(file, topic, channels)
    joints = layout.joints or channels.joints
    decoded = read_joint_bag(file, joints, topic, channels.topics, layout.stamps == "receive")
    coordinate, force = decoded.position, decoded.effort
    if units := units_by_quantity(layout.units, channels):
        coordinate = coordinate * _find_factors(channels.coordinates, units, channels)
        force = None if force is None else force * _find_factors(channels.forces, units, channels)
    return DriveLog(
        decoded.time, coordinate, force, str(file), faults=dict(decoded.dropped), warnings=decoded.notes
    )


def _find_factors(columns: Sequence[str], units: dict[str, str], channels: Channels) -> FloatArray:
    return np.array([find_factor(name, units, channels) for name in columns])


def _refuse_other_encoders(file: Path, topic: str | None, channels: Channels) -> None:
    """Refuse a topic that is named and has the coordinates of the other encoders of drives that have two."""
    name = "" if topic is None else topic.rpartition("/")[2]
    if not channels.both or name in channels.topics:
        return
    if name in (STRUT_STATES, MOTOR_STATES):
        side = "motor" if name == MOTOR_STATES else "load"
        raise LogError(f"{file}: topic {topic} has lengths of the other encoders; they need --encoder {side}")


def read_logs(
    paths: Iterable[str | Path],
    machine: AnyMachine | Sequence[Drive] | None = None,
    topic: str | None = None,
    layout: LogLayout | None = None,
) -> list[DriveLog]:
    """Read the logs of one experiment. See `read_log`."""
    return [read_log(path, machine, topic, layout) for path in steps("reading", list(paths))]


def write_log(
    path: str | Path,
    log: DriveLog,
    storage: str = "sqlite3",
    motors: FloatArray | None = None,
    struts: Sequence[str] | None = None,
    drives: Sequence[Drive] = STRUT_DRIVES,
) -> None:
    """Write a log: CSV in SI units when the path ends in .csv or .csv.gz, else a rosbag2 folder.

    Parameters
    ----------
    path : str or Path
        Appears complete or not at all.
    log : DriveLog
    storage : {'sqlite3', 'mcap'}
        Of a recording.
    motors : ndarray, shape (N, n), optional
        m or rad, of second encoders, on the motors.
    struts : sequence of str, optional
        Joint names in a recording; the drives' unless given.
    drives : sequence of Drive
        Those of the log's machine; six struts unless given.

    Raises
    ------
    LogError
        If it has other drives, cannot be written, or the path names a file inside a recording (.db3, .mcap).
    """
    count = log.coordinate.shape[1]
    if count != len(drives):
        raise LogError(f"{path}: the log is of {count} drives, not {len(drives)}: give those of its machine")
    if str(path).endswith((".csv", ".csv.gz")):
        write_csv(path, log, drives, motors)
    else:
        write_recording(path, log, storage, motors, struts or [drive.joint for drive in drives])


def write_recording(
    path: str | Path,
    log: DriveLog,
    storage: str = "sqlite3",
    motor_length: FloatArray | None = None,
    names: Sequence[str] = STRUT_NAMES,
) -> None:
    """Write a log as a rosbag2 folder; parameters are those of `write_log`, joint names as many as drives.

    Raises
    ------
    LogError
        If it cannot be written, or the path names a file inside a recording (.db3, .mcap) or one of ROS 1.
    """
    if str(path).endswith(ROS_1):
        raise LogError(
            f"{path}: recordings of ROS 1 are read, not written; give .csv, or a folder for rosbag2"
        )
    if str(path).endswith(BAG_FILES):
        raise LogError(
            f"{path}: a recording is written as a folder; give its name without {Path(path).suffix}"
        )
    from .bags.writer import write_strut_bag

    write_strut_bag(path, log, storage, motor_length=motor_length, struts=names)
