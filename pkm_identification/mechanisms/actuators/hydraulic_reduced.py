"""`hydraulic_reduced`: `hydraulic` with the valve as one delay: its own and, in first order, 2 D_v / w_v of its lag."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pkm_identification.document import Node
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel

from .friction_inside import FRICTIONLESS, InnerFriction, read_inner_friction
from .hydraulic import LEAK, OIL, Hydraulic, cylinder_force
from .no_load import NoLoadTable, read_no_load
from .position_loop import PositionLoop, read_position_loop
from .quantity import LINEAR, Delays, Quantity, Units
from .row import empty_row, own_friction


@kernel
def stage(row, known, state, h, signal, x, v):
    """Write the state (load force) of an implicit stage; force and its slope by the rate."""
    state[0], by_rate = cylinder_force(row, known[0], h, signal, v)
    friction, slope = own_friction(row, v)
    return state[0] - friction, by_rate - slope


@dataclass(frozen=True)
class HydraulicReduced:
    """A hydraulic servo with one state; attributes as of `Hydraulic`."""

    loop: PositionLoop
    valve_delay: float
    no_load: NoLoadTable
    oil_compliance: float
    hydraulic_compliance: float = 0.0
    friction: InnerFriction = FRICTIONLESS
    units: Units = LINEAR

    type: ClassVar[str] = "hydraulic_reduced"
    state_names: ClassVar[tuple[str, ...]] = ("load force",)
    inertia: ClassVar[float] = 0.0
    inertia_behind: ClassVar[float] = 0.0

    @classmethod
    def of(cls, full: Hydraulic) -> HydraulicReduced:
        """The reduced form of a full one, with the equivalent delay t_e + 2 D_v / w_v."""
        return cls(
            full.loop,
            full.valve_delay + 2 * full.valve_damping / full.valve_rate,
            full.no_load,
            full.oil_compliance,
            full.hydraulic_compliance,
            full.friction,
            full.units,
        )

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
        return np.array([force]), self.loop.command_for(opening, position)

    def derivative(self, state: FloatArray, signal: float, x: float, v: float) -> FloatArray:
        flow = self.no_load(signal) - v - self.hydraulic_compliance * state[0]
        return np.array([flow / self.oil_compliance])

    def force(self, state: FloatArray, signal: float, x: float, v: float) -> float:
        return float(state[0]) - self.friction(v)

    def reported(self, state: FloatArray, command: float) -> float:
        return float(state[0])

    def measured(self, state: FloatArray, x: float) -> float:
        return self.loop.measured(x)

    @property
    def row(self) -> FloatArray:
        row = empty_row()
        self.loop.fill(row)
        self.friction.fill(row)
        self.no_load.fill(row)
        row[OIL], row[LEAK] = self.oil_compliance, self.hydraulic_compliance
        return row


def read(node: Node, units: Units) -> HydraulicReduced:
    """A reduced hydraulic servo of a machine file."""
    valve = node.take("valve")
    delay = valve.take("delay").not_negative()
    valve.close()
    return HydraulicReduced(
        read_position_loop(node),
        delay,
        read_no_load(node.take("no_load")),
        node.take("oil_compliance").positive(),
        node.take("hydraulic_compliance", 0.0).not_negative(),
        read_inner_friction(node),
        units,
    )
