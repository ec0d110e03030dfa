# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

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
