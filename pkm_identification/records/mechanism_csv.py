# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Tables of a mechanism's outputs, drives and forces as CSV, columns by the names of its description."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

from .motion_csv import build_time_columns, column_choice, time_of
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
    """Return columns by name, in any order in the file.

    Raises
    ------
    LogError
        If one is missing or a number is not finite: names file, line and column.
    """
    table = read_table(path, column_choice(tuple(names)))
    table.require_finite(names)
    return NamedTable(time_of(table), table.select(names), table.source)


@dataclass(frozen=True)
class NamedMotion:
    """A motion whose values and derivatives may be those of different coordinates.

    Attributes
    ----------
    time : ndarray, shape (N,), or None
        s; None when the file has no column `t`.
    value, rate, acceleration : ndarray, shape (N, n)
    place, derivatives : str
        Keys of the names: whose the values are, and whose the rates and accelerations.
    source : str
        Path of the file.
    """

    time: FloatArray | None
    value: FloatArray
    rate: FloatArray
    acceleration: FloatArray
    place: str
    derivatives: str
    source: str


def read_named_motion(path: str | Path, names: Mapping[str, Sequence[str]]) -> NamedMotion:
    """Return values, rates and accelerations of one of several sets of names, by keys; the first that is there.

    Raises
    ------
    LogError
        If none of them is complete or a number is not finite: names file, line and column.
    """
    values = {key: tuple(given) for key, given in names.items()}
    changes = {
        key: tuple(name + suffix for suffix in (RATE, ACCELERATION) for name in given)
        for key, given in names.items()
    }
    chosen: list[str] = []

    def choose(header: tuple[str, ...]) -> tuple[str, ...]:
        chosen[:] = [_find_complete_set(header, values), _find_complete_set(header, changes)]
        return column_choice((*values[chosen[0]], *changes[chosen[1]]))(header)

    table = read_table(path, choose)
    name_, derivatives = chosen
    table.require_finite(values[name_] + changes[derivatives])
    rate, acceleration = np.split(table.select(changes[derivatives]), 2, axis=1)
    return NamedMotion(
        time_of(table), table.select(values[name_]), rate, acceleration, name_, derivatives, table.source
    )


def _find_complete_set(header: tuple[str, ...], sets: Mapping[str, tuple[str, ...]]) -> str:
    """Return the key of the first set of which a header has all columns."""
    for key, names in sets.items():
        if set(names) <= set(header):
            return key
    first = next(iter(sets.values()))
    missing = [name for name in first if name not in header]
    expected = " or ".join(dict.fromkeys(",".join(names) for names in sets.values()))
    raise ValueError(f"no column {', '.join(missing)}; expected {expected}")


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
    table: dict[str, Any] = {**build_time_columns(time), **columns}
    if status is not None:
        table["status"] = np.asarray(status)
    write_table(path, table)
