# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Poses of a machine along a log, few enough to be drawn one by one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

MOST = 900  # poses: 20 a second of a log of 45 s


@dataclass(frozen=True)
class MachinePath:
    """Poses of the platform frame in the base frame.

    Attributes
    ----------
    time : ndarray, shape (K,)
        s, from the first one.
    position : ndarray, shape (K, 3)
        m.
    rotation : ndarray, shape (K, 3, 3)
        From platform to base axes.
    """

    time: FloatArray
    position: FloatArray
    rotation: FloatArray


def machine_path(time: FloatArray, position: FloatArray, rotation: FloatArray) -> MachinePath:
    """Return at most MOST poses (N, 3), (N, 3, 3) at stamps (N,), evenly spread."""
    chosen = np.unique(np.linspace(0, len(time) - 1, min(MOST, len(time))).round().astype(int))
    return MachinePath(time[chosen] - time[chosen[0]], position[chosen], rotation[chosen])
