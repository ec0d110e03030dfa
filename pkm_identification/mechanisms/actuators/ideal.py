"""`ideal`: the force is the command, within a limit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pkm_identification.document import Node
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel

from .friction_inside import FRICTIONLESS, InnerFriction, read_inner_friction
from .quantity import LINEAR, Delays, Quantity, Units
from .row import LIMIT, empty_row, own_friction


@kernel
def stage(row, known, state, h, signal, x, v):
    """Force and its slope by the rate; there is no state."""
    friction, slope = own_friction(row, v)
    return signal - friction, -slope


@dataclass(frozen=True)
class Ideal:
    """A force source; see `mechanisms.model.Actuator`.

    Attributes
    ----------
    force_limit : float
        N or N m.
    """

    force_limit: float = np.inf
    friction: InnerFriction = FRICTIONLESS
    units: Units = LINEAR

    type: ClassVar[str] = "ideal"
    state_names: ClassVar[tuple[str, ...]] = ()
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
            Quantity("force_limit", self.force_limit, self.units.force),
            *self.friction.parameters(self.units),
        )

    def signal(self, command: float, position: float) -> float:
        return float(np.clip(command, -self.force_limit, self.force_limit))

    @property
    def rest_signal(self) -> float:
        return 0.0

    def equilibrium(self, force: float, position: float = 0.0) -> tuple[FloatArray, float]:
        return np.zeros(0), force

    def derivative(self, state: FloatArray, signal: float, x: float, v: float) -> FloatArray:
        return np.zeros(0)

    def force(self, state: FloatArray, signal: float, x: float, v: float) -> float:
        return signal - self.friction(v)

    def reported(self, state: FloatArray, command: float) -> float:
        return self.signal(command, 0.0)

    def measured(self, state: FloatArray, x: float) -> float:
        return x

    @property
    def row(self) -> FloatArray:
        row = empty_row()
        row[LIMIT] = self.force_limit
        self.friction.fill(row)
        return row


def read(node: Node, units: Units) -> Ideal:
    """An ideal actuator of a machine file."""
    limit = node.take("force_limit", None).positive_or_none()
    return Ideal(np.inf if limit is None else limit, read_inner_friction(node), units)
