# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Columns of a file of arrays: their names at once, their numbers some thousand rows at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

from .equal_columns import Place, equal_columns


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
