"""`first_order`: the force follows the command with a time constant, T F' = u - F."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pkm_identification.document import Node
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel

from .friction_inside import FRICTIONLESS, InnerFriction, read_inner_friction
from .quantity import LINEAR, Delays, Quantity, Units
from .row import LIMIT, OWN, empty_row, own_friction

_TIME_CONSTANT = OWN


@kernel
def stage(row, known, state, h, signal, x, v):
    """Write the state of an implicit stage; force and its slope by the rate."""
    share = h / row[_TIME_CONSTANT]
    state[0] = (known[0] + share * signal) / (1.0 + share)
    friction, slope = own_friction(row, v)
    return state[0] - friction, -slope


@dataclass(frozen=True)
class FirstOrder:
    """A force source with a lag; see `mechanisms.model.Actuator`.

    Attributes
    ----------
    time_constant : float
        s.
    force_limit : float
        N or N m.
    """

    time_constant: float
    force_limit: float = np.inf
    friction: InnerFriction = FRICTIONLESS
    units: Units = LINEAR

    type: ClassVar[str] = "first_order"
    state_names: ClassVar[tuple[str, ...]] = ("force",)
    inertia: ClassVar[float] = 0.0
    inertia_behind: ClassVar[float] = 0.0
    locked_stiffness: ClassVar[float] = 0.0
    delays: ClassVar[Delays] = Delays()

    @property
    def command_unit(self) -> str:
        return self.units.force

    @property
    def parameters(self) -> tuple[Quantity, ...]:
        return (
            Quantity("time_constant", self.time_constant, "s"),
            Quantity("force_limit", self.force_limit, self.units.force),
            *self.friction.parameters(self.units),
        )

    def signal(self, command: float, position: float) -> float:
        return float(np.clip(command, -self.force_limit, self.force_limit))

    @property
    def rest_signal(self) -> float:
        return 0.0

    def equilibrium(self, force: float, position: float = 0.0) -> tuple[FloatArray, float]:
        return np.array([force]), force

    def derivative(self, state: FloatArray, signal: float, x: float, v: float) -> FloatArray:
        return np.array([(signal - state[0]) / self.time_constant])

    def force(self, state: FloatArray, signal: float, x: float, v: float) -> float:
        return float(state[0]) - self.friction(v)

    def reported(self, state: FloatArray, command: float) -> float:
        return float(state[0])

    def measured(self, state: FloatArray, x: float) -> float:
        return x

    @property
    def row(self) -> FloatArray:
        row = empty_row()
        row[LIMIT], row[_TIME_CONSTANT] = self.force_limit, self.time_constant
        self.friction.fill(row)
        return row


def read(node: Node, units: Units) -> FirstOrder:
    """A first-order actuator of a machine file."""
    limit = node.take("force_limit", None).positive_or_none()
    return FirstOrder(
        node.take("time_constant").positive(),
        np.inf if limit is None else limit,
        read_inner_friction(node),
        units,
    )
