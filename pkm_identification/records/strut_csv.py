# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Strut logs as CSV: raw (counts and amperes), SI (metres and newtons), and as controllers log (metres and amperes)."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from pkm_identification.errors import LogError
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUT_NAMES, STRUTS, DriveLog
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.signals.drive import strut_log_from_counts, strut_log_from_currents

from .bags import MOTOR_STATES
from .channels import PLOTJUGGLER_TIME, TIME, Channels
from .column_guess import columns_hint
from .growing_log import GrowingLog
from .table import (
    NAMES_SHOWN,
    Table,
    refuse_header,
    short,
    table_pieces,
    write_table,
)

_log = logging.getLogger(__name__)


def _numbered(stem: str) -> tuple[str, ...]:
    return tuple(f"{stem}_{i}" for i in range(1, STRUTS + 1))


LENGTH, FORCE = _numbered("length"), _numbered("force")
COUNTS, CURRENT = _numbered("enc"), _numbered("cur")
RAW_HEADER = "t,enc_1..enc_6,cur_1..cur_6"
SI_HEADER = "t,length_1..length_6,force_1..force_6 (forces may be left out, or currents cur_1..cur_6)"
# Motors' encoders of drives that have one on either side, then additional sensors, each a whole group or not at all
MOTOR_LENGTH = _numbered("motor_length")
IMU = tuple(f"imu_{kind}{axis}" for kind in "aw" for axis in "xyz")
SENSOR = _numbered("sensor")


# Our columns of a strut, without its number; those of them that fields of a JointState hold.
STEMS = ("length", "force", "enc", "cur", "motor_length")
FIELDS = {"length": "position", "force": "effort"}


def with_numbers(names: Sequence[str], joints: Sequence[str]) -> tuple[str, ...]:
    """Names of columns, those called after a joint in our form (`length_1`), all others as they are.

    A column that is there in our form already, or after the joint twice (of two topics), stays as it is.

    Parameters
    ----------
    names : sequence of str
        Of a header.
    joints : sequence of str
        Joint names of struts 1 to 6.
    """
    ours = [_ours(name, joints) for name in names]
    return tuple(
        name if own is None or own in names or ours.count(own) > 1 else own
        for name, own in zip(names, ours, strict=True)
    )


def _ours(name: str, joints: Sequence[str]) -> str | None:
    if name == PLOTJUGGLER_TIME:
        return TIME
    for number, joint in enumerate(joints, 1):
        for stem in STEMS:
            if name == f"{stem}_{joint}":
                return f"{stem}_{number}"
        for stem, field in FIELDS.items():
            if f"/{name}".endswith(f"/{MOTOR_STATES}/{joint}/{field}"):
                # the efforts are those of the other topic
                return f"motor_length_{number}" if stem == "length" else None
            if f"/{name}".endswith(f"/{joint}/{field}"):
                return f"{stem}_{number}"
    return None


def choose_strut_columns(names: tuple[str, ...]) -> tuple[str, ...]:
    """Columns of a strut log among those of a header: lengths go before counts, and forces before currents.

    Raises
    ------
    ValueError
        If columns are missing: names them and what is expected.
    """
    if any(name in names for name in LENGTH):
        wanted, header = (TIME, *LENGTH), SI_HEADER
        measured = next((group for group in (FORCE, CURRENT) if any(name in names for name in group)), ())
        wanted += measured
    elif any(name in names for name in COUNTS):
        wanted, header = (TIME, *COUNTS, *CURRENT), RAW_HEADER
    else:
        refuse_header(names, f"{RAW_HEADER}, or {SI_HEADER}")
    for group in (IMU, SENSOR, MOTOR_LENGTH):
        if any(name in names for name in group):
            wanted += group
            header += f", {group[0]}..{group[-1]}"
    missing = [name for name in wanted if name not in names]
    if missing:
        raise ValueError(f"no column {', '.join(missing)}; expected {header}")
    return wanted


STRUT_CHANNELS = Channels(
    quantity={
        TIME: "time",
        **dict.fromkeys(LENGTH, "length"),
        **dict.fromkeys(FORCE, "force"),
        **dict.fromkeys(COUNTS, ""),
        **dict.fromkeys(CURRENT, "current"),
        **dict.fromkeys(IMU[:3], "acceleration"),
        **dict.fromkeys(IMU[3:], "angle"),
        **dict.fromkeys(SENSOR, "force"),
        **dict.fromkeys(MOTOR_LENGTH, "length"),
    },
    groups={
        "length": LENGTH,
        "force": FORCE,
        "enc": COUNTS,
        "cur": CURRENT,
        "sensor": SENSOR,
        "motor_length": MOTOR_LENGTH,
    },
    coordinates=LENGTH,
    forces=FORCE,
    joints=STRUT_NAMES,
    called="struts 1 to 6",
    expected="t, length_1..length_6, force_1..force_6 or enc_1..enc_6, cur_1..cur_6",
    words={
        "length": ("len", "läng", "laeng", "leg", "strut", "pos", "stroke", "bein", "l", "q", "s"),
        "force": ("force", "eff", "load", "kraft", "f", "tau"),
        "enc": ("enc", "count", "inc"),
        "cur": ("cur", "amp", "i"),
    },
    choose=choose_strut_columns,
    rename=with_numbers,
    header=f"{SI_HEADER}, or {RAW_HEADER}",
)


def with_reports(machine: Machine) -> Channels:
    """Return the columns of strut logs of a machine, whose drives make forces of what they report."""
    return replace(STRUT_CHANNELS, reported=dict(zip(FORCE, machine.reported, strict=True)))


def _own_columns(names: tuple[str, ...], joints: Sequence[str]) -> tuple[str, ...]:
    """Names in the file of the columns to read."""
    ours = with_numbers(names, joints)
    try:
        return tuple(names[ours.index(name)] for name in choose_strut_columns(ours))
    except ValueError as error:
        there = short(", ".join(names), NAMES_SHOWN)
        raise ValueError(f"{error}; {columns_hint(names, STRUT_CHANNELS)}; there are: {there}") from None


def read_strut_csv(path: str | Path, machine: Machine | None = None) -> tuple[DriveLog, dict[str, int]]:
    """Read a strut log: counts and currents, lengths and forces, or lengths and currents.

    Columns are found by name. Others are ignored, and named in a logging message of level INFO.

    Parameters
    ----------
    path : str or Path
        CSV file, plain or gzip-compressed.
    machine : Machine, optional
        Needed for its drive constants when the log has counts or currents; its `joint_names` may stand for the numbers
        of struts.

    Returns
    -------
    log : DriveLog
        Empty and 'nan' cells are NaN; `force` is None when the file has none.
    faults : dict of str to int
        `repeated_header`: header lines in the middle of the file.

    Raises
    ------
    LogError
        If the file is not such a log; see `read_table`.
    OSError
        If a log of hours has no room for its temporary files.
    """
    joints = STRUT_NAMES if machine is None else machine.joint_names
    log, headers = GrowingLog(), 0
    for table in table_pieces(
        path, lambda names: _own_columns(names, joints), f"; {STRUT_CHANNELS.numbers_hint}"
    ):
        log.append(strut_log_of(replace(table, columns=with_numbers(table.columns, joints)), machine))
        headers += table.repeated_headers
    if table.ignored:
        _log.info("%s: columns ignored: %s", path, ", ".join(table.ignored))
    return log.taken(str(path)), {"repeated_header": headers} if headers else {}


def strut_log_of(table: Table, machine: Machine | None) -> DriveLog:
    """The log that columns of our names hold, its lengths those of the encoders that the machine's are.

    Of a machine whose drives have encoders on the motors alone they are the motors', where the file has both.

    Raises
    ------
    LogError
        If counts or currents lack a machine with drives, or the file lacks the lengths of the motors that are chosen.
    """
    motors = machine is not None and machine.encoders_on_motors
    if motors and MOTOR_LENGTH[0] not in table.columns:
        if machine is not None and machine.has_both_encoders:
            raise LogError(
                f"{table.source}: no columns {MOTOR_LENGTH[0]}..{MOTOR_LENGTH[-1]}, expected for --encoder motor; "
                "where length_1..length_6 are the motors' the machine file says 'encoder: motor'"
            )
        motors = False
    time = table.select([TIME])[:, 0]
    imu, sensor = (table.select(group) if group[0] in table.columns else None for group in (IMU, SENSOR))
    if CURRENT[0] in table.columns:
        counted = COUNTS[0] in table.columns
        if machine is None:
            what = "raw counts and currents" if counted else "currents"
            raise LogError(f"{table.source}: {what} need a machine with the key 'drive'")
        convert = strut_log_from_counts if counted else strut_log_from_currents
        places = table.select(COUNTS if counted else LENGTH)
        log = convert(machine, time, places, table.select(CURRENT), table.source)
        log = replace(log, imu=imu, sensor=sensor)
        return replace(log, coordinate=table.select(MOTOR_LENGTH)) if motors else log
    force = table.select(FORCE) if FORCE[0] in table.columns else None
    length = table.select(MOTOR_LENGTH if motors else LENGTH)
    return DriveLog(time, length, force, table.source, imu, sensor)


def write_strut_csv(path: str | Path, log: DriveLog, motor_length: FloatArray | None = None) -> None:
    """Write an SI log (compressed when the name ends in .gz); raises LogError if it cannot be written.

    `motor_length` (N, 6), m, is that of second encoders, on the motors.
    """
    columns = {TIME: log.time, **_columns(LENGTH, log.length)}
    if log.force is not None:
        columns |= _columns(FORCE, log.force)
    write_table(path, columns | additional_columns(log.imu, log.sensor, motor_length))


def write_raw_csv(
    path: str | Path,
    time: FloatArray,
    counts: FloatArray,
    current: FloatArray,
    imu: FloatArray | None = None,
    sensor: FloatArray | None = None,
    motor_length: FloatArray | None = None,
) -> None:
    """Write what the drives report.

    Parameters
    ----------
    path : str or Path
        Compressed when it ends in .gz.
    time : ndarray, shape (N,)
        s.
    counts : ndarray, shape (N, 6)
        Encoder counts; written as integers when of an integer type.
    current : ndarray, shape (N, 6)
        A.
    imu, sensor : ndarray, shape (N, 6), optional
        Additional sensors' readings, as in `DriveLog`.
    motor_length : ndarray, shape (N, 6), optional
        m, of second encoders, on the motors.

    Raises
    ------
    LogError
        If the file cannot be written.
    """
    columns = {TIME: time, **_columns(COUNTS, counts), **_columns(CURRENT, current)}
    write_table(path, columns | additional_columns(imu, sensor, motor_length))


def additional_columns(*groups: FloatArray | None) -> dict[str, FloatArray]:
    """Columns of the IMU, force sensors and motors' encoders, of those there are."""
    columns: dict[str, FloatArray] = {}
    for names, values in zip((IMU, SENSOR, MOTOR_LENGTH), groups, strict=True):
        if values is not None:
            columns |= _columns(names, values)
    return columns


def _columns(names: tuple[str, ...], values: FloatArray) -> dict[str, FloatArray]:
    return dict(zip(names, np.asarray(values).T, strict=True))
