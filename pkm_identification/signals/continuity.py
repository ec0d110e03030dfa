# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Unbroken segments of a stream as its receiver sees them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pkm_identification.numerics.arrays import FloatArray

NUMBERS = 2**32  # of segments that a message has room for
# Neighbours on the sender's regular clock are less than 1.5 periods apart whatever the jitter; so many may be lost
# before a low-pass over the stream has to begin anew.
LONGEST_HOLE = 5.5  # periods


class Continuity:
    """Numbers segments, beginning a new one where the sender does and where samples are missing.

    The sender's own segments tell of holes in its input. A sender that was restarted, or samples lost on the way,
    show in the stamps only.

    Parameters
    ----------
    period : float
        Sample period in s.

    Attributes
    ----------
    breaks : int
        Holes met so far.
    """

    def __init__(self, period: float) -> None:
        self._longest = LONGEST_HOLE * period
        self.reset()

    def reset(self) -> None:
        """Forget the stream so far."""
        self.breaks = 0
        self._segment: int | None = None
        self._time = -math.inf

    def number(self, time: float, segment: int) -> int:
        """Return number of the segment that a sample of this stamp (s) and the sender's segment belongs to."""
        if segment == self._segment and time - self._time > self._longest:
            self.breaks += 1
        self._segment, self._time = segment, time
        return (segment + self.breaks) % NUMBERS


def number_segments(time: FloatArray, segment: NDArray[np.int64], period: float) -> NDArray[np.int64]:
    """Return numbers (N,) of the segments of a whole stream (stamps in s), as `Continuity` gives them one by one."""
    missing = (np.diff(segment) == 0) & (np.diff(time) > LONGEST_HOLE * period)
    return segment + np.concatenate([[0], np.cumsum(missing)])[: len(segment)]
