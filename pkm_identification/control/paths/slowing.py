# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

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
