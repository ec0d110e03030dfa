# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Reading and writing strut logs of any kind by their path."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from pkm_identification.errors import LogError
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUT_NAMES, DriveLog
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.progress import steps
from pkm_identification.signals.guard.unusable import refuse_unsorted, refuse_wrapped_seconds

from .bags import BAG_FILES, MOTOR_STATES, ROS_1, STRUT_STATES
from .bags.packed import is_recording
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
from .growing_log import GrowingLog
from .joint_state import JointLog
from .strokes import add_at_zero
from .strut_csv import (
    FORCE,
    LENGTH,
    STRUT_CHANNELS,
    read_strut_csv,
    strut_log_of,
    with_reports,
    write_strut_csv,
)

# A derivative filter alone is longer than this; with fewer there is nothing to work with.
FEWEST_SAMPLES = 10


def read_log(
    path: str | Path,
    machine: Machine | None = None,
    topic: str | None = None,
    layout: LogLayout | None = None,
) -> tuple[DriveLog, dict[str, int]]:
    """Read a strut log: a recording (rosbag2 folder, .db3 or .mcap file, ROS 1 .bag), text of columns, or arrays.

    Arrays are those of .mat, .parquet, .h5 and .hdf5 files. Text may be plain or .gz; what is not our own CSV may have
    any delimiter, decimal commas, comments, other columns and other units.

    Parameters
    ----------
    path : str or Path
    machine : Machine, optional
        Needed for logs of counts or currents, and to choose among two encoders of each drive: those on the load,
        unless the machine's are on the motors alone (`Machine.with_encoder`). Its `joint_names` tell which strut is
        which in messages and, beside our own names, in columns.
    topic : str, optional
        Of a recording, when it has several called `strut_states`.
    layout : LogLayout, optional
        Columns, units, joint names and rate of a foreign log; what it says nothing of is as kept beside the log in
        `LOG.columns.yaml`.

    Returns
    -------
    log : DriveLog
        Samples in the order they were recorded, values not finite included.
    faults : dict of str to int
        What was set right while reading, by reason: `repeated_header`, `missing_name`, ...; empty for a good log.

    Raises
    ------
    LogError
        If it cannot be read, has less than ten samples, its rows are in no order of time, its numbers can only be in
        other units, or the layout says what cannot be said of such a log: one line with file, place and what was
        expected.
    SettingsError
        If a library that reads it is not installed.
    """
    try:
        whole = whole_layout(path, layout)
        if machine is not None:
            whole = replace(whole, channels=with_reports(machine))
        log, faults = _read(Path(path), machine, topic, whole)
    except MemoryError:
        raise LogError(f"{path}: is larger than this computer's memory takes; give it in parts") from None
    known = [] if machine is None else [one.at_zero for one in machine.reported]
    ends = [] if machine is None else [tuple(machine.length_limits)] * len(known)
    log = replace(log, coordinate=add_at_zero(log.length, whole.at_zero, known, ends))
    if len(log) < FEWEST_SAMPLES:
        raise LogError(f"{path}: only {len(log)} samples, expected at least {FEWEST_SAMPLES}")
    refuse_unsorted(log.time, log.source)
    refuse_implausible(log, machine)
    refuse_wrapped_seconds(log.time, log.source)
    log = replace(log, faults=faults)
    return log, faults


def _read(
    file: Path, machine: Machine | None, topic: str | None, layout: LogLayout
) -> tuple[DriveLog, dict[str, int]]:
    if is_recording(file):
        # Imported here because it takes longer than reading a CSV file.
        from .bags.reader import read_strut_bag

        refuse_for_recording(file, layout)
        called = _topics(machine)
        _refuse_other_encoders(file, topic, called, machine)
        received = layout.stamps == "receive"
        log, faults = read_strut_bag(file, topic, layout.joints or _joints(machine), called, received)
        return _in_si(log, layout), faults
    refuse_for_columns(file, layout)
    if is_foreign(file, layout, STRUT_CHANNELS):
        tables, faults = read_foreign(file, layout, _joints(machine))
        growing = GrowingLog()
        for table in tables:
            growing.append(strut_log_of(table, machine))
        return growing.taken(str(file)), faults
    return read_strut_csv(file, machine)


def _in_si(log: DriveLog, layout: LogLayout) -> DriveLog:
    """Return a recording's lengths and forces in m and N; its stamps are seconds whatever is said."""
    units = units_by_quantity(layout.units, layout.channels)
    if not units:
        return log
    length, force = (
        np.array([find_factor(name, units, layout.channels) for name in names]) for names in (LENGTH, FORCE)
    )
    return replace(
        log, coordinate=log.length * length, force=None if log.force is None else log.force * force
    )


def _topics(machine: Machine | None) -> tuple[str, ...]:
    """Topics that have the lengths of a machine's encoders, the best first."""
    if machine is None or not machine.encoders_on_motors:
        return (STRUT_STATES,)
    return (MOTOR_STATES,) if machine.has_both_encoders else (MOTOR_STATES, STRUT_STATES)


def _refuse_other_encoders(
    file: Path, topic: str | None, called: Sequence[str], machine: Machine | None
) -> None:
    """Refuse a topic that is named and has the lengths of the other encoders of drives that have two."""
    name = "" if topic is None else topic.rpartition("/")[2]
    if machine is None or not machine.has_both_encoders or name in called:
        return
    if name in (STRUT_STATES, MOTOR_STATES):
        side = "motor" if name == MOTOR_STATES else "load"
        raise LogError(f"{file}: topic {topic} has lengths of the other encoders; they need --encoder {side}")


def _joints(machine: Machine | None) -> tuple[str, ...]:
    return STRUT_NAMES if machine is None else machine.joint_names


def read_logs(
    paths: Iterable[str | Path],
    machine: Machine | None = None,
    topic: str | None = None,
    layout: LogLayout | None = None,
) -> tuple[list[DriveLog], dict[str, int]]:
    """Read the logs of one experiment; their faults are added up. See `read_log`."""
    logs: list[DriveLog] = []
    faults: dict[str, int] = {}
    for path in steps("reading", list(paths)):
        log, log_faults = read_log(path, machine, topic, layout)
        logs.append(log)
        for reason, number in log_faults.items():
            faults[reason] = faults.get(reason, 0) + number
    return logs, faults


def write_log(
    path: str | Path,
    log: DriveLog,
    storage: str = "sqlite3",
    motor_length: FloatArray | None = None,
    struts: Sequence[str] = STRUT_NAMES,
) -> None:
    """Write a strut log: CSV in SI units when the path ends in .csv or .csv.gz, else a rosbag2 folder.

    Parameters
    ----------
    path : str or Path
        Appears complete or not at all.
    log : DriveLog
    storage : {'sqlite3', 'mcap'}
        Of a recording.
    motor_length : ndarray, shape (N, 6), optional
        m, of second encoders, on the motors.
    struts : sequence of six str
        Joint names of struts 1 to 6 in a recording.

    Raises
    ------
    LogError
        If it cannot be written, or the path names a file inside a recording (.db3, .mcap).
    """
    if str(path).endswith((".csv", ".csv.gz")):
        write_strut_csv(path, log, motor_length)
    else:
        write_recording(path, log, storage, motor_length, struts)


def write_recording(
    path: str | Path,
    log: JointLog,
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
