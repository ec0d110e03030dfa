# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Columns of what may be wrong: the force that a unit of it adds at each sample, drive by drive, for any machine."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.segments import segment_slices

from ..regression.samples import Samples

DELAY, GAIN, OFFSET, INERTIA = "force_delay", "force_gain", "force_offset", "motor_inertia"
ASYMMETRIC, STRIBECK, SQUARE = "friction_asymmetric", "friction_stribeck", "friction_square"
STRIBECK_BENDS = 10.0  # rates at which friction bends, over which it falls to Coulomb's


def differentiate(values: FloatArray, segment: NDArray[np.int64], period: float) -> FloatArray:
    """Return the derivative of values (N, n) by time, run after run."""
    slope = np.zeros_like(values)
    for part in segment_slices(segment):
        if part.stop - part.start > 1:
            slope[part] = np.gradient(values[part], period, axis=0)
    return slope


def _side(samples: Samples, bend: FloatArray) -> FloatArray:
    return np.clip(samples.motion.rate / bend, -1.0, 1.0)


_OF_MOTION: dict[str, Callable[[Samples, FloatArray], FloatArray]] = {
    ASYMMETRIC: lambda samples, bend: np.abs(_side(samples, bend)),
    STRIBECK: lambda samples, bend: (
        _side(samples, bend) * np.exp(-((samples.motion.rate / (STRIBECK_BENDS * bend)) ** 2))
    ),
    SQUARE: lambda samples, bend: samples.motion.rate * np.abs(samples.motion.rate),
    INERTIA: lambda samples, bend: samples.motion.acceleration,
}
OF_MOTION = tuple(
    _OF_MOTION
)  # kinds whose columns hang on the motion alone, and are the same at any estimate


def compute_motion_column(kind: str, samples: Samples, machine: Machine) -> FloatArray:
    """Return what a unit of one of OF_MOTION adds to each drive's force, (N, n)."""
    bend = np.array([one.transition_rate for one in machine.friction])
    return _OF_MOTION[kind](samples, bend)
