# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Arrays too large to stay in memory: kept in a temporary file, of which only what is in use is in memory.

A log of hours is gathered row by row into a `GrowingArray`. Small ones are plain arrays; a large one is a mapped file
that has no name any more and goes with the array. Whoever works through large arrays part by part calls `let_go` in
between: the pages seen so far then leave this process and are read again where they are asked for. No value changes.
"""

from __future__ import annotations

import mmap
import os
import tempfile
import threading
import weakref
from collections.abc import Iterator
from typing import IO

import numpy as np
from numpy.typing import NDArray

LARGEST_IN_MEMORY = 2**26  # bytes of an array: lengths or forces of 23 minutes at 1 kHz
ROWS = 2**15  # rows that are worked on at a time
REPRESENTATIVE = 2**19  # rows
# Where temporary files may be large: /tmp is often a part of the memory.
LARGE_FILES = "/var/tmp"

_mapped: weakref.WeakSet[_Map] = weakref.WeakSet()
_adding = threading.Lock()  # nothing is added while another thread goes through them


class NoRoom(OSError):
    """No room for a large array in a temporary file."""


class _Map(mmap.mmap):
    """A mapped file that can be found again, to let its pages go."""

    __hash__ = object.__hash__


class GrowingArray:
    """Rows of equal shape and type, appended part by part, in one array at the end; they are never there twice.

    Parameters
    ----------
    largest : int, optional
        Bytes above which they are kept in a file.
    """

    def __init__(self, largest: int | None = None) -> None:
        self._largest = LARGEST_IN_MEMORY if largest is None else largest
        self._parts: list[NDArray] = []
        self._bytes = 0
        self._rows = 0
        self._file: IO[bytes] | None = None
        self._like: NDArray | None = None

    def __len__(self) -> int:
        return self._rows

    def append(self, rows: NDArray) -> None:
        """Add rows (n, ...) of the shape and type of the first.

        Raises
        ------
        NoRoom
            If there is none for them in a temporary file.
        """
        if self._like is None:
            self._like = np.empty((0, *rows.shape[1:]), dtype=rows.dtype)
        self._rows += len(rows)
        self._bytes += rows.nbytes
        if self._file is None and self._bytes > self._largest:
            self._file = _open_large_file()
            for part in self._parts:
                self._write(part)
            self._parts.clear()
        if self._file is None:
            self._parts.append(rows)
        else:
            self._write(rows)

    def taken(self) -> NDArray:
        """Return all rows, shape (N, ...); nothing can be added to them any more.

        Raises
        ------
        ValueError
            If there was never anything to tell their shape by.
        """
        if self._like is None:
            raise ValueError("no rows, whose shape nobody knows")
        if self._file is None:
            rows = np.concatenate([self._like, *self._parts])
            self._parts.clear()
            return rows
        with self._file as file:
            mapped = _Map(file.fileno(), self._bytes)
        with _adding:
            _mapped.add(mapped)
        return np.frombuffer(mapped, self._like.dtype).reshape(self._rows, *self._like.shape[1:])

    def _write(self, rows: NDArray) -> None:
        assert self._file is not None
        try:
            self._file.write(np.ascontiguousarray(rows).data)
            self._file.flush()  # what does not fit is to be known here
        except OSError as error:
            raise NoRoom(
                f"a long log needs room for temporary files: {error.strerror or error}; "
                "TMPDIR says where else they may be"
            ) from None


def is_large(values: NDArray) -> bool:
    """Return whether an array is so large that another like it is better not kept in memory."""
    return values.nbytes > LARGEST_IN_MEMORY


def let_go() -> None:
    """Let the pages of large arrays leave this process; whoever asks for them has them read again."""
    if not hasattr(mmap, "MADV_DONTNEED"):  # Windows, which drops pages by itself
        return
    with _adding:
        present = list(_mapped)
    for mapped in present:
        mapped.madvise(mmap.MADV_DONTNEED)


def row_blocks(count: int, rows: int = ROWS) -> Iterator[slice]:
    """Yield rows from 0 to `count` some thousand at a time; what large arrays showed of those before is let go."""
    for first in range(0, count, rows):
        yield slice(first, min(first + rows, count))
        if count > rows:
            let_go()


def overlapping_blocks(count: int) -> Iterator[slice]:
    """`row_blocks` that have the first row of the next, too, so that each row is next to the one before it in one."""
    for block in row_blocks(count):
        yield slice(block.start, min(block.stop + 1, count))


def falls(values: NDArray) -> bool:
    """Return whether any of values (N,) is smaller than the one before it."""
    parts = (values[block] for block in overlapping_blocks(len(values)))
    return any(bool(np.any(part[1:] < part[:-1])) for part in parts)


def representative_rows(values: NDArray) -> NDArray:
    """Rows spread evenly over a large array, so many that all of them tell no more of a median; a small one's all."""
    if not is_large(values):
        return values
    step = -(-len(values) // REPRESENTATIVE)
    # copies: views would have all of the array in memory again in the end
    return np.concatenate([values[block][::step].copy() for block in row_blocks(len(values))])


def chosen_rows(values: NDArray, chosen: NDArray[np.bool_]) -> NDArray:
    """Return the rows of an array (N, ...) that a mask (N,) marks; of a large one, in a large one."""
    if not is_large(values):
        return values[chosen]
    picked = GrowingArray()
    for block in row_blocks(len(values)):
        picked.append(values[block][chosen[block]])
    return picked.taken()


def _open_large_file() -> IO[bytes]:
    """Return a temporary file without a name, in TMPDIR if that is set."""
    folder = None if os.environ.get("TMPDIR") or not os.access(LARGE_FILES, os.W_OK) else LARGE_FILES
    return tempfile.TemporaryFile(prefix="pkm_", dir=folder)
