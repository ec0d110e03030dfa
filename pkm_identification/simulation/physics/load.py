# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

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
