# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Zeros of lengths that are wrong, or drift, as a stream of equations shows them: encoders that lose counts slowly.

A wrong length puts the platform elsewhere, where gravity asks other forces of all struts. What a metre of it changes
is taken at home and at rest: pairs of struts stand differently enough to tell whose length it is, and whether it
grows. Told from an amplifier's zero, which is in one strut's force alone.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.mechanisms.hexapod.dynamics.basis import basis_parameters
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import PlatformMotion
from pkm_identification.numerics.arrays import FloatArray

from ...model_errors.effect import Effect, as_given, numbered, repeated
from ...model_errors.geometry import ZERO
from .length_steps import missed_force

GROWN = 20.0  # s in which a fast drift becomes a large zero


def missed_at_home(machine: Machine) -> FloatArray:
    """Force in N per metre of each length's zero, measured less true, that the model misses at rest at home, (6, 6)."""
    still = np.zeros((1, 6))
    motion = PlatformMotion(
        np.zeros(1), machine.home_position[None], machine.home_rotation[None], still, still
    )
    return missed_force(machine, motion, basis_parameters(machine))


def zero_columns(missed: FloatArray, time: FloatArray) -> dict[str, FloatArray]:
    """Columns (K, 6, 6) of the effects from `missed_at_home` (6, 6), for equations of these stamps (K,) in s."""
    steady = np.repeat(missed[None], len(time), axis=0)
    return {"length_offset": steady, "length_drift": steady * (time - time[0])[:, None, None]}


def zero_effects(machine: Machine, columns: dict[str, FloatArray]) -> list[Effect]:
    """A zero that is wrong, and one that drifts from the first equation on, with their `zero_columns`."""
    large = ZERO * machine.length_scale
    return [
        Effect(
            "length_offset",
            "geometry",
            "m",
            as_given(columns["length_offset"]),
            repeated(large),
            "Home that encoder again; pkm diagnose of a log tells it from joints in other places",
            numbered("length_offset"),
        ),
        Effect(
            "length_drift",
            "geometry",
            "m/s",
            as_given(columns["length_drift"]),
            repeated(large / GROWN),
            "That encoder loses counts slowly, or slips: check its cable, shield and coupling, and home it again",
            numbered("length_drift"),
        ),
    ]
