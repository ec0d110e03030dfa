"""Columns of a Parquet file by their names: numbers, times as seconds, lists of equal length as several columns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from pkm_identification.errors import LogError, PkmError
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.memory import beyond_memory
from pkm_identification.optional import library

from .array_file import damaged, library_for
from .equal_columns import equal_columns

SECOND = 1e9  # ns


def read_parquet(path: str | Path) -> dict[str, FloatArray]:
    """Columns of numbers; missing ones are NaN, of times seconds, of lists `L` of equal length `L_1`, `L_2`, ...

    Raises
    ------
    LogError
        If it cannot be read, or has no columns of numbers.
    SettingsError
        If pyarrow, of the extra `tables`, is not installed.
    """
    files = library_for(path, "pyarrow.parquet")
    try:
        about = files.read_metadata(path)
        if problem := beyond_memory(about.num_rows):
            raise LogError(f"{path}: {problem}")
        table = files.ParquetFile(path).read()
        arrays = {name: _values(table.column(place)) for place, name in enumerate(table.column_names)}
    except PkmError:
        raise
    except Exception as error:
        raise damaged(path, "Parquet", error) from None
    return equal_columns(path, {name: values for name, values in arrays.items() if values is not None})


def _values(column: Any) -> FloatArray | None:
    """Numbers of a column, (rows, 1) or (rows, entries of its lists); None of what is no numbers."""
    arrow = library("pyarrow", "tables")
    kind = column.type
    if arrow.types.is_timestamp(kind) or arrow.types.is_duration(kind):
        whole = arrow.timestamp("ns", kind.tz) if arrow.types.is_timestamp(kind) else arrow.duration("ns")
        return _numbers(column.cast(whole).cast(arrow.int64())) / SECOND
    if any(asked(kind) for asked in (arrow.types.is_integer, arrow.types.is_floating)):
        return _numbers(column)
    lists = (arrow.types.is_list, arrow.types.is_large_list, arrow.types.is_fixed_size_list)
    if any(asked(kind) for asked in lists):
        rows = column.to_pylist()
        if len({len(row) if row is not None else -1 for row in rows}) == 1 and rows[0]:
            return np.array(rows, dtype=float)
    return None


def _numbers(column: Any) -> FloatArray:
    return np.asarray(column.to_numpy(), dtype=float)[:, None]
