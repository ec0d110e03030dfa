# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Columns of an HDF5 file, also of MATLAB's version 7.3: its datasets by name, those of groups as `log.t`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pkm_identification.errors import LogError, PkmError
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.memory import beyond_memory

from .array_file import ArrayColumns, Place, describe_damage, equal_columns, library_for, stack_columns

MATLABS_OWN = "#"  # what MATLAB's groups of references and subsystems begin with
ROWS = 2**15  # rows that are read at a time, where those of a compressed block are not more


@dataclass(frozen=True)
class _Array:
    """A vector or matrix of numbers: a dataset, or a field of a table; its shape, and rows compressed together."""

    dataset: str
    field: str | None
    shape: tuple[int, int]
    blocks: tuple[int, int]


def read_hdf5(path: str | Path) -> ArrayColumns:
    """Return columns of equal length, those of a matrix `L` as `L_1`, `L_2`, ..., of a table `log` as `log.t`.

    Raises
    ------
    LogError
        If it cannot be read, or has no vectors of numbers.
    SettingsError
        If h5py, of the extra `tables`, is not installed.
    """
    h5py = library_for(path, "h5py")
    arrays: dict[str, _Array] = {}

    def gather(name: str, node: Any) -> None:
        if not isinstance(node, h5py.Dataset) or node.shape is None or name.startswith(MATLABS_OWN):
            return
        if problem := beyond_memory(max(node.shape, default=0)):
            raise LogError(f"{path}: {name}: {problem}")
        dotted = name.replace("/", ".")
        if node.dtype.names is not None and node.ndim == 1:
            for field in node.dtype.names:
                kind = node.dtype[field]
                _keep(f"{dotted}.{field}", node, name, field, kind.base, (*node.shape, *kind.shape), arrays)
        else:
            _keep(dotted, node, name, None, node.dtype, node.shape, arrays)

    try:
        with h5py.File(path, "r") as file:
            file.visititems(gather)
    except PkmError:
        raise
    except Exception as error:
        raise describe_damage(path, "HDF5", error) from None
    places = equal_columns(path, {name: array.shape for name, array in arrays.items()})

    def pieces(names: Sequence[str]) -> Iterator[FloatArray]:
        return _iterate_pieces(path, h5py, {name: places[name] for name in names}, arrays)

    return ArrayColumns(tuple(places), pieces)


def _keep(
    name: str,
    node: Any,
    dataset: str,
    field: str | None,
    kind: np.dtype,
    shape: tuple[int, ...],
    arrays: dict[str, _Array],
) -> None:
    if kind.kind in "fiu" and len(shape) in (1, 2) and all(shape):
        blocks = (*(node.chunks or (1,)), 1)
        wide = (*shape, 1)
        arrays[name] = _Array(dataset, field, (wide[0], wide[1]), (blocks[0], blocks[1]))


def _iterate_pieces(
    path: str | Path, h5py: Any, places: Mapping[str, Place], arrays: Mapping[str, _Array]
) -> Iterator[FloatArray]:
    """Yield rows of columns; a block that is compressed as one is unpacked twice at most, where a part ends in it."""
    used = {entry.array: entry.across for entry in places.values()}
    count = max(arrays[name].shape[across] for name, across in used.items())
    step = max(ROWS, *(arrays[name].blocks[across] for name, across in used.items()))
    try:
        with h5py.File(path, "r") as file:
            for first in range(0, count, step):
                rows = slice(first, min(first + step, count))
                read = {name: _read_rows(file, arrays[name], across, rows) for name, across in used.items()}
                yield stack_columns(places, read)
    except PkmError:
        raise
    except Exception as error:
        raise describe_damage(path, "HDF5", error) from None


def _read_rows(file: Any, array: _Array, across: bool, rows: slice) -> FloatArray:
    """Return a part of an array as it stands in the file, of two dimensions."""
    dataset = file[array.dataset]
    if array.field is None:
        values = dataset[:, rows] if across else dataset[rows]
    else:  # fields may be vectors along the samples: then a table has few rows
        values = dataset[()][array.field][:, rows] if across else dataset[rows][array.field]
    return np.asarray(values, dtype=float).reshape(len(values), -1)
