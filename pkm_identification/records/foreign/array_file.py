# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Files of arrays that a library reads: columns of equal length by whatever names, some thousand rows at a time.

The library may be missing, the file too, and its bytes be damaged: each is said in one line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pkm_identification.errors import LogError, SettingsError
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.optional import library


def library_for(path: str | Path, name: str) -> Any:
    """Return the module of the extra `tables` that reads a file.

    Raises
    ------
    SettingsError
        If it is not installed.
    LogError
        If there is no such file.
    """
    try:
        module = library(name, "tables")
    except SettingsError as missing:
        raise SettingsError(f"{path}: {missing}") from None
    require_file(path)
    return module


def require_file(path: str | Path) -> None:
    """Raise LogError unless there is such a file."""
    if not Path(path).is_file():
        raise LogError(f"{path}: cannot be read: No such file")


def describe_damage(path: str | Path, kind: str, error: Exception) -> LogError:
    """What is said of a file whose bytes made a decoder raise; of unknown origin, they make it raise anything."""
    reason = " ".join(str(error).split())[:120] or type(error).__name__
    return LogError(f"{path}: damaged or no {kind} file: {reason}")


@dataclass(frozen=True)
class ArrayColumns:
    """Columns of equal length, which are read when they are asked for.

    Attributes
    ----------
    names : tuple of str
    pieces : callable (names) -> iterator of ndarray, shape (n, len(names))
        Some of the columns, part by part in order; raises LogError where the file is damaged.
    """

    names: tuple[str, ...]
    pieces: Callable[[Sequence[str]], Iterator[FloatArray]]

    @classmethod
    def of(cls, path: str | Path, arrays: Mapping[str, FloatArray]) -> ArrayColumns:
        """Yield columns of arrays of two dimensions that are in memory; raises as `equal_columns`."""
        places = equal_columns(path, {name: array.shape for name, array in arrays.items()})

        def pieces(names: Sequence[str]) -> Iterator[FloatArray]:
            yield stack_columns({name: places[name] for name in names}, arrays)

        return cls(tuple(places), pieces)


def stack_columns(places: Mapping[str, Place], arrays: Mapping[str, FloatArray]) -> FloatArray:
    """Return columns (n, len(places)) from the arrays they are in."""
    columns = (arrays[entry.array].T if entry.across else arrays[entry.array] for entry in places.values())
    return np.column_stack(
        [column[:, entry.index] for column, entry in zip(columns, places.values(), strict=True)]
    )


WIDEST = 64  # columns of a matrix


@dataclass(frozen=True)
class Place:
    """Where a column is: which of an array's columns, from 0, or rows where samples are along the second dimension."""

    array: str
    index: int
    across: bool


def equal_columns(path: str | Path, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, Place]:
    """Return columns of the length that most arrays have, those of a matrix `L` as `L_1`, `L_2`, ...

    Parameters
    ----------
    path : str or Path
        For messages.
    shapes : mapping of str to tuple of int
        Of arrays of two dimensions; samples along either.

    Raises
    ------
    LogError
        If there is no vector.
    """
    lengths = Counter(max(shape) for shape in shapes.values() if max(shape) > WIDEST)
    if not lengths:
        lengths = Counter(max(shape) for shape in shapes.values() if max(shape) > 1)
    if not lengths:
        raise LogError(f"{path}: has no vectors of numbers")
    samples = lengths.most_common(1)[0][0]
    columns: dict[str, Place] = {}
    for name, shape in shapes.items():
        across = shape[0] != samples
        long, width = shape[::-1] if across else shape
        if long != samples or width > WIDEST:
            continue
        if width == 1:
            columns[name] = Place(name, 0, across)
        else:
            columns |= {f"{name}_{i + 1}": Place(name, i, across) for i in range(width)}
    return columns
