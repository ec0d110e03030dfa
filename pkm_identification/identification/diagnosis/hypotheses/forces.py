# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Forces that come late, have a wrong factor or do not start at zero: sensors and amplifiers."""

from __future__ import annotations

import numpy as np

from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.builder import force_scale
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.segments import segment_slices

from ..situation import Situation, own_strut
from .hypothesis import Effect, numbered, repeated

DELAY = 3e-3  # s, a large one
GAIN = 0.1


def late(situation: Situation) -> FloatArray:
    """-dF/dt of each strut, N/s: what a delay of a second would add."""
    rows = situation.rows
    slope = np.zeros_like(rows.force)
    for part in segment_slices(rows.struts.segment):
        if part.stop - part.start > 2:
            slope[part] = np.gradient(rows.force[part], rows.band.period, axis=0)
    return own_strut(rows.in_band(-slope))


def too_large(situation: Situation) -> FloatArray:
    """The model's own force: the measured one would put its noise into the column."""
    return own_strut(situation.predicted)


def shifted(situation: Situation) -> FloatArray:
    """One in each strut's rows."""
    return own_strut(np.ones_like(situation.predicted))


def effects(machine: Machine) -> list[Effect]:
    """Of the force measurement."""
    return [
        Effect(
            "force_delay",
            "delay",
            "s",
            late,
            repeated(DELAY),
            "Set drive.force_delay in the machine file or estimate it with --also {name}",
            numbered("force_delay"),
            common="force_delay",
            linear=True,
            cure_of_one="Estimate it with --also {name}; drive.force_delay of a machine file delays all struts alike",
        ),
        Effect(
            "force_gain",
            "gain",
            "",
            too_large,
            repeated(GAIN),
            "Check that strut's torque constant, set drive.force_gain in the machine file, or estimate it with "
            "--also {name}",
            numbered("force_gain"),
            offset=1.0,
        ),
        Effect(
            "force_offset",
            "offset",
            "N",
            shifted,
            repeated(0.1 * typical_force(machine)),
            "Trim that amplifier's zero, set drive.force_offset in the machine file, or estimate it with "
            "--also {name}",
            numbered("force_offset"),
            linear=True,
        ),
    ]


def typical_force(machine: Machine) -> float:
    """A typical force: weight, and friction if there is more of that."""
    return max(force_scale(machine), float(np.mean(machine.friction.coulomb)))
