# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`two_inertia`: a motor, a shaft or belt that deflects, and what turns behind it (paper on the 3PRS table, eq. 20-22).

    J_1 w_1' = k_T i - K_1 (theta_1 - theta_2) - C_1 (w_1 - w_2) - the motor's friction
    F = g [K_1 (theta_1 - theta_2) + C_1 (w_1 - w_2)] - friction of the load,   theta_2 = g x

g = 2 pi gear_ratio / lead. J_2 turns rigidly with the strut: J_2 g^2 is part of the mechanism's inertia. In the state
the motor's angle stands as the driven coordinate it would be with a stiff shaft, theta_1 / g.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from pkm_identification.document import Node
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import compile_inline

from ..file_keys.key import NOT_NEGATIVE, POSITIVE, Key, choice, read_keys
from .base import Actuator
from .friction_inside import FRICTIONLESS, SHAFT_FRICTION_KEYS, InnerFriction, read_inner_friction
from .motor import OWN_OF_TYPE, RATIO, TORQUE_CONSTANT, compute_winding_current, read_motor
from .motor_drive import MotorDrive
from .quantity import Quantity, Units
from .row import own_friction
from .transfer import Transfer

_INERTIA, _STIFFNESS, _DAMPING, _VISCOUS, _COULOMB, _TRANSITION = range(OWN_OF_TYPE, OWN_OF_TYPE + 6)
SIDES = ("motor", "load")
ENCODERS = (*SIDES, "both")
_ITERATIONS = 60
KEYS = (
    Key("motor_inertia", "of the motor, kg m^2", POSITIVE, required=True),
    Key("load_inertia", "of the load, at the motor's shaft, kg m^2", NOT_NEGATIVE, default=0.0),
    Key("stiffness", "between both, at the motor's shaft, N m/rad", POSITIVE, required=True),
    Key("damping", "between both, at the motor's shaft, N m s/rad", NOT_NEGATIVE, default=0.0),
    Key("motor_friction", "of the motor", keys=SHAFT_FRICTION_KEYS, default={}),
    Key("encoder", "which side its encoder is on (default: motor)", choice(ENCODERS), default="motor"),
    # no default: a document completed by what was read can be read again
    Key(
        "cascade",
        "of both encoders, the one that loops act on (default: motor)",
        choice(SIDES),
        absent="motor",
    ),
)


@compile_inline
def _compute_motor_friction(row, speed):
    """Friction torque on the motor's shaft at a speed in rad/s, and its slope."""
    torque, slope = row[_VISCOUS] * speed, row[_VISCOUS]
    if row[_COULOMB] > 0.0:
        if abs(speed) <= row[_TRANSITION]:
            return torque + row[_COULOMB] * speed / row[_TRANSITION], slope + row[_COULOMB] / row[_TRANSITION]
        torque += row[_COULOMB] if speed > 0.0 else -row[_COULOMB]
    return torque, slope


@compile_inline
def stage(row, known, state, h, signal, x, v):
    """Write the state (motor side's place and rate, current) of an implicit stage; force and its slope by the rate."""
    g = row[RATIO]
    stiffness, damping = row[_STIFFNESS] * g * g, row[_DAMPING] * g * g
    friction, own_slope = own_friction(row, v)
    if h == 0.0:
        state[0], state[1] = known[0], known[1]
        state[2] = compute_winding_current(row, known[2], 0.0, signal, g * known[1])[0]
        return stiffness * (known[0] - x) + damping * (known[1] - v) - friction, -damping - own_slope
    # in the motor side's rate r: J g^2 (r - r_known) / h = g torque - g friction(r) - spring(r)
    mass, pull, spring = row[_INERTIA] * g * g / h, g * row[TORQUE_CONSTANT], h * stiffness + damping
    start = stiffness * (known[0] - x) - damping * v
    rate, stiff = state[1], 1.0
    low, high = -np.inf, np.inf
    transition_rate = row[_TRANSITION] / g
    for _ in range(_ITERATIONS):
        current, by_speed = compute_winding_current(row, known[2], h, signal, g * rate)
        rubbing, by_rate = _compute_motor_friction(row, g * rate)
        push, back, load = mass * (rate - known[1]), pull * current - g * rubbing, start + spring * rate
        error = push - back + load
        stiff = mass + g * g * by_rate + spring - pull * by_speed * g
        state[2] = current
        if abs(error) <= 1e-13 * (mass * abs(known[1]) + abs(back) + abs(start) + spring * abs(rate) + 1e-9):
            break
        if error > 0.0:
            high = rate
        else:
            low = rate
        new = rate - error / stiff
        if abs(rate) > transition_rate and abs(new) > transition_rate and new * rate < 0.0:
            new = 0.0
        if not low < new < high and np.isfinite(low) and np.isfinite(high):
            new = 0.5 * (low + high)
        if new == rate:
            break
        rate = new
    state[1] = rate
    state[0] = known[0] + h * rate
    return start + spring * rate - friction, spring * (spring / stiff - 1.0) - own_slope


@dataclass(frozen=True)
class TwoInertia(MotorDrive):
    """A motor behind a compliant transmission; see `base.Actuator`.

    Attributes
    ----------
    load_inertia : float
        J_2, kg m^2 at the motor's shaft.
    stiffness, damping : float
        K_1 in N m/rad and C_1 in N m s/rad at the motor's shaft.
    motor_friction : InnerFriction
        On the motor's shaft, N m.
    encoder : {'motor', 'load', 'both'}
        Which side shows its position. Of both, logs have the load's as lengths, and the motor's next to them.
    cascade : {'motor', 'load'}
        Of both, the one that loops in the drive act on.
    taken : {'load', 'motor'}
        Of both, the one whose lengths are taken from logs.
    """

    load_inertia: float
    stiffness: float
    damping: float
    motor_friction: InnerFriction = FRICTIONLESS
    encoder: str = "motor"
    cascade: str = "motor"
    taken: str = "load"

    type: ClassVar[str] = "two_inertia"
    current_at: ClassVar[int] = 2

    @property
    def state_names(self) -> tuple[str, ...]:
        return ("motor position", "motor rate", *self.motor.state_names)

    @property
    def resonance(self) -> float:
        """Return the undamped frequency of the two inertias against each other, Hz."""
        apart = 1.0 / self.motor_inertia + 1.0 / self.load_inertia
        return float(np.sqrt(self.stiffness * apart) / (2.0 * np.pi))

    @property
    def encoder_on_motor(self) -> bool:
        return (self.cascade if self.has_both_encoders else self.encoder) == "motor"

    @property
    def log_on_motor(self) -> bool:
        return (self.taken if self.has_both_encoders else self.encoder) == "motor"

    @property
    def has_both_encoders(self) -> bool:
        return self.encoder == "both"

    @property
    def inertia(self) -> float:
        """Mass in kg (kg m^2) along the driven coordinate."""
        return self.load_inertia * self.motor.ratio**2

    @property
    def inertia_behind(self) -> float:
        """Of the motor, in the same unit."""
        return self.motor_inertia * self.motor.ratio**2

    @property
    def locked_stiffness(self) -> float:
        """Of the transmission, N/m (N m/rad)."""
        return self.stiffness * self.motor.ratio**2

    @property
    def parameters(self) -> tuple[Quantity, ...]:
        return (
            *self.motor.parameters,
            Quantity("motor_inertia", self.motor_inertia, "kg m^2"),
            Quantity("load_inertia", self.load_inertia, "kg m^2"),
            Quantity("stiffness", self.stiffness, "N m/rad"),
            Quantity("damping", self.damping, "N m s/rad"),
            Quantity("motor_friction.viscous", self.motor_friction.viscous, "N m s/rad"),
            Quantity("motor_friction.coulomb", self.motor_friction.coulomb, "N m"),
            *self.friction.parameters(self.units),
        )

    def without_coulomb(self) -> TwoInertia:
        return replace(super().without_coulomb(), motor_friction=replace(self.motor_friction, coulomb=0.0))

    def equilibrium(self, force: float, position: float = 0.0) -> tuple[FloatArray, float]:
        current, command = self.holding(force)
        deflection = force / (self.stiffness * self.motor.ratio**2)
        return np.concatenate([[position + deflection, 0.0], current]), command

    def derivative(self, state: FloatArray, signal: float, x: float, v: float) -> FloatArray:
        g, rate = self.motor.ratio, float(state[1])
        current = self.current(state, signal)
        torque = (
            self.motor.torque_constant * current - self.motor_friction(g * rate) - self._twist(state, x, v)
        )
        moved = [rate, torque / (self.motor_inertia * g)]
        return np.concatenate([moved, self.current_rates(current, signal, rate)])

    def _twist(self, state: FloatArray, x: float, v: float) -> float:
        """Torque in the transmission, N m at the motor's shaft."""
        g = self.motor.ratio
        return float(self.stiffness * g * (state[0] - x) + self.damping * g * (state[1] - v))

    def force(self, state: FloatArray, signal: float, x: float, v: float) -> float:
        return self.motor.ratio * self._twist(state, x, v) - self.friction(v)

    def measure(self, state: FloatArray, x: float) -> float:
        return float(state[0]) if self.encoder_on_motor else x

    def transfer(self, held: float) -> Transfer:
        return replace(
            super().transfer(held),
            compliance=1.0 / self.locked_stiffness,
            damping_time=self.damping / self.stiffness,
            motor_mass=self.inertia_behind,
            motor_friction=self.motor_friction.per_coordinate(self.motor.ratio),
            on_motor=self.log_on_motor,
        )

    @property
    def row(self) -> FloatArray:
        row = super().row
        row[_INERTIA], row[_STIFFNESS], row[_DAMPING] = self.motor_inertia, self.stiffness, self.damping
        row[_VISCOUS], row[_COULOMB] = self.motor_friction.viscous, self.motor_friction.coulomb
        row[_TRANSITION] = self.motor_friction.transition_rate
        return row


def by_encoder(actuator: Actuator, side: str) -> Actuator:
    """Return an actuator as logs show it by one of two encoders, 'motor' or 'load'; itself where it has one."""
    if isinstance(actuator, TwoInertia) and actuator.has_both_encoders:
        return replace(actuator, taken=side)
    return actuator


def read(node: Node, units: Units) -> TwoInertia:
    """Return a compliant transmission of a machine file."""
    motor, values = read_motor(node, units), read_keys(node, KEYS)
    encoder = values["encoder"]
    if encoder != "both" and node.has("cascade"):
        node.take("cascade").fail(f"chooses among two encoders; this drive has one, 'encoder: {encoder}'")
    values["motor_friction"] = InnerFriction(**values["motor_friction"])
    return TwoInertia(motor, **values, friction=read_inner_friction(node), units=units)
