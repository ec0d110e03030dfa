# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`hydraulic`: a servovalve of second order with a delay, and a cylinder whose oil is compressible.

    i   = clip(K_r (V_set - V_me), -I, I)            P controller in the actuator, V_me = K_m x(t - t_m)
    x_v'' = w_v^2 (i(t - t_e) - x_v) - 2 D_v w_v x_v'  valve opening in A
    c_o F_L' = Q_nl(x_v) - x' - c_h^-1 F_L           load force F_L
    F   = F_L - B x' - F_c sgn x'                    what reaches the mechanism

Machielsen 1983, chapters 3 and 6; the cylinder's equation is his appendix D, for an unknown load. Q_nl is the
no-load table, c_o the oil compliance (m/N), c_h^-1 the hydraulic compliance (m/(N s)), a leakage.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from pkm_identification.document import Node
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import compile_inline

from ..file_keys.key import NOT_NEGATIVE, POSITIVE, Key
from .quantity import Quantity, Units
from .row import own_friction
from .servo import OWN_OF_TYPE, SERVO_KEYS, Servo, compute_cylinder_force, read_servo

VALVE_RATE, VALVE_DAMPING = OWN_OF_TYPE, OWN_OF_TYPE + 1
_VALVE = Key(
    "valve",
    "of second order",
    required=True,
    keys=(
        Key("natural_frequency", "of the valve, rad/s", POSITIVE, required=True),
        Key("damping", "ratio of the valve, 1", POSITIVE, required=True),
        Key("delay", "of the valve, s", NOT_NEGATIVE, default=0.0),
    ),
)
KEYS = (*SERVO_KEYS, _VALVE)


@compile_inline
def stage(row, known, state, h, signal, x, v):
    """Write the state (valve opening, its rate, load force) of an implicit stage; force and its slope by the rate."""
    w = row[VALVE_RATE]
    state[1] = (known[1] + h * w * w * (signal - known[0])) / (
        1.0 + h * w * (2.0 * row[VALVE_DAMPING] + h * w)
    )
    state[0] = known[0] + h * state[1]
    state[2], by_rate = compute_cylinder_force(row, known[2], h, state[0], v)
    friction, slope = own_friction(row, v)
    return state[2] - friction, by_rate - slope


@dataclass(frozen=True)
class Hydraulic(Servo):
    """A hydraulic servo; see `base.Actuator`.

    Attributes
    ----------
    valve_rate, valve_damping : float
        Natural frequency (rad/s) and damping ratio of the valve.
    """

    valve_rate: float = field(kw_only=True)
    valve_damping: float = field(kw_only=True)

    type: ClassVar[str] = "hydraulic"
    state_names: ClassVar[tuple[str, ...]] = ("valve opening", "valve rate", "load force")

    @property
    def fastest(self) -> float:
        return self.valve_rate

    @property
    def valve_parameters(self) -> tuple[Quantity, ...]:
        """Numbers of the valve."""
        return (
            Quantity("valve.natural_frequency", self.valve_rate, "rad/s", "valve_rate"),
            Quantity("valve.damping", self.valve_damping, "", "valve_damping"),
            *super().valve_parameters,
        )

    def valve_response(self, s: NDArray[np.complex128]) -> NDArray[np.complex128]:
        w = self.valve_rate
        return super().valve_response(s) * w**2 / (s**2 + 2 * self.valve_damping * w * s + w**2)

    def equilibrium(self, force: float, position: float = 0.0) -> tuple[FloatArray, float]:
        opening, command = self.resting_valve(force, position)
        return np.array([opening, 0.0, force]), command

    def derivative(self, state: FloatArray, signal: float, x: float, v: float) -> FloatArray:
        opening, rate, load = state
        w = self.valve_rate
        acceleration = w**2 * (signal - opening) - 2 * self.valve_damping * w * rate
        return np.array([rate, acceleration, self.load_rate(opening, load, v)])

    @property
    def row(self) -> FloatArray:
        row = super().row
        row[VALVE_RATE], row[VALVE_DAMPING] = self.valve_rate, self.valve_damping
        return row


def read(node: Node, units: Units) -> Hydraulic:
    """Return a hydraulic servo of a machine file."""
    valve = _VALVE.read(node)
    return Hydraulic(
        valve_rate=valve["natural_frequency"],
        valve_damping=valve["damping"],
        valve_delay=valve["delay"],
        **read_servo(node, units),
    )
