# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`ideal`: the force is the command, within a limit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pkm_identification.document import Node
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import compile_inline

from ..file_keys.key import POSITIVE, Key, read_keys
from .base import Actuator
from .friction_inside import read_inner_friction
from .quantity import Quantity, Units
from .row import LIMIT, own_friction

KEYS = (Key("force_limit", "largest force, N", POSITIVE, null=True, absent=np.inf),)


@compile_inline
def stage(row, known, state, h, signal, x, v):
    """Force and its slope by the rate; there is no state."""
    friction, slope = own_friction(row, v)
    return signal - friction, -slope


@dataclass(frozen=True)
class Ideal(Actuator):
    """A force source; see `base.Actuator`.

    Attributes
    ----------
    force_limit : float
        N or N m.
    """

    force_limit: float = np.inf

    type: ClassVar[str] = "ideal"
    motor: ClassVar[None] = None
    state_names: ClassVar[tuple[str, ...]] = ()

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

    def equilibrium(self, force: float, position: float = 0.0) -> tuple[FloatArray, float]:
        return np.zeros(0), force

    def derivative(self, state: FloatArray, signal: float, x: float, v: float) -> FloatArray:
        return np.zeros(0)

    def force(self, state: FloatArray, signal: float, x: float, v: float) -> float:
        return signal - self.friction(v)

    def report_force(self, state: FloatArray, command: float) -> float:
        return self.signal(command, 0.0)

    @property
    def row(self) -> FloatArray:
        row = super().row
        row[LIMIT] = self.force_limit
        return row


def read(node: Node, units: Units) -> Ideal:
    """Return an ideal actuator of a machine file."""
    return Ideal(**read_keys(node, KEYS), friction=read_inner_friction(node), units=units)
