# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""How near struts must stay to a motion, and come to its end."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray


@dataclass(frozen=True)
class Tolerances:
    """Allowed differences of reference and measurement; infinite where nothing is asked for.

    Attributes
    ----------
    path, path_rate : ndarray, shape (6,)
        m and m/s, on the way.
    goal, goal_rate : ndarray, shape (6,)
        m and m/s, at the end.
    goal_time : float
        s after the motion's end within which `goal` and `goal_rate` must be met.
    """

    path: FloatArray
    path_rate: FloatArray
    goal: FloatArray
    goal_rate: FloatArray
    goal_time: float

    @classmethod
    def at_goal(cls, length: float, time: float) -> Tolerances:
        """Lengths within `length` (m) at most `time` (s) after the end; the way there is free."""
        free = np.full(STRUTS, np.inf)
        return cls(free, free, np.full(STRUTS, length), free, time)

    def off_path(self, error: FloatArray, rate_error: FloatArray) -> str | None:
        """What is wrong on the way, in words; None while all struts are within.

        Parameters
        ----------
        error, rate_error : ndarray, shape (6,)
            m and m/s.
        """
        return _beyond(error, self.path, rate_error, self.path_rate, "its path")

    def off_goal(self, error: FloatArray, rate_error: FloatArray) -> str | None:
        """What is wrong at the end, in words; None when all struts are within."""
        return _beyond(error, self.goal, rate_error, self.goal_rate, "the goal")


def _beyond(
    error: FloatArray, allowed: FloatArray, rate_error: FloatArray, allowed_rate: FloatArray, what: str
) -> str | None:
    for values, limits, text in (
        (np.abs(error), allowed, "strut {} is {:.6f} m from {}, {:g} m is allowed"),
        (np.abs(rate_error), allowed_rate, "strut {}: its rate is {:.6f} m/s off {}, {:g} m/s is allowed"),
    ):
        # NaN is beyond
        if not (values <= limits).all():
            i = int(np.argmax(values - limits))
            return text.format(i + 1, values[i], what, limits[i])
    return None
