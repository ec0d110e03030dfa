# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Orientations as columns of tables: quaternions, z-x-z Euler angles (Oh 2003, Appendix A), or roll, pitch and yaw.

Angles are in radians, or in degrees in columns that end in `_deg`. The z-x-z angles phi, theta and psi give
R = Rz(phi) Rx(theta) Rz(psi), and are singular at theta = 0 and 180 degrees; roll, pitch and yaw turn about the fixed
axes x, y and z in this order (REP 103), and are singular at a pitch of +-90 degrees. At a singularity the first and the
last angle turn about one axis: the last (yaw, of z-x-z psi) is then written as 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from transforms3d.euler import euler2mat, mat2euler

from pkm_identification.errors import LogError
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import build_quaternion_from_matrix, matrix_from_quaternion

from .table import Table

QUATERNION = ("qx", "qy", "qz", "qw")
ANGLES = {"zxz": ("phi", "theta", "psi"), "rpy": ("roll", "pitch", "yaw")}
FORMS = ("quaternion", *ANGLES)
_SEQUENCES = {"zxz": "rzxz", "rpy": "sxyz"}  # as transforms3d calls them
SINGULARITY = {"zxz": "theta = 0 or 180 degrees", "rpy": "a pitch of +-90 degrees"}
DEGREES = "_deg"
QUATERNION_TOLERANCE = 0.01  # a quaternion printed with three digits is still within this of unit length
SINGULAR = 1e-6  # rad from a singularity: nearer, both turns are told apart to half of all digits


def find_orientation(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the columns that give the orientation in a table with these columns.

    Raises
    ------
    ValueError
        If none does, or two do.
    """
    sets = [QUATERNION, *ANGLES.values(), *(_in_degrees(one) for one in ANGLES.values())]
    found = [one for one in sets if all(name in names for name in one)]
    if len(found) == 1:
        return found[0]
    choices = " or ".join(",".join(one) for one in sets[:3])
    if found:
        both = " and ".join(",".join(one) for one in found)
        raise ValueError(f"two orientations, {both}: give one of them")
    missing = [name for name in QUATERNION if name not in names]
    raise ValueError(f"no column {', '.join(missing)}; expected {choices} (rad, or degrees as phi{DEGREES})")


def read_rotations(table: Table) -> FloatArray:
    """Return the rotation matrices (N, 3, 3) of a table.

    Raises
    ------
    LogError
        If a value is not finite or a quaternion is not of length 1.
    """
    columns = find_orientation(table.columns)
    table.require_finite(columns)
    values = table.select(columns)
    if columns == QUATERNION:
        norm = np.linalg.norm(values, axis=1)
        wrong = np.flatnonzero(np.abs(norm - 1) > QUATERNION_TOLERANCE)
        if len(wrong):
            row = wrong[0]
            raise LogError(
                f"{table.source}: line {table.line[row]}: the quaternion qx,qy,qz,qw has length {norm[row]:.4g}, "
                "expected 1"
            )
        return matrix_from_quaternion(values)
    form = next(name for name, one in ANGLES.items() if columns in (one, _in_degrees(one)))
    if columns[0].endswith(DEGREES):
        values = np.radians(values)
    return np.array([euler2mat(*row, axes=_SEQUENCES[form]) for row in values]).reshape(-1, 3, 3)


def write_rotations(rotation: FloatArray, form: str) -> dict[str, FloatArray]:
    """Return the columns of rotation matrices (N, 3, 3) in one of FORMS."""
    if form == "quaternion":
        return dict(zip(QUATERNION, build_quaternion_from_matrix(rotation).T, strict=True))
    angles = np.array([_find_angles(one, form) for one in rotation]).reshape(-1, 3)
    return dict(zip(ANGLES[form], angles.T, strict=True))


def find_singular(rotation: FloatArray, form: str) -> NDArray[np.bool_]:
    """Return which rotations (N, 3, 3) are singular in a form, (N,)."""
    if form == "quaternion":
        return np.zeros(len(rotation), dtype=bool)
    if form == "zxz":
        return np.hypot(rotation[:, 0, 2], rotation[:, 1, 2]) < SINGULAR
    return np.hypot(rotation[:, 0, 0], rotation[:, 1, 0]) < SINGULAR


def _find_angles(rotation: FloatArray, form: str) -> tuple[float, float, float]:
    if find_singular(rotation[None], form)[0]:
        # both turns about one axis: all of it in the first of z-x-z, in the roll of the others
        if form == "zxz":
            theta = 0.0 if rotation[2, 2] > 0 else np.pi
            return float(np.arctan2(rotation[1, 0], rotation[0, 0])), theta, 0.0
        up = -np.sign(rotation[2, 0])
        return float(np.arctan2(up * rotation[0, 1], rotation[1, 1])), float(up * np.pi / 2), 0.0
    first, second, third = mat2euler(rotation, axes=_SEQUENCES[form])
    return float(first), float(second), float(third)


def _in_degrees(columns: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name + DEGREES for name in columns)
