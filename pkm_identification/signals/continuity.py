"""Unbroken stretches of a stream as its receiver sees them."""

from __future__ import annotations

import math

NUMBERS = 2**32
# Neighbours on the sender's regular clock are less than 1.5 periods apart whatever the jitter; so many may be lost
# before a low-pass over the stream has to begin anew.
LONGEST_HOLE = 5.5  # periods


class Continuity:
    """Numbers stretches, beginning a new one where the sender does and where samples are missing.

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
        self.breaks = 0
        self._segment: int | None = None
        self._time = -math.inf

    def number(self, time: float, segment: int) -> int:
        """Number of the stretch that a sample of this stamp (s) and the sender's segment belongs to."""
        if segment == self._segment and time - self._time > self._longest:
            self.breaks += 1
        self._segment, self._time = segment, time
        return (segment + self.breaks) % NUMBERS
