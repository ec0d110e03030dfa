# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`screw`: a motor that turns with the strut, rigidly; losses of the screw by the direction of power.

    F = g k_T i eta   where the motor drives the load,  F = g k_T i / eta_b   where the load drives the motor,

g = 2 pi gear_ratio / lead, mixed linearly within the transition rate. The inertia of what turns, J g^2 along the strut,
resists on the load's side of the losses.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from pkm_identification.document import Node
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import compile_inline

from ..file_keys.key import NOT_NEGATIVE, Form, Key, read_keys
from .friction_inside import read_inner_friction
from .motor import OWN_OF_TYPE, RATIO, TORQUE_CONSTANT, compute_winding_current, read_motor
from .motor_drive import MotorDrive
from .quantity import Quantity, Units
from .row import TRANSITION, own_friction
from .transfer import Transfer

_FORWARD, _BACKWARD = OWN_OF_TYPE, OWN_OF_TYPE + 1


def _read_efficiency(node: Node) -> float:
    value = node.positive()
    if value > 1:
        node.fail(f"= {value:g}: must be at most 1; no screw gives more than it is given")
    return value


_EFFICIENCY = Form(
    "number > 0, at most 1", {"type": "number", "exclusiveMinimum": 0, "maximum": 1}, _read_efficiency
)
KEYS = (
    Key(
        "inertia",
        "of rotor, brake, coupling and, over gear_ratio^2, the screw, kg m^2",
        NOT_NEGATIVE,
        default=0.0,
    ),
    Key("efficiency", "of power to the load, 1", _EFFICIENCY, default=1.0),
    Key("back_efficiency", "of power from the load, 1", _EFFICIENCY, default=1.0),
)


@compile_inline
def passed_on(row, force, v):
    """Return what the screw's losses leave of a force, by the direction of power; its slopes by force and rate."""
    transition_rate = row[TRANSITION]
    side = (
        min(max(v / transition_rate, -1.0), 1.0)
        if force >= 0.0
        else -min(max(v / transition_rate, -1.0), 1.0)
    )
    gain = row[_FORWARD] - 1.0 if side >= 0.0 else 1.0 - 1.0 / row[_BACKWARD]
    slope = abs(force) * gain / transition_rate if abs(v) <= transition_rate else 0.0
    return force * (1.0 + gain * side), 1.0 + gain * side, slope


@compile_inline
def stage(row, known, state, h, signal, x, v):
    """Write the state (current, with a winding) of an implicit stage; force and its slope by the rate."""
    ratio = row[RATIO]
    current, by_speed = compute_winding_current(row, known[0], h, signal, ratio * v)
    state[0] = current
    pull = ratio * row[TORQUE_CONSTANT]
    force, by_force, by_rate = passed_on(row, pull * current, v)
    friction, slope = own_friction(row, v)
    return force - friction, by_force * pull * by_speed * ratio + by_rate - slope


@dataclass(frozen=True)
class Screw(MotorDrive):
    """A motor with a rigid screw; see `base.Actuator`.

    Attributes
    ----------
    efficiency, back_efficiency : float
        Of the screw, power from the motor and power to it.
    """

    efficiency: float = 1.0
    back_efficiency: float = 1.0

    type: ClassVar[str] = "screw"
    current_at: ClassVar[int] = 0

    @property
    def state_names(self) -> tuple[str, ...]:
        return self.motor.state_names

    @property
    def inertia(self) -> float:
        """Mass in kg (kg m^2) along the driven coordinate."""
        return self.motor_inertia * self.motor.ratio**2

    @property
    def parameters(self) -> tuple[Quantity, ...]:
        return (
            *self.motor.parameters,
            Quantity("inertia", self.motor_inertia, "kg m^2", "motor_inertia"),
            Quantity("efficiency", self.efficiency, ""),
            Quantity("back_efficiency", self.back_efficiency, ""),
            *self.friction.parameters(self.units),
        )

    def equilibrium(self, force: float, position: float = 0.0) -> tuple[FloatArray, float]:
        return self.holding(force)

    def derivative(self, state: FloatArray, signal: float, x: float, v: float) -> FloatArray:
        return self.current_rates(self.current(state, signal), signal, v)

    def force(self, state: FloatArray, signal: float, x: float, v: float) -> float:
        pull = self.pull(self.current(state, signal))
        side = float(np.clip(v / self.friction.transition_rate, -1.0, 1.0)) * (1.0 if pull >= 0.0 else -1.0)
        gain = self.efficiency - 1.0 if side >= 0.0 else 1.0 - 1.0 / self.back_efficiency
        return pull * (1.0 + gain * side) - self.friction(v)

    def transfer(self, held: float) -> Transfer:
        return replace(
            super().transfer(held), efficiency=self.efficiency, back_efficiency=self.back_efficiency
        )

    @property
    def row(self) -> FloatArray:
        row = super().row
        row[_FORWARD], row[_BACKWARD] = self.efficiency, self.back_efficiency
        return row


def read(node: Node, units: Units) -> Screw:
    """Return a screw of a machine file."""
    motor, values = read_motor(node, units), read_keys(node, KEYS)
    inertia = values.pop("inertia")
    return Screw(motor, inertia, **values, friction=read_inner_friction(node), units=units)
