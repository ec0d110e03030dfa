# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The contract of actuators, with what one without anything special answers: nobody else cares which type it is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, TypeVar

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

from .friction_inside import FRICTIONLESS, InnerFriction
from .quantity import LINEAR, Delays, Quantity, Units
from .row import empty_row
from .transfer import Transfer, lateness

if TYPE_CHECKING:
    from .motor import Motor

_Kind = TypeVar("_Kind", bound="Actuator")


@dataclass(frozen=True, kw_only=True)
class Actuator(ABC):
    """What turns a command into force along one driven coordinate; the other files of this room have the types.

    Shapes are those of one instant; x (m or rad) and v are the driven coordinate and its rate. Of a command the
    actuator gets the signal, after its limits and its own controller, `delays.command` later; its own sensor shows
    the position of `delays.sensor` ago. Whoever simulates keeps both delays.

    Attributes
    ----------
    friction : InnerFriction
        Along the driven coordinate, by its rate.
    units : Units
    type : str
        Its name in machine files.
    has_valve : bool
        Whether its command opens a valve, which asks for a rate and not for a force.
    current_at : int
        Place of the motor's current in the state; -1 without a motor.
    """

    friction: InnerFriction = FRICTIONLESS
    units: Units = LINEAR

    type: ClassVar[str]
    has_valve: ClassVar[bool] = False
    current_at: ClassVar[int] = -1

    if TYPE_CHECKING:  # a field of some types, and nothing of others

        @property
        def motor(self) -> Motor | None:
            """Its electric motor, whose angle and current loops in the drive act on; None without one."""

    @property
    @abstractmethod
    def state_names(self) -> tuple[str, ...]:
        """What its state is made of; empty for one that follows at once."""

    @property
    @abstractmethod
    def parameters(self) -> tuple[Quantity, ...]:
        """Its numbers, with units."""

    @property
    @abstractmethod
    def command_unit(self) -> str:
        """N, N m, A or V."""

    @property
    def holds_position(self) -> bool:
        """Whether it goes to a place by a controller of its own, to which its command is the setpoint."""
        return False

    @property
    def encoder_on_motor(self) -> bool:
        """Whether the encoder its loops act on shows the motor's side, the first of its states."""
        return False

    @property
    def log_on_motor(self) -> bool:
        """Whether the coordinate in logs is that of the motor's side, and not the driven one."""
        return False

    @property
    def has_both_encoders(self) -> bool:
        """Whether both sides have an encoder; logs have the motor's next to the driven coordinate."""
        return False

    @property
    def delays(self) -> Delays:
        """Of command and sensor, s."""
        return Delays()

    @property
    def inertia(self) -> float:
        """Mass (kg) or moment of inertia (kg m^2) that turns rigidly with the coordinate."""
        return 0.0

    @property
    def inertia_behind(self) -> float:
        """The same (kg, kg m^2) of what turns behind a compliance, between the reported force and the mechanism."""
        return 0.0

    @property
    def fastest(self) -> float:
        """Angular frequency in rad/s of the fastest thing in it, what swings with the mechanism apart; 0: nothing."""
        return 0.0 if self.lag in (0.0, np.inf) else 1.0 / self.lag

    @property
    def locked_stiffness(self) -> float:
        """N/m (N m/rad) with its motor locked or its valve closed; 0 of a rigid drive and of a source of force."""
        return 0.0

    @property
    def rest_signal(self) -> float:
        """The signal of an actuator that is switched off: no current, a closed valve."""
        return 0.0

    @property
    def lag(self) -> float:
        """s, with which the reported force follows a command; infinite where it moves without jumps of its rate."""
        return 0.0

    def transfer(self, held: float) -> Transfer:
        """Return what lies between the force it reports and the one that acts, with commands held for `held` s."""
        return Transfer(lateness(held, self.lag), friction=self.friction, lag=self.lag)

    def without_coulomb(self: _Kind) -> _Kind:
        """The same without Coulomb friction, which has no slope worth the name at rest."""
        return replace(self, friction=replace(self.friction, coulomb=0.0))

    @abstractmethod
    def equilibrium(self, force: float, position: float = 0.0) -> tuple[FloatArray, float]:
        """State and command that hold a constant force (N or N m) at rest at a position."""

    @abstractmethod
    def signal(self, command: float, position: float) -> float:
        """Return what reaches it of a command, and of the position its own sensor is on."""

    @abstractmethod
    def derivative(self, state: FloatArray, signal: float, x: float, v: float) -> FloatArray:
        """Rate of change of the state."""

    @abstractmethod
    def force(self, state: FloatArray, signal: float, x: float, v: float) -> float:
        """Return what reaches the mechanism, N or N m."""

    @abstractmethod
    def report_force(self, state: FloatArray, command: float) -> float:
        """The force (N or N m) its own current or pressure stands for, losses and friction apart."""

    def measure(self, state: FloatArray, x: float) -> float:
        """Return what its sensor shows: V of a servo's, m or rad of an encoder."""
        return x

    @property
    def row(self) -> FloatArray:
        """Its numbers for compiled code, shape (ROW,); see `mechanisms.actuators.row`."""
        row = empty_row()
        self.friction.fill(row)
        return row
