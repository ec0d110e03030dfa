# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Platform poses and motions as CSV, and the strut columns computed from them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from pkm_identification.motion import PlatformMotion
from pkm_identification.numerics.arrays import FloatArray

from .channels import TIME
from .orientations import FORMS, find_orientation, read_rotations, write_rotations
from .table import (
    ColumnChoice,
    Table,
    read_table,
    write_table,
)

POSITION = ("px", "py", "pz")
TWIST = ("vx", "vy", "vz", "wx", "wy", "wz")
ACCELERATION = ("ax", "ay", "az", "alx", "aly", "alz")
MOTION = POSITION + TWIST + ACCELERATION


@dataclass(frozen=True)
class PoseTable:
    """Platform poses of a file.

    Attributes
    ----------
    time : ndarray, shape (N,), or None
        s; None when the file has no column `t`.
    position : ndarray, shape (N, 3)
        m, base frame.
    rotation : ndarray, shape (N, 3, 3)
        Platform axes as columns in the base frame.
    source : str
        Path of the file.
    """

    time: FloatArray | None
    position: FloatArray
    rotation: FloatArray
    source: str


def read_pose_csv(path: str | Path) -> PoseTable:
    """Read the columns px,py,pz and an orientation, as qx,qy,qz,qw or angles (`orientations`), and t if it is there.

    Raises
    ------
    LogError
        If the file is no such table (see `read_table`), a value is not finite or a quaternion is not of
        length 1.
    """
    table = read_table(path, _choose_pose(POSITION))
    table.require_finite(POSITION)
    return PoseTable(time_of(table), table.select(POSITION), read_rotations(table), table.source)


def read_motion_csv(path: str | Path) -> PlatformMotion:
    """Read the pose columns with vx,vy,vz,wx,wy,wz,ax,ay,az,alx,aly,alz.

    Twist in m/s and rad/s, acceleration in m/s^2 and rad/s^2, of the platform frame's origin in base axes.
    Without a column `t` the time of the motion is NaN: unknown.

    Raises
    ------
    LogError
        As `read_pose_csv`.
    """
    table = read_table(path, _choose_pose(MOTION))
    table.require_finite(MOTION)
    time = time_of(table)
    return PlatformMotion(
        time=np.full(len(table.values), np.nan) if time is None else time,
        position=table.select(POSITION),
        rotation=read_rotations(table),
        twist=table.select(TWIST),
        acceleration=table.select(ACCELERATION),
    )


def write_pose_csv(
    path: str | Path,
    position: FloatArray,
    rotation: FloatArray,
    time: FloatArray | None = None,
    status: ArrayLike | None = None,
    form: str = FORMS[0],
) -> None:
    """Write poses, with the columns `t` and `status` when given.

    Parameters
    ----------
    path : str or Path
        Compressed when it ends in .gz.
    position : ndarray, shape (N, 3)
        m.
    rotation : ndarray, shape (N, 3, 3)
    time : ndarray, shape (N,), optional
        s; left out when it is all NaN.
    status : array_like of int or str, shape (N,), optional
        Of the forward kinematics.
    form : str
        Of the orientation, one of `orientations.FORMS`.

    Raises
    ------
    LogError
        If the file cannot be written.
    """
    columns = build_time_columns(time) | _list_pose_columns(position, rotation, form)
    if status is not None:
        columns["status"] = np.asarray(status)
    write_table(path, columns)


def write_mode_csv(
    path: str | Path,
    row: ArrayLike,
    mode: ArrayLike,
    position: FloatArray,
    rotation: FloatArray,
    residual: FloatArray,
    condition: FloatArray,
    certified: ArrayLike,
    form: str = FORMS[0],
) -> None:
    """Write assembly modes: row, mode, pose, residual (m), condition and certified (1 or 0), each of length M.

    Raises
    ------
    LogError
        If the file cannot be written.
    """
    write_table(
        path,
        {"row": np.asarray(row), "mode": np.asarray(mode)}
        | _list_pose_columns(position, rotation, form)
        | {"residual": residual, "condition": condition, "certified": np.asarray(certified).astype(int)},
    )


def write_motion_csv(path: str | Path, motion: PlatformMotion, form: str = FORMS[0]) -> None:
    """Write a motion so that `read_motion_csv` reads it back, its orientation in one of `orientations.FORMS`.

    Raises
    ------
    LogError
        If it cannot be written.
    """
    write_table(
        path,
        build_time_columns(motion.time)
        | _list_pose_columns(motion.position, motion.rotation, form)
        | dict(zip(TWIST, motion.twist.T, strict=True))
        | dict(zip(ACCELERATION, motion.acceleration.T, strict=True)),
    )


def column_choice(wanted: tuple[str, ...]) -> ColumnChoice:
    """Picks columns by name, and `t` where there is one."""

    def choose(names: tuple[str, ...]) -> tuple[str, ...]:
        missing = [name for name in wanted if name not in names]
        if missing:
            raise ValueError(f"no column {', '.join(missing)}; expected {','.join(wanted)}")
        return (TIME, *wanted) if TIME in names else wanted

    return choose


def time_of(table: Table) -> FloatArray | None:
    """Return the column `t`, shape (N,); None if there is none."""
    return table.select([TIME])[:, 0] if TIME in table.columns else None


def build_time_columns(time: FloatArray | None) -> dict[str, FloatArray]:
    """Return the column `t` where there are times."""
    return {} if time is None or np.all(np.isnan(time)) else {TIME: time}


def _choose_pose(wanted: tuple[str, ...]) -> ColumnChoice:
    """Picks columns by name, an orientation in any of its forms, and `t` where there is one."""

    def choose(names: tuple[str, ...]) -> tuple[str, ...]:
        return column_choice((*wanted, *find_orientation(names)))(names)

    return choose


def _list_pose_columns(position: FloatArray, rotation: FloatArray, form: str) -> dict[str, FloatArray]:
    return dict(zip(POSITION, position.T, strict=True)) | write_rotations(rotation, form)
