# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Gravity from another direction than the machine file has: a base that does not stand level."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import axes_across, matrix_from_vector

from ..situation import Situation
from .hypothesis import Effect, repeated

TILT = 0.03  # rad, a large one
STEP = 1e-3  # rad


def tilted(situation: Situation, axes: FloatArray | None = None) -> FloatArray:
    """What a radian about each of two axes (2, 3) would add, N; about those across gravity unless given."""
    machine = situation.machine
    columns = []
    for axis in axes_across(machine.gravity) if axes is None else axes:
        turned = replace(machine, gravity=matrix_from_vector(STEP * axis) @ machine.gravity)
        columns.append(situation.of_machine(turned) / STEP)
    return np.stack(columns, axis=2)


def effects(machine: Machine) -> list[Effect]:
    """Of the direction of gravity; none where there is no gravity."""
    if not np.any(machine.gravity):
        return []
    return [
        Effect(
            "gravity_direction",
            "gravity",
            "rad",
            tilted,
            repeated(TILT, 2),
            "Level the base, set gravity in the machine file, or estimate it with --also {name}",
            parts=("gravity_direction_1", "gravity_direction_2"),
        )
    ]
