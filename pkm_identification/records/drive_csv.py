# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Logs of drives as CSV: coordinates and forces, or what drives report instead, in SI units."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from pkm_identification.errors import LogError
from pkm_identification.machines.contract import Drive
from pkm_identification.motion import DriveLog
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.large_arrays import GrowingArray

from .channels import IMU, STRUT_DRIVES, TIME, Channels, build_drive_channels
from .column_guess import find_columns_hint
from .strokes import subtract_at_zero
from .table import NAMES_SHOWN, Table, short, table_pieces, write_table

COLUMNS = ("coordinate", "force", "imu", "sensor")


class GrowingLog:
    """Pieces of one log, one after the other; all have the same columns."""

    def __init__(self) -> None:
        self._time = GrowingArray()
        self._columns: dict[str, GrowingArray] = {}

    def append(self, piece: DriveLog) -> None:
        """Add a piece."""
        self._time.append(piece.time)
        for name in COLUMNS:
            values = getattr(piece, name)
            if values is not None:
                self._columns.setdefault(name, GrowingArray()).append(values)

    def taken(self, source: str, faults: dict[str, int]) -> DriveLog:
        """Return the whole log, at least one piece."""
        columns = {name: rows.taken() for name, rows in self._columns.items()}
        imu, sensor, force = (columns.get(name) for name in ("imu", "sensor", "force"))
        return DriveLog(self._time.taken(), columns["coordinate"], force, source, imu, sensor, faults)


RAW = "raw counts and currents"


def convert_counts(
    drives: Sequence[Drive], counts: ArrayLike, machine: str, source: str = "log"
) -> FloatArray:
    """Return coordinates (N, n) in m or rad of encoder counts (N, n).

    Parameters
    ----------
    drives : sequence of Drive
        Whose file states their encoders.
    counts : array_like, shape (N, n)
        What is not finite stays so: input validation drops and counts it.
    machine, source : str
        Its name, empty where none is known, and where the samples came from, for messages.

    Raises
    ------
    LogError
        If the file does not state the encoders.
    """
    step = np.array([drive.resolution for drive in drives])
    if not step.all():
        raise LogError(_need(RAW, "encoder", machine, source))
    # files state counts by metre or radian, numbers of few digits, of which the step is the reciprocal
    per_unit = np.array([float(f"{1.0 / one:.14g}") for one in step])
    return np.array([drive.zero for drive in drives]) + np.asarray(counts, dtype=float) / per_unit


def convert_currents(
    drives: Sequence[Drive], current: ArrayLike, machine: str, source: str = "log", what: str = RAW
) -> FloatArray:
    """Return forces (N, n) in N or N m of motor currents (N, n) in A; parameters as of `convert_counts`.

    Oh 2003, l.16242-43, 16312-13: motor current times torque constant times the transmission of gearbox and ball screw.

    Raises
    ------
    LogError
        If the file does not state the motors, or the currents are those of valves, which are no forces.
    """
    for number, drive in enumerate(drives, 1):
        if drive.valve:
            raise LogError(
                f"{source}: currents are no measurement of force: drive {number} of machine '{machine}' is of type "
                f"'{drive.valve}', whose current opens a valve; log its forces in N, from pressures or a force sensor"
            )
    factor = np.array([drive.reported.per_ampere for drive in drives])
    if not np.isfinite(factor).all():
        raise LogError(_need(what, "motor", machine, source))
    return np.asarray(current, dtype=float) * factor


def _need(what: str, part: str, machine: str, source: str) -> str:
    if not machine:
        return f"{source}: {what} need a machine (--machine) whose file has the key 'drive'"
    return (
        f"{source}: {what} need the key '{part}' in the file of machine '{machine}', under each of 'drives' (of a "
        "hexapod under 'drive'); it has none"
    )


_log = logging.getLogger(__name__)


def read_csv(path: Path, channels: Channels) -> DriveLog:
    """Read a log in our own columns: coordinates and forces or currents, or counts and currents.

    Columns are found by name. Others are ignored, and named in a logging message of level INFO. Empty and 'nan' cells
    are NaN; `force` is None when the file has none.

    Raises
    ------
    LogError
        If the file is not such a log; see `read_table`.
    OSError
        If a log of hours has no room for its temporary files.
    """
    log, headers = GrowingLog(), 0
    pieces = table_pieces(path, lambda names: _find_own(names, channels), f"; {channels.numbers_hint}")
    for table in pieces:
        ours = replace(table, columns=channels.rename(table.columns, channels.joints))
        log.append(build_log(ours, channels))
        headers += table.repeated_headers
    if table.ignored:
        _log.info("%s: columns ignored: %s", path, ", ".join(table.ignored))
    return log.taken(str(path), {"repeated_header": headers} if headers else {})


def _find_own(names: tuple[str, ...], channels: Channels) -> tuple[str, ...]:
    """Return the names in the file of the columns to read; raises ValueError where some are missing."""
    ours = channels.rename(names, channels.joints)
    try:
        return tuple(names[ours.index(name)] for name in channels.choose(ours))
    except ValueError as error:
        there = short(", ".join(names), NAMES_SHOWN)
        raise ValueError(f"{error}; {find_columns_hint(names, channels)}; there are: {there}") from None


def build_log(table: Table, channels: Channels) -> DriveLog:
    """Return the log that columns of our names hold, its coordinates those of the encoders that the machine's are.

    Of a machine whose drives have encoders on the motors alone they are the motors', where the file has both.

    Raises
    ------
    LogError
        If the machine's file does not say what counts or currents are, or the file lacks the coordinates of the motors
        that are chosen.
    """
    there = set(table.columns)

    def take(group: Sequence[str]) -> FloatArray | None:
        return table.select(group) if group[0] in there else None

    force, motors = take(channels.forces), None
    if channels.on_motors:
        motors = take(channels.motors)
        if motors is None and channels.both:
            raise LogError(
                f"{table.source}: no columns {channels.motors[0]}..{channels.motors[-1]}, expected for --encoder "
                f"motor; where {channels.coordinates[0]} and the others are the motors' the machine file says "
                "'encoder: motor'"
            )
    current, coordinate = take(channels.currents), take(channels.coordinates)
    if current is not None and force is None:
        what = "currents" if coordinate is not None else "raw counts and currents"
        force = convert_currents(channels.drives, current, channels.machine, table.source, what)
    if coordinate is None:
        coordinate = convert_counts(
            channels.drives, table.select(channels.counts), channels.machine, table.source
        )
    return DriveLog(
        table.select([TIME])[:, 0], coordinate if motors is None else motors, force, table.source,
        take(IMU), take(channels.sensors),
    )  # fmt: skip


def write_csv(
    path: str | Path,
    log: DriveLog,
    drives: Sequence[Drive] = STRUT_DRIVES,
    motors: FloatArray | None = None,
) -> None:
    """Write a log as CSV in SI units, .gz too; LogError if impossible.

    Coordinates are 0 where the machine file says that its logs have 0. `motors` (N, n), m or rad, are coordinates at
    second encoders, on the motors.
    """
    channels = build_drive_channels(drives)
    logged = subtract_at_zero(log.coordinate, [drive.reported.at_zero for drive in drives])
    columns = {TIME: log.time, **_columns(channels.coordinates, logged)}
    columns |= _columns(channels.forces, log.force)
    write_table(path, columns | _additional(channels, log.imu, log.sensor, motors))


def write_raw_csv(
    path: str | Path,
    time: FloatArray,
    counts: FloatArray,
    current: FloatArray,
    imu: FloatArray | None = None,
    sensor: FloatArray | None = None,
    motors: FloatArray | None = None,
    drives: Sequence[Drive] = STRUT_DRIVES,
) -> None:
    """Write what the drives report.

    Parameters
    ----------
    path : str or Path
        Compressed when it ends in .gz.
    time : ndarray, shape (N,)
        s.
    counts : ndarray, shape (N, n)
        Encoder counts; written as integers when of an integer type.
    current : ndarray, shape (N, n)
        A.
    imu, sensor : ndarray, shape (N, 6), (N, n), optional
        Additional sensors' readings, as in `DriveLog`.
    motors : ndarray, shape (N, n), optional
        m or rad, of second encoders, on the motors.
    drives : sequence of Drive

    Raises
    ------
    LogError
        If the file cannot be written.
    """
    channels = build_drive_channels(drives)
    columns = {TIME: time, **_columns(channels.counts, counts), **_columns(channels.currents, current)}
    write_table(path, columns | _additional(channels, imu, sensor, motors))


def _additional(
    channels: Channels, imu: FloatArray | None, sensor: FloatArray | None, motors: FloatArray | None
) -> dict[str, FloatArray]:
    """Return columns of the IMU, force sensors and motors' encoders, of those there are."""
    return _columns(IMU, imu) | _columns(channels.sensors, sensor) | _columns(channels.motors, motors)


def _columns(names: Sequence[str], values: FloatArray | None) -> dict[str, FloatArray]:
    return {} if values is None else dict(zip(names, np.asarray(values).T, strict=True))
