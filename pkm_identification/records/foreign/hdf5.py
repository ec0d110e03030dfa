"""Columns of an HDF5 file, also of MATLAB's version 7.3: its datasets by name, those of groups as `log.t`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from pkm_identification.errors import LogError, PkmError
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.memory import beyond_memory

from .array_file import damaged, library_for
from .equal_columns import equal_columns

MATLABS_OWN = "#"  # what MATLAB's groups of references and subsystems begin with


def read_hdf5(path: str | Path) -> dict[str, FloatArray]:
    """Columns of equal length, those of a matrix `L` as `L_1`, `L_2`, ..., of a table `log` as `log.t`.

    Raises
    ------
    LogError
        If it cannot be read, or has no vectors of numbers.
    SettingsError
        If h5py, of the extra `tables`, is not installed.
    """
    h5py = library_for(path, "h5py")
    arrays: dict[str, FloatArray] = {}

    def gather(name: str, place: Any) -> None:
        if not isinstance(place, h5py.Dataset) or name.startswith(MATLABS_OWN):
            return
        if problem := beyond_memory(max(place.shape, default=0)):
            raise LogError(f"{path}: {name}: {problem}")
        dotted = name.replace("/", ".")
        if place.dtype.names is not None and place.ndim == 1:
            table = place[()]
            for field in place.dtype.names:
                _keep(f"{dotted}.{field}", table[field], arrays)
        elif place.ndim in (1, 2) and place.dtype.kind in "fiu":
            _keep(dotted, place[()], arrays)

    try:
        with h5py.File(path, "r") as file:
            file.visititems(gather)
    except PkmError:
        raise
    except Exception as error:
        raise damaged(path, "HDF5", error) from None
    return equal_columns(path, arrays)


def _keep(name: str, values: np.ndarray, arrays: dict[str, FloatArray]) -> None:
    if values.dtype.kind in "fiu" and values.ndim in (1, 2) and values.size:
        arrays[name] = values.astype(float).reshape(len(values), -1)
