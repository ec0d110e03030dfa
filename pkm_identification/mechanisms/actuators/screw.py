"""`screw`: a motor that turns with the strut, rigidly; losses of the screw by the direction of power.

    F = g k_T i eta   where the motor drives the load,  F = g k_T i / eta_b   where the load drives the motor,

g = 2 pi gear_ratio / lead, mixed linearly within the transition rate. The inertia of what turns, J g^2 along the strut,
resists on the load's side of the losses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pkm_identification.document import Node
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel

from .friction_inside import FRICTIONLESS, InnerFriction, read_inner_friction
from .motor import OWN_OF_TYPE, RATIO, TORQUE_CONSTANT, Motor, read_motor, winding_current
from .quantity import LINEAR, Delays, Quantity, Units
from .row import TRANSITION, empty_row, own_friction

_FORWARD, _BACKWARD = OWN_OF_TYPE, OWN_OF_TYPE + 1


@kernel
def passed_on(row, force, v):
    """What the screw's losses leave of a force, by the direction of power; its slopes by force and rate."""
    bend = row[TRANSITION]
    side = min(max(v / bend, -1.0), 1.0) if force >= 0.0 else -min(max(v / bend, -1.0), 1.0)
    gain = row[_FORWARD] - 1.0 if side >= 0.0 else 1.0 - 1.0 / row[_BACKWARD]
    slope = abs(force) * gain / bend if abs(v) <= bend else 0.0
    return force * (1.0 + gain * side), 1.0 + gain * side, slope


@kernel
def stage(row, known, state, h, signal, x, v):
    """Write the state (current, with a winding) of an implicit stage; force and its slope by the rate."""
    ratio = row[RATIO]
    current, by_speed = winding_current(row, known[0], h, signal, ratio * v)
    state[0] = current
    pull = ratio * row[TORQUE_CONSTANT]
    force, by_force, by_rate = passed_on(row, pull * current, v)
    friction, slope = own_friction(row, v)
    return force - friction, by_force * pull * by_speed * ratio + by_rate - slope


@dataclass(frozen=True)
class Screw:
    """A motor with a rigid screw; see `mechanisms.model.Actuator`.

    Attributes
    ----------
    motor : Motor
    motor_inertia : float
        kg m^2 at the motor's shaft.
    efficiency, back_efficiency : float
        Of the screw, power from the motor and power to it.
    """

    motor: Motor
    motor_inertia: float
    efficiency: float = 1.0
    back_efficiency: float = 1.0
    friction: InnerFriction = FRICTIONLESS
    units: Units = LINEAR

    type: ClassVar[str] = "screw"
    inertia_behind: ClassVar[float] = 0.0
    locked_stiffness: ClassVar[float] = 0.0
    delays: ClassVar[Delays] = Delays()

    @property
    def state_names(self) -> tuple[str, ...]:
        return self.motor.state_names

    @property
    def inertia(self) -> float:
        """Mass in kg (kg m^2) along the driven coordinate."""
        return self.motor_inertia * self.motor.ratio**2

    @property
    def command_unit(self) -> str:
        return self.motor.command_unit

    @property
    def parameters(self) -> tuple[Quantity, ...]:
        return (
            *self.motor.parameters,
            Quantity("inertia", self.motor_inertia, "kg m^2", "motor_inertia"),
            Quantity("efficiency", self.efficiency, ""),
            Quantity("back_efficiency", self.back_efficiency, ""),
            *self.friction.parameters(self.units),
        )

    def signal(self, command: float, position: float) -> float:
        return self.motor.signal(command)

    @property
    def rest_signal(self) -> float:
        return 0.0

    def equilibrium(self, force: float, position: float = 0.0) -> tuple[FloatArray, float]:
        current = force / (self.motor.ratio * self.motor.torque_constant)
        state = np.array([current]) if self.state_names else np.zeros(0)
        return state, self.motor.command_for(current)

    def derivative(self, state: FloatArray, signal: float, x: float, v: float) -> FloatArray:
        if not self.state_names:
            return np.zeros(0)
        return np.array([self.motor.current_rate(float(state[0]), signal, self.motor.ratio * v)])

    def force(self, state: FloatArray, signal: float, x: float, v: float) -> float:
        current = float(state[0]) if self.state_names else signal
        pull = self.motor.ratio * self.motor.torque_constant * current
        side = float(np.clip(v / self.friction.transition_rate, -1.0, 1.0)) * (1.0 if pull >= 0.0 else -1.0)
        gain = self.efficiency - 1.0 if side >= 0.0 else 1.0 - 1.0 / self.back_efficiency
        return pull * (1.0 + gain * side) - self.friction(v)

    def reported(self, state: FloatArray, command: float) -> float:
        current = float(state[0]) if self.motor.state_names else self.motor.signal(command)
        return self.motor.ratio * self.motor.torque_constant * current

    def measured(self, state: FloatArray, x: float) -> float:
        return x

    @property
    def row(self) -> FloatArray:
        row = empty_row()
        self.motor.fill(row)
        self.friction.fill(row)
        row[_FORWARD], row[_BACKWARD] = self.efficiency, self.back_efficiency
        return row


def read(node: Node, units: Units) -> Screw:
    """A screw of a machine file."""
    return Screw(
        read_motor(node, units),
        node.take("inertia", 0.0).not_negative(),
        _efficiency(node.take("efficiency", 1.0)),
        _efficiency(node.take("back_efficiency", 1.0)),
        read_inner_friction(node),
        units,
    )


def _efficiency(node: Node) -> float:
    value = node.positive()
    if value > 1:
        node.fail(f"= {value:g}: must be at most 1; no screw gives more than it is given")
    return value
