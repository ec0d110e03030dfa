# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Columns of equal length from the vectors and matrices of a file, whatever it calls them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pkm_identification.errors import LogError

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
