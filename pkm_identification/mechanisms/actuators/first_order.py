# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`first_order`: the force follows the command with a time constant, T F' = u - F."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from pkm_identification.document import Node
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import compile_inline

from ..file_keys.key import POSITIVE, Key, read_keys
from . import ideal
from .friction_inside import read_inner_friction
from .quantity import Quantity, Units
from .row import OWN, own_friction

_TIME_CONSTANT = OWN
KEYS = (Key("time_constant", "of the force, s", POSITIVE, required=True), *ideal.KEYS)


@compile_inline
def stage(row, known, state, h, signal, x, v):
    """Write the state of an implicit stage; force and its slope by the rate."""
    share = h / row[_TIME_CONSTANT]
    state[0] = (known[0] + share * signal) / (1.0 + share)
    friction, slope = own_friction(row, v)
    return state[0] - friction, -slope


@dataclass(frozen=True)
class FirstOrder(ideal.Ideal):
    """A force source with a lag; see `base.Actuator`.

    Attributes
    ----------
    time_constant : float
        s.
    """

    time_constant: float = field(kw_only=True)

    type: ClassVar[str] = "first_order"
    state_names: ClassVar[tuple[str, ...]] = ("force",)

    @property
    def lag(self) -> float:
        return self.time_constant

    @property
    def parameters(self) -> tuple[Quantity, ...]:
        return (Quantity("time_constant", self.time_constant, "s"), *super().parameters)

    def equilibrium(self, force: float, position: float = 0.0) -> tuple[FloatArray, float]:
        return np.array([force]), force

    def derivative(self, state: FloatArray, signal: float, x: float, v: float) -> FloatArray:
        return np.array([(signal - state[0]) / self.time_constant])

    def force(self, state: FloatArray, signal: float, x: float, v: float) -> float:
        return float(state[0]) - self.friction(v)

    def report_force(self, state: FloatArray, command: float) -> float:
        return float(state[0])

    @property
    def row(self) -> FloatArray:
        row = super().row
        row[_TIME_CONSTANT] = self.time_constant
        return row


def read(node: Node, units: Units) -> FirstOrder:
    """Return a first-order actuator of a machine file."""
    return FirstOrder(**read_keys(node, KEYS), friction=read_inner_friction(node), units=units)
