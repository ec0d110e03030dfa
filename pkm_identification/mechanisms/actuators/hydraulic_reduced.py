# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`hydraulic_reduced`: `hydraulic` with the valve as one delay: its own and, in first order, 2 D_v / w_v of its lag."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pkm_identification.document import Node
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import compile_inline

from ..file_keys.key import NOT_NEGATIVE, Key
from .hydraulic import Hydraulic
from .quantity import Units
from .row import own_friction
from .servo import SERVO_KEYS, Servo, compute_cylinder_force, read_servo

_VALVE = Key(
    "valve",
    "a delay alone",
    required=True,
    keys=(Key("delay", "of the valve, s", NOT_NEGATIVE, required=True),),
)
KEYS = (*SERVO_KEYS, _VALVE)


@compile_inline
def stage(row, known, state, h, signal, x, v):
    """Write the state (load force) of an implicit stage; force and its slope by the rate."""
    state[0], by_rate = compute_cylinder_force(row, known[0], h, signal, v)
    friction, slope = own_friction(row, v)
    return state[0] - friction, by_rate - slope


@dataclass(frozen=True)
class HydraulicReduced(Servo):
    """A hydraulic servo with one state."""

    type: ClassVar[str] = "hydraulic_reduced"
    state_names: ClassVar[tuple[str, ...]] = ("load force",)

    @classmethod
    def of(cls, full: Hydraulic) -> HydraulicReduced:
        """Return the reduced form of a full one, with the equivalent delay t_e + 2 D_v / w_v."""
        return cls(
            full.loop,
            full.valve_delay + 2 * full.valve_damping / full.valve_rate,
            full.no_load,
            full.oil_compliance,
            full.hydraulic_compliance,
            friction=full.friction,
            units=full.units,
        )

    def equilibrium(self, force: float, position: float = 0.0) -> tuple[FloatArray, float]:
        return np.array([force]), self.resting_valve(force, position)[1]

    def derivative(self, state: FloatArray, signal: float, x: float, v: float) -> FloatArray:
        return np.array([self.load_rate(signal, float(state[0]), v)])


def read(node: Node, units: Units) -> HydraulicReduced:
    """Return a reduced hydraulic servo of a machine file."""
    return HydraulicReduced(valve_delay=_VALVE.read(node)["delay"], **read_servo(node, units))
