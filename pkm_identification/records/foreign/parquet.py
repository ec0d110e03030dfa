# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Columns of a Parquet file by their names: numbers, times as seconds, lists of equal length as several columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pkm_identification.errors import LogError, PkmError
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.memory import beyond_memory
from pkm_identification.optional import library

from .array_file import ArrayColumns, Place, describe_damage, equal_columns, library_for, stack_columns

SECOND = 1e9  # ns
ROWS = 2**15  # read at a time
BUFFER = 2**20  # bytes of a column's group of rows that are read at a time; else all of it


def read_parquet(path: str | Path) -> ArrayColumns:
    """Return columns of numbers; missing ones are NaN, of times seconds, of lists `L` of equal length `L_1`, `L_2`, ...

    Raises
    ------
    LogError
        If it cannot be read, or has no columns of numbers.
    SettingsError
        If pyarrow, of the extra `tables`, is not installed.
    """
    files = library_for(path, "pyarrow.parquet")
    try:
        with files.ParquetFile(path, buffer_size=BUFFER) as file:
            count = file.metadata.num_rows
            if problem := beyond_memory(count):
                raise LogError(f"{path}: {problem}")
            first = next(file.iter_batches(batch_size=ROWS), None)
            arrays = {} if first is None else _read_arrays(first, first.schema.names)
    except PkmError:
        raise
    except Exception as error:
        raise describe_damage(path, "Parquet", error) from None
    widths = {name: values.shape[1] for name, values in arrays.items() if values is not None}
    places = equal_columns(path, {name: (count, width) for name, width in widths.items()})

    def pieces(names: Sequence[str]) -> Iterator[FloatArray]:
        return _iterate_pieces(path, files, {name: places[name] for name in names}, widths)

    return ArrayColumns(tuple(places), pieces)


def _iterate_pieces(
    path: str | Path, files: Any, places: Mapping[str, Place], widths: Mapping[str, int]
) -> Iterator[FloatArray]:
    used = sorted({entry.array for entry in places.values()})
    try:
        with files.ParquetFile(path, buffer_size=BUFFER) as file:
            for batch in file.iter_batches(batch_size=ROWS, columns=used):
                read: dict[str, FloatArray] = {}
                for name, values in _read_arrays(batch, used).items():
                    if values is None or values.shape[1] != widths[name]:
                        raise LogError(f"{path}: column {name}: lists of {widths[name]} numbers, and others")
                    read[name] = values
                yield stack_columns(places, read)
    except PkmError:
        raise
    except Exception as error:
        raise describe_damage(path, "Parquet", error) from None


def _read_arrays(batch: Any, names: Sequence[str]) -> dict[str, FloatArray | None]:
    """Return columns of some rows; of those that have one name, the last."""
    return {name: _read_values(batch.column(batch.schema.get_all_field_indices(name)[-1])) for name in names}


def _read_values(column: Any) -> FloatArray | None:
    """Return numbers of a column, (rows, 1) or (rows, entries of its lists); None of what is no numbers."""
    arrow = library("pyarrow", "tables")
    kind = column.type
    if arrow.types.is_timestamp(kind) or arrow.types.is_duration(kind):
        whole = arrow.timestamp("ns", kind.tz) if arrow.types.is_timestamp(kind) else arrow.duration("ns")
        return _read_numbers(column.cast(whole).cast(arrow.int64())) / SECOND
    if any(asked(kind) for asked in (arrow.types.is_integer, arrow.types.is_floating)):
        return _read_numbers(column)
    lists = (arrow.types.is_list, arrow.types.is_large_list, arrow.types.is_fixed_size_list)
    if any(asked(kind) for asked in lists):
        rows = column.to_pylist()
        if len({len(row) if row is not None else -1 for row in rows}) == 1 and rows[0]:
            return np.array(rows, dtype=float)
    return None


def _read_numbers(column: Any) -> FloatArray:
    return np.asarray(column.to_numpy(zero_copy_only=False), dtype=float)[:, None]
