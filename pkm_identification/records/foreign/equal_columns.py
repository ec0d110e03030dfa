"""Columns of equal length from the vectors and matrices of a file, whatever it calls them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from pkm_identification.errors import LogError
from pkm_identification.numerics.arrays import FloatArray

WIDEST = 64  # columns of a matrix


def equal_columns(path: str | Path, arrays: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
    """Columns of the length that most arrays have, those of a matrix `L` as `L_1`, `L_2`, ...

    Parameters
    ----------
    path : str or Path
        For messages.
    arrays : mapping of str to ndarray
        Of two dimensions; samples along either.

    Raises
    ------
    LogError
        If there is no vector.
    """
    lengths = Counter(max(array.shape) for array in arrays.values() if max(array.shape) > WIDEST)
    if not lengths:
        lengths = Counter(max(array.shape) for array in arrays.values() if max(array.shape) > 1)
    if not lengths:
        raise LogError(f"{path}: has no vectors of numbers")
    samples = lengths.most_common(1)[0][0]
    columns: dict[str, FloatArray] = {}
    for name, array in arrays.items():
        upright = array if array.shape[0] == samples else array.T
        if upright.shape[0] != samples or upright.shape[1] > WIDEST:
            continue
        if upright.shape[1] == 1:
            columns[name] = upright[:, 0]
        else:
            columns |= {f"{name}_{i + 1}": column for i, column in enumerate(upright.T)}
    return columns
