"""Everything a misfit can be made of: one file for each kind, `effects_of` has them all."""

from __future__ import annotations

from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.parameters.parameter_set import ParameterSet

from . import bodies, forces, friction, geometry, gravity
from .hypothesis import Effect

__all__ = ["Effect", "effects_of"]


def effects_of(machine: Machine, parameters: ParameterSet) -> list[Effect]:
    """Every kind of cause that this machine can have and this parameter set leaves out."""
    return [
        *forces.effects(machine),
        *gravity.effects(machine),
        *bodies.effects(machine, parameters),
        *friction.effects(machine),
        *geometry.effects(machine),
    ]
