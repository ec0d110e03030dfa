# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What hydraulic servos have alike: a P controller of their own, the no-load table of the valve, compressible oil.

Their equations are in `hydraulic`; how the valve opens tells the types apart.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pkm_identification.document import Node
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import compile_inline

from ..file_keys.key import NOT_NEGATIVE, POSITIVE, Key, read_keys
from .base import Actuator
from .friction_inside import read_inner_friction
from .no_load import NO_LOAD, NoLoadTable, compute_no_load_speed
from .position_loop import POSITION_LOOP_KEYS, PositionLoop, read_position_loop
from .quantity import Delays, Quantity, Units
from .row import OWN
from .transfer import Transfer

OIL, LEAK = OWN, OWN + 1
OWN_OF_TYPE = OWN + 2
_KEYS = (
    NO_LOAD,
    Key("oil_compliance", "of the oil in both chambers, m/N", POSITIVE, required=True),
    Key("hydraulic_compliance", "leakage, m/(N s)", NOT_NEGATIVE, default=0.0),
)
SERVO_KEYS = (*POSITION_LOOP_KEYS, *_KEYS)
HARMONICS = 50  # of a held setpoint; they fall with the third power of their number at least


@compile_inline
def compute_cylinder_force(row, known, h, opening, v):
    """Load force at the end of an implicit stage, and its slope by the rate."""
    stiff = row[OIL] + h * row[LEAK]
    force = (row[OIL] * known + h * (compute_no_load_speed(row, opening) - v)) / stiff
    return force, -h / stiff


@dataclass(frozen=True)
class Servo(Actuator):
    """The common part of hydraulic servos, whose last state is the load force.

    Attributes
    ----------
    loop : PositionLoop
        P controller on the actuator's own sensor, with the current limit.
    valve_delay : float
        s.
    no_load : NoLoadTable
    oil_compliance : float
        c_o in m/N (rad/(N m)).
    hydraulic_compliance : float
        c_h^-1 in m/(N s) (rad/(N m s)); 0: no leak, a pure integrator.
    """

    loop: PositionLoop
    valve_delay: float
    no_load: NoLoadTable
    oil_compliance: float
    hydraulic_compliance: float = 0.0

    motor: ClassVar[None] = None
    has_valve: ClassVar[bool] = True
    state_names: ClassVar[tuple[str, ...]]

    @property
    def holds_position(self) -> bool:
        """Whether its own controller acts on its sensor."""
        return self.loop.gain != 0.0

    @property
    def delays(self) -> Delays:
        return Delays(self.valve_delay, self.loop.sensor_delay)

    @property
    def locked_stiffness(self) -> float:
        """Of the oil, N/m (N m/rad)."""
        return 1.0 / self.oil_compliance

    @property
    def lag(self) -> float:
        """Oil has no jumps, whatever the command does."""
        return np.inf

    @property
    def command_unit(self) -> str:
        return self.loop.command_unit

    @property
    def valve_parameters(self) -> tuple[Quantity, ...]:
        """Numbers of the valve."""
        return (Quantity("valve.delay", self.valve_delay, "s", "valve_delay"),)

    @property
    def parameters(self) -> tuple[Quantity, ...]:
        x, f = self.units
        return (
            *self.loop.parameters(self.units),
            *self.valve_parameters,
            Quantity("oil_compliance", self.oil_compliance, f"{x}/({f})"),
            Quantity("hydraulic_compliance", self.hydraulic_compliance, f"{x}/({f} s)"),
            *self.friction.parameters(self.units),
        )

    def signal(self, command: float, position: float) -> float:
        return self.loop.signal(command, position)

    @property
    def rest_signal(self) -> float:
        """The closed valve: the middle of the dead zone."""
        return self.no_load.opening_for(0.0)

    def resting_valve(self, force: float, position: float) -> tuple[float, float]:
        """Valve opening in A that holds a force (N or N m) at rest, and the command that opens it so at a position."""
        opening = self.no_load.opening_for(self.hydraulic_compliance * force)
        return opening, self.loop.command_for(opening, position)

    def load_rate(self, opening: float, load: float, v: float) -> float:
        """Rate of change of the load force, N/s (N m/s), at a valve opening in A."""
        return (self.no_load(opening) - v - self.hydraulic_compliance * load) / self.oil_compliance

    def force(self, state: FloatArray, signal: float, x: float, v: float) -> float:
        return self.report_force(state, signal) - self.friction(v)

    def report_force(self, state: FloatArray, command: float) -> float:
        return float(state[len(self.state_names) - 1])

    def measure(self, state: FloatArray, x: float) -> float:
        return self.loop.measure(x)

    @property
    def gain_of_loop(self) -> float:
        """Return k_v of its position loop in small motions, 1/s."""
        return abs(self.loop.gain * self.loop.sensor_gain * self.no_load.slope)

    def valve_response(self, s: NDArray[np.complex128]) -> NDArray[np.complex128]:
        """Opening over valve current at complex frequencies s in rad/s."""
        return np.exp(-s * self.valve_delay)

    def transfer(self, held: float) -> Transfer:
        own = super().transfer(held)
        return (
            replace(own, ripple=self.staircase_ripple(held))
            if self.holds_position and np.isfinite(held)
            else own
        )

    def staircase_ripple(self, held: float) -> float:
        """What steps of a setpoint, held for `held` s each, add to the load force at the steps, over the rate, N s/m.

        A setpoint that moves at a rate v, held for T, is a ramp and a saw tooth v T sum_n sin(n w t) / (pi n), w = 2
        pi / T, of which valve and oil leave what they pass. The mechanism's own compliance is left out: it is far less
        than the oil's at such frequencies.
        """
        number = np.arange(1, HARMONICS + 1)
        s = np.asarray(2j * np.pi * number / held, dtype=np.complex128)
        oil = self.oil_compliance * s + self.hydraulic_compliance
        opened = self.loop.gain * self.loop.sensor_gain * self.no_load.slope * self.valve_response(s)
        return float(np.sum(held / (np.pi * number) * (opened / oil).imag))

    @property
    def row(self) -> FloatArray:
        row = super().row
        self.loop.fill(row)
        self.no_load.fill(row)
        row[OIL], row[LEAK] = self.oil_compliance, self.hydraulic_compliance
        return row


def read_servo(node: Node, units: Units) -> dict[str, Any]:
    """Return what a section of a machine file says of a servo in addition to its valve, by attribute of `Servo`."""
    return {
        "loop": read_position_loop(node),
        **read_keys(node, _KEYS),
        "friction": read_inner_friction(node),
        "units": units,
    }
