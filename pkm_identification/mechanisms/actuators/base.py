# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What actuators have alike: friction inside, units, and what one without anything special answers to the contract."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, TypeVar

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

from .friction_inside import FRICTIONLESS, InnerFriction
from .quantity import LINEAR, Delays, Units
from .row import empty_row
from .transfer import Transfer, lateness

_Kind = TypeVar("_Kind", bound="BaseActuator")


@dataclass(frozen=True, kw_only=True)
class BaseActuator:
    """The common part of all types; see `mechanisms.model.Actuator`.

    Attributes
    ----------
    friction : InnerFriction
        Along the driven coordinate.
    units : Units
    """

    friction: InnerFriction = FRICTIONLESS
    units: Units = LINEAR

    type: ClassVar[str]
    has_valve: ClassVar[bool] = False
    current_at: ClassVar[int] = -1

    @property
    def holds_position(self) -> bool:
        return False

    @property
    def encoder_on_motor(self) -> bool:
        return False

    @property
    def log_on_motor(self) -> bool:
        return False

    @property
    def has_both_encoders(self) -> bool:
        return False

    @property
    def delays(self) -> Delays:
        return Delays()

    @property
    def inertia(self) -> float:
        return 0.0

    @property
    def inertia_behind(self) -> float:
        return 0.0

    @property
    def fastest(self) -> float:
        return 0.0 if self.lag in (0.0, np.inf) else 1.0 / self.lag

    @property
    def locked_stiffness(self) -> float:
        return 0.0

    @property
    def rest_signal(self) -> float:
        return 0.0

    @property
    def lag(self) -> float:
        """s, with which the reported force follows a command; infinite where it moves without jumps of its rate."""
        return 0.0

    def transfer(self, held: float) -> Transfer:
        """Return what lies between the reported force and the acting one, with commands held for `held` s."""
        return Transfer(lateness(held, self.lag), friction=self.friction, lag=self.lag)

    def without_coulomb(self: _Kind) -> _Kind:
        return replace(self, friction=replace(self.friction, coulomb=0.0))

    def measure(self, state: FloatArray, x: float) -> float:
        return x

    @property
    def row(self) -> FloatArray:
        row = empty_row()
        self.friction.fill(row)
        return row
