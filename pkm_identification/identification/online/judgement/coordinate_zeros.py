# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Zeros of lengths that are wrong, or drift, as a stream of equations shows them: encoders that lose counts slowly.

A wrong coordinate puts the machine elsewhere, where gravity asks other forces of all drives. What a unit of it changes
is taken at home and at rest: pairs of struts stand differently enough to tell whose it is, and whether it grows. Told
from an amplifier's zero, which is in one drive's force alone.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray

from ...model_errors.effect import Effect, as_given, name_drives, units_of_drives
from ...model_errors.geometry import ZERO, name_offset, sizes_of
from .coordinate_steps import compute_missed_force

GROWN = 20.0  # s in which a fast drift becomes a large zero


def missed_at_home(machine: Machine) -> FloatArray:
    """Return the force per unit of each coordinate's zero, measured less true, that the model misses at rest at home.

    (n, n), N/m and the like.
    """
    still = np.zeros((1, len(machine.drives)))
    motion = machine.compute_motion(machine.home[None], still, still)
    return compute_missed_force(machine, motion, machine.basis.nominal)


def name_drift(machine: Machine) -> str:
    """Return the name of zeros that drift, beside `model_errors.geometry.name_offset`."""
    return name_offset(machine).replace("offset", "drift")


def build_zero_columns(machine: Machine, missed: FloatArray, time: FloatArray) -> dict[str, FloatArray]:
    """Return columns (K, n, n) of the effects from `missed_at_home` (n, n), for equations of stamps (K,) in s."""
    steady = np.repeat(missed[None], len(time), axis=0)
    return {
        name_offset(machine): steady,
        name_drift(machine): steady * (time - time[0])[:, None, None],
    }


def zero_effects(machine: Machine, columns: dict[str, FloatArray]) -> list[Effect]:
    """Return a zero that is wrong, and one that drifts from the first equation on, with their `build_zero_columns`."""
    large = ZERO * sizes_of(machine)
    offset, drift = name_offset(machine), name_drift(machine)
    return [
        Effect(
            name=offset,
            family="geometry",
            columns=as_given(columns[offset]),
            scale=large,
            cure="Home that encoder again; pkm diagnose of a log tells it from joints in other places",
            members=name_drives(offset, machine),
            **units_of_drives(machine, "{coordinate}"),  # type: ignore[arg-type]
        ),
        Effect(
            name=drift,
            family="geometry",
            columns=as_given(columns[drift]),
            scale=large / GROWN,
            cure="That encoder loses counts slowly, or slips: check its cable, shield and coupling, and home it again",
            members=name_drives(drift, machine),
            **units_of_drives(machine, "{coordinate}/s"),  # type: ignore[arg-type]
        ),
    ]
