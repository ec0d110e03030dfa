# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Coming to rest on a path: its own time slows down."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.numerics.arrays import FloatArray


@dataclass(frozen=True)
class Slowing:
    """The path's own time s(t) while the machine slows down on it: s' falls from 1 to 0, with continuous s''.

    `begin` is where (s) the slowing begins, `duration` how long (s) it takes; half of that is still travelled.
    """

    begin: float
    duration: float

    def evaluate(self, time: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """s, s' and s'' at times (N,)."""
        x = np.clip((time - self.begin) / self.duration, 0.0, 1.0)
        before = np.minimum(time, self.begin)
        return (
            before + self.duration * x * (1.0 - x * x * (1.0 - 0.5 * x)),
            1.0 - x * x * (3.0 - 2.0 * x),
            -6.0 * x * (1.0 - x) / self.duration,
        )
