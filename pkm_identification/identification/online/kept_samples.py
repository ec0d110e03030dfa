# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The newest samples of a stream, in memory that another process reads while they come."""

from __future__ import annotations

import mmap
import os
import tempfile
import weakref
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pkm_identification.numerics.arrays import FloatArray

BYTES = 8  # of a number


class KeptSamples:
    """A ring of rows with their stamps; pickled, it is the same memory in a process that has inherited the descriptor.

    Parameters
    ----------
    capacity : int
        Samples; each takes the place of the oldest.
    width : int
        Numbers of a row.
    descriptor : int, optional
        Of the memory's file, which has no name and ends with the last process that holds it; a new one by default.

    Attributes
    ----------
    rows : ndarray, shape (capacity, width)
    time, segment : ndarray, shape (capacity,)
        Stamps in s; numbers of uninterrupted runs.
    """

    def __init__(self, capacity: int, width: int, descriptor: int | None = None) -> None:
        self.capacity, self.width = capacity, width
        size = BYTES * (1 + capacity * (width + 2))
        self.descriptor = _make_file(size) if descriptor is None else descriptor
        weakref.finalize(self, os.close, self.descriptor)
        memory = mmap.mmap(self.descriptor, size)
        numbers, whole = np.frombuffer(memory), np.frombuffer(memory, dtype=np.int64)
        self._count = whole[:1]
        self.segment = whole[1 : 1 + capacity]
        self.time = numbers[1 + capacity : 1 + 2 * capacity]
        self.rows = numbers[1 + 2 * capacity :].reshape(capacity, width)

    def __reduce__(self) -> tuple[Any, ...]:
        return KeptSamples, (self.capacity, self.width, self.descriptor)

    @property
    def count(self) -> int:
        """Samples that have come since the beginning."""
        return int(self._count[0])

    def add(self, time: float, segment: int) -> None:
        """Count the sample whose numbers are in the next row."""
        count = self.count
        self.time[count % self.capacity], self.segment[count % self.capacity] = time, segment
        self._count[0] = count + 1

    def copy(self, numbers: range) -> tuple[FloatArray, NDArray[np.int64], FloatArray]:
        """Return stamps, segments and rows of samples by their numbers, without those written over by now."""
        places = np.arange(numbers.start, numbers.stop) % self.capacity
        time, segment, rows = self.time[places], self.segment[places], self.rows[places]
        # the next row is being written
        lost = max(0, self.count + 1 - self.capacity - numbers.start)
        return time[lost:], segment[lost:], rows[lost:]


def _make_file(size: int) -> int:
    """Return the descriptor of a new file in memory, or on disk where the system has none there."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("pkm_samples")
    else:
        with tempfile.TemporaryFile() as file:
            descriptor = os.dup(file.fileno())
    os.ftruncate(descriptor, size)
    return descriptor
