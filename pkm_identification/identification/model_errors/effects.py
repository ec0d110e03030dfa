# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Everything that may be wrong with a machine's model and logs: a file for each kind, `find_effects` has them all."""

from __future__ import annotations

from collections.abc import Sequence

from pkm_identification.machines.contract import Machine
from pkm_identification.parameters.parameter_set import ParameterSet

from . import bodies, events, forces, friction, geometry, gravity
from .effect import Effect
from .platform import bodies as platform_bodies
from .platform import joints as platform_joints


def find_effects(
    machine: Machine, parameters: ParameterSet, logs: Sequence[events.CoordinateLog] = ()
) -> list[Effect]:
    """Return every kind of error that this machine can have, this parameter set leaves out and these logs hint at."""
    return [
        *forces.effects(machine),
        *gravity.effects(machine),
        *bodies.effects(machine, parameters),
        *platform_bodies.effects(machine, parameters),
        *friction.effects(machine, parameters),
        *platform_joints.effects(machine),
        *geometry.effects(machine),
        *events.effects(logs, parameters, machine.drives),
    ]
