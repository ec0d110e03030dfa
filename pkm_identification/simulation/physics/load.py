# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The physics of a machine by its kind."""

from __future__ import annotations

from typing import Any

from pkm_identification.machines.hexapod import Hexapod
from pkm_identification.machines.load import wrap_description
from pkm_identification.machines.multibody import Multibody

from .contract import Physics
from .hexapod import HexapodPhysics
from .multibody import MultibodyPhysics

_PHYSICS: dict[type, Any] = {Hexapod: HexapodPhysics, Multibody: MultibodyPhysics}


def build_physics(machine: Any) -> Physics:
    """Return the physics of a machine of the contract, or of a description."""
    if type(machine) not in _PHYSICS:
        machine = wrap_description(machine)
    return _PHYSICS[type(machine)](machine)
