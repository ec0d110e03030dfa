# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Everything a misfit can be made of: one file for each kind, `effects_of` has them all."""

from __future__ import annotations

from collections.abc import Sequence

from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.signals.guard import GuardedLog

from . import bodies, events, forces, friction, geometry, gravity, joints
from .hypothesis import Effect

__all__ = ["Effect", "effects_of"]


def effects_of(machine: Machine, parameters: ParameterSet, logs: Sequence[GuardedLog] = ()) -> list[Effect]:
    """Every kind of cause that this machine can have, this parameter set leaves out and these logs hint at."""
    return [
        *forces.effects(machine),
        *gravity.effects(machine),
        *bodies.effects(machine, parameters),
        *friction.effects(machine, parameters),
        *joints.effects(machine),
        *geometry.effects(machine),
        *events.effects(logs, parameters),
    ]
