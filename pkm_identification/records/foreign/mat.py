# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Columns of a MATLAB file: its vectors and matrices by name, those of structures and of Simulink's lists of them."""

from __future__ import annotations

import math
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from pkm_identification.errors import LogError
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.memory import arrays_beyond_memory

from .array_file import ArrayColumns, describe_damage, require_file
from .hdf5 import read_hdf5

DEEPEST = 4  # structures in structures
MOST_STRUCTURES = 64  # in a list, as signals of one log
BYTES = 8  # of a number
HOLDERS = (
    "struct",
    "cell",
    "object",
    "opaque",
)  # kinds of arrays of which `whosmat` does not tell what they hold
COMPRESSED, TAG, HEADER = (
    15,
    8,
    128,
)  # type of a packed element, bytes of a tag and of what a file begins with
PIECE = 2**22  # bytes that are unpacked at a time


def read_mat(path: str | Path) -> ArrayColumns:
    """Return columns of equal length, those of a matrix `L` as `L_1`, `L_2`, ...

    Raises
    ------
    LogError
        If it cannot be read or has no vectors.
    SettingsError
        If it is of version 7.3, which is HDF5, and h5py is not installed.
    """
    from scipy.io import loadmat, whosmat

    require_file(path)
    try:
        listed = whosmat(str(path))
        size = BYTES * sum(math.prod(shape) for _, shape, _ in listed)
        if any(kind in HOLDERS for _, _, kind in listed):
            size = max(size, _find_unpacked_size(path))
        if problem := arrays_beyond_memory(size):
            raise LogError(f"{path}: {problem}")
        content = loadmat(str(path), squeeze_me=False, struct_as_record=True)
    except LogError:
        raise
    except NotImplementedError:
        return read_hdf5(path)
    except OSError as error:
        raise LogError(f"{path}: cannot be read: {error.strerror or error}") from None
    except Exception as error:
        raise describe_damage(path, "MATLAB", error) from None
    arrays: dict[str, FloatArray] = {}
    for name, value in content.items():
        if not name.startswith("__"):
            _gather(name, value, arrays, DEEPEST)
    return ArrayColumns.of(path, arrays)


def _find_unpacked_size(path: str | Path) -> int:
    """Return how many bytes the elements of a file of version 5 have, those that are packed unpacked."""
    size = 0
    with Path(path).open("rb") as file:
        order = "<" if file.read(HEADER)[-2:] == b"IM" else ">"
        while len(tag := file.read(TAG)) == TAG:
            kind, count = struct.unpack(f"{order}II", tag)
            if kind != COMPRESSED:
                size += count
                file.seek(count, 1)
                continue
            unpacker, packed = zlib.decompressobj(), file.read(count)
            while packed and not unpacker.eof:
                size += len(unpacker.decompress(packed, PIECE))
                packed = unpacker.unconsumed_tail
    return size


def _gather(name: str, value: Any, arrays: dict[str, FloatArray], depth: int) -> None:
    """Add the matrices below a value, those of structures as `log.t`, of several in a list as `log.signals(2).values`.

    A matrix of samples along a third dimension, as Simulink writes signals of several entries, has them along rows.
    """
    if not isinstance(value, np.ndarray) or value.size == 0:
        return
    if value.dtype.names is not None:
        if not depth or value.size > MOST_STRUCTURES:
            return
        for number, one in enumerate(value.ravel(), 1):
            stem = name if value.size == 1 else f"{name}({number})"
            for key in value.dtype.names:
                _gather(f"{stem}.{key}", one[key], arrays, depth - 1)
    elif value.dtype.kind in "fiu" and value.ndim == 2:
        arrays[name] = value.astype(float)
    elif value.dtype.kind in "fiu" and value.ndim == 3 and 1 in value.shape[:2]:
        arrays[name] = value.reshape(-1, value.shape[2]).T.astype(float)
