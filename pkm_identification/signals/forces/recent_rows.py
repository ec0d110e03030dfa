# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The newest rows of a stream of numbers, one behind the other in memory: kernels take them as they stand."""

from __future__ import annotations

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

FIRST_ROOM = 64  # rows


class RecentRows:
    """Rows of `width` numbers, appended at the end and dropped at the beginning.

    Parameters
    ----------
    width : int
    """

    def __init__(self, width: int) -> None:
        self._room = np.empty((FIRST_ROOM, width))
        self._begin = self._end = 0

    def __len__(self) -> int:
        return self._end - self._begin

    @property
    def rows(self) -> FloatArray:
        """The rows (n, width), oldest first, good until the next one is appended."""
        return self._room[self._begin : self._end]

    def append(self, row: FloatArray) -> None:
        """Append a row (width,)."""
        if self._end == len(self._room):
            kept = self.rows.copy()
            if 2 * len(kept) > len(self._room):
                self._room = np.empty((2 * len(self._room), self._room.shape[1]))
            self._begin, self._end = 0, len(kept)
            self._room[: len(kept)] = kept
        self._room[self._end] = row
        self._end += 1

    def drop(self, count: int) -> None:
        """Drop the oldest rows."""
        self._begin += min(count, len(self))

    def keep(self, most: int) -> None:
        """Drop the oldest rows but for so many of the newest."""
        self.drop(len(self) - min(most, len(self)))

    def clear(self) -> None:
        """Drop all rows."""
        self._begin = self._end = 0
