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
        *friction.effects(machine),
        *joints.effects(machine),
        *geometry.effects(machine),
        *events.effects(logs, parameters),
    ]
