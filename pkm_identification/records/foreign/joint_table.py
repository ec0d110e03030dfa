# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Twelve joint centres from a file of columns."""

from __future__ import annotations

from pathlib import Path

from pkm_identification.errors import LogError
from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray

from ..table import table_of
from .sheet import read_sheet


def read_joint_table(path: str | Path) -> tuple[FloatArray, FloatArray]:
    """Joint centres of base and platform, (6, 3) each, in the unit of the file.

    Parameters
    ----------
    path : str or Path
        Text with or without a header: six rows of x, y, z of the base joint and x, y, z of the platform joint of a
        strut, or twelve rows of x, y, z, those of the base first.

    Raises
    ------
    LogError
        If it cannot be read, has another shape, or a number is missing.
    """
    sheet = read_sheet(path)
    sheet.refuse_ambiguous(range(len(sheet.names)), str(path))
    # columns get numbers for names: headers of such tables repeat x, y, z
    names = tuple(str(number) for number in range(1, len(sheet.names) + 1))
    table = table_of(sheet.text, str(path), lambda _: names, names)
    table.require_finite(names)
    shape = table.values.shape
    if shape == (STRUTS, 6):
        return table.values[:, :3].copy(), table.values[:, 3:].copy()
    if shape == (2 * STRUTS, 3):
        return table.values[:STRUTS].copy(), table.values[STRUTS:].copy()
    raise LogError(
        f"{path}: found {shape[0]} rows of {shape[1]} numbers, expected 6 of 6 (x, y, z of the base joint, then of the "
        "platform joint, of each strut) or 12 of 3 (six base joints, then six platform joints)"
    )
