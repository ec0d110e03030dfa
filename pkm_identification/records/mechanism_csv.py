"""Tables of a mechanism's outputs, drives and forces as CSV, columns by the names of its description."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

from .motion_csv import column_choice, time_columns, time_of
from .table import read_table, write_table

RATE, ACCELERATION = "_rate", "_acceleration"


@dataclass(frozen=True)
class NamedTable:
    """Columns of a file.

    Attributes
    ----------
    time : ndarray, shape (N,), or None
        s; None when the file has no column `t`.
    values : ndarray, shape (N, columns)
    source : str
        Path of the file.
    """

    time: FloatArray | None
    values: FloatArray
    source: str


def read_named_csv(path: str | Path, names: Sequence[str]) -> NamedTable:
    """Columns by name, in any order in the file.

    Raises
    ------
    LogError
        If one is missing or a number is not finite: names file, line and column.
    """
    table = read_table(path, column_choice(tuple(names)))
    table.require_finite(names)
    return NamedTable(time_of(table), table.select(names), table.source)


def motion_columns(names: Sequence[str]) -> tuple[str, ...]:
    """Names of values, their rates and their accelerations."""
    return (*names, *(name + RATE for name in names), *(name + ACCELERATION for name in names))


def write_named_csv(
    path: str | Path,
    columns: dict[str, FloatArray],
    time: FloatArray | None = None,
    status: Sequence[str] | None = None,
) -> None:
    """Write columns (N,) by name, after `t` and before `status` where they are given.

    Raises
    ------
    LogError
        If the file cannot be written.
    """
    made: dict[str, Any] = {**time_columns(time), **columns}
    if status is not None:
        made["status"] = np.asarray(status)
    write_table(path, made)
