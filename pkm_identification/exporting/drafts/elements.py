# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Numbers in the elements of URDF and SDF."""

from __future__ import annotations

from decimal import Decimal

import numpy as np

from pkm_identification.errors import DocumentError
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import matrix_from_vector

INERTIA = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
FEWEST_DECIMALS = 2  # of pi/2 and its multiples, to be told from an angle that just happens to be near
LARGEST = 1e30  # in any unit: beyond every machine, and squares of it are still numbers


def build_inertia_matrix(values: dict[str, float]) -> FloatArray:
    """Return the matrix (3, 3) of six elements."""
    xx, yy, zz, xy, xz, yz = (values[key] for key in INERTIA)
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def numbers(text: str, count: int, where: str) -> FloatArray:
    """Return so many finite numbers of a text."""
    try:
        values = np.array([float(part) for part in text.split()])
    except ValueError:
        values = np.zeros(0)
    if len(values) != count or not np.all(np.abs(values) < LARGEST):
        raise DocumentError(f"{where}: '{text.strip()[:60]}': expected {count} numbers")
    return values


def turn(rpy: FloatArray) -> FloatArray:
    """Return the rotation (3, 3) of roll, pitch, yaw about fixed axes x, y, z.

    Right angles that were rounded, as 1.5708, are right angles again: axes that are not quite parallel would have sums
    of parameters to themselves.
    """
    rpy = np.array([_restore_right_angle(angle) for angle in rpy.tolist()])
    x, y, z = (matrix_from_vector(angle * axis) for angle, axis in zip(rpy, np.eye(3), strict=True))
    return np.asarray(z @ y @ x)


def _restore_right_angle(angle: float) -> float:
    """Return the multiple of pi/2 that an angle is to its last decimal, of two or more; else the angle."""
    decimals = -int(Decimal(repr(angle)).as_tuple().exponent)
    right = round(angle / (0.5 * np.pi)) * 0.5 * np.pi
    return right if decimals >= FEWEST_DECIMALS and abs(angle - right) <= 0.5 * 10.0**-decimals else angle
