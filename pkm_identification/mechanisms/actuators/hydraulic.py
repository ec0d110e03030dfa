"""`hydraulic`: a servovalve of second order with a delay, and a cylinder whose oil yields.

    i   = clip(K_r (V_set - V_me), -I, I)            P controller in the actuator, V_me = K_m x(t - t_m)
    x_v'' = w_v^2 (i(t - t_e) - x_v) - 2 D_v w_v x_v'  valve opening in A
    c_o F_L' = Q_nl(x_v) - x' - c_h^-1 F_L           load force F_L
    F   = F_L - B x' - F_c sgn x'                    what reaches the mechanism

Machielsen 1983, chapters 3 and 6; the cylinder's equation is his appendix D, for an unknown load. Q_nl is the
no-load table, c_o the oil compliance (m/N), c_h^-1 the hydraulic compliance (m/(N s)), a leakage.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pkm_identification.document import Node
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel

from .friction_inside import FRICTIONLESS, InnerFriction, read_inner_friction
from .no_load import NoLoadTable, no_load_speed, read_no_load
from .position_loop import PositionLoop, read_position_loop
from .quantity import LINEAR, Delays, Quantity, Units
from .row import OWN, empty_row, own_friction

VALVE_RATE, VALVE_DAMPING, OIL, LEAK = range(OWN, OWN + 4)


@kernel
def cylinder_force(row, known, h, opening, v):
    """Load force at the end of an implicit stage, and its slope by the rate."""
    stiff = row[OIL] + h * row[LEAK]
    force = (row[OIL] * known + h * (no_load_speed(row, opening) - v)) / stiff
    return force, -h / stiff


@kernel
def stage(row, known, state, h, signal, x, v):
    """Write the state (valve opening, its rate, load force) of an implicit stage; force and its slope by the rate."""
    w = row[VALVE_RATE]
    state[1] = (known[1] + h * w * w * (signal - known[0])) / (
        1.0 + h * w * (2.0 * row[VALVE_DAMPING] + h * w)
    )
    state[0] = known[0] + h * state[1]
    state[2], by_rate = cylinder_force(row, known[2], h, state[0], v)
    friction, slope = own_friction(row, v)
    return state[2] - friction, by_rate - slope


@dataclass(frozen=True)
class Hydraulic:
    """A hydraulic servo; see `mechanisms.model.Actuator`.

    Attributes
    ----------
    loop : PositionLoop
        P controller on the actuator's own sensor, with the current limit.
    valve_rate, valve_damping, valve_delay : float
        Natural frequency (rad/s), damping ratio and delay (s) of the valve.
    no_load : NoLoadTable
    oil_compliance : float
        c_o in m/N (rad/(N m)).
    hydraulic_compliance : float
        c_h^-1 in m/(N s) (rad/(N m s)); 0: no leak, a pure integrator.
    """

    loop: PositionLoop
    valve_rate: float
    valve_damping: float
    valve_delay: float
    no_load: NoLoadTable
    oil_compliance: float
    hydraulic_compliance: float = 0.0
    friction: InnerFriction = FRICTIONLESS
    units: Units = LINEAR

    type: ClassVar[str] = "hydraulic"
    state_names: ClassVar[tuple[str, ...]] = ("valve opening", "valve rate", "load force")
    inertia: ClassVar[float] = 0.0
    inertia_behind: ClassVar[float] = 0.0

    @property
    def delays(self) -> Delays:
        return Delays(self.valve_delay, self.loop.sensor_delay)

    @property
    def locked_stiffness(self) -> float:
        """Of the oil, N/m (N m/rad)."""
        return 1.0 / self.oil_compliance

    @property
    def command_unit(self) -> str:
        return self.loop.command_unit

    @property
    def parameters(self) -> tuple[Quantity, ...]:
        x, f = self.units
        return (
            *self.loop.parameters(self.units),
            Quantity("valve.natural_frequency", self.valve_rate, "rad/s", "valve_rate"),
            Quantity("valve.damping", self.valve_damping, "", "valve_damping"),
            Quantity("valve.delay", self.valve_delay, "s", "valve_delay"),
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

    def equilibrium(self, force: float, position: float = 0.0) -> tuple[FloatArray, float]:
        opening = self.no_load.opening_for(self.hydraulic_compliance * force)
        return np.array([opening, 0.0, force]), self.loop.command_for(opening, position)

    def derivative(self, state: FloatArray, signal: float, x: float, v: float) -> FloatArray:
        opening, rate, load = state
        w = self.valve_rate
        return np.array(
            [
                rate,
                w**2 * (signal - opening) - 2 * self.valve_damping * w * rate,
                (self.no_load(opening) - v - self.hydraulic_compliance * load) / self.oil_compliance,
            ]
        )

    def force(self, state: FloatArray, signal: float, x: float, v: float) -> float:
        return float(state[2]) - self.friction(v)

    def reported(self, state: FloatArray, command: float) -> float:
        return float(state[2])

    def measured(self, state: FloatArray, x: float) -> float:
        return self.loop.measured(x)

    @property
    def row(self) -> FloatArray:
        row = empty_row()
        self.loop.fill(row)
        self.friction.fill(row)
        self.no_load.fill(row)
        row[VALVE_RATE], row[VALVE_DAMPING] = self.valve_rate, self.valve_damping
        row[OIL], row[LEAK] = self.oil_compliance, self.hydraulic_compliance
        return row


def read(node: Node, units: Units) -> Hydraulic:
    """A hydraulic servo of a machine file."""
    valve = node.take("valve")
    rate, damping = valve.take("natural_frequency").positive(), valve.take("damping").positive()
    delay = valve.take("delay", 0.0).not_negative()
    valve.close()
    return Hydraulic(
        read_position_loop(node),
        rate,
        damping,
        delay,
        read_no_load(node.take("no_load")),
        node.take("oil_compliance").positive(),
        node.take("hydraulic_compliance", 0.0).not_negative(),
        read_inner_friction(node),
        units,
    )
