# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The contract between actuators and everything that does not care which actuator it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from pkm_identification.numerics.arrays import FloatArray

if TYPE_CHECKING:
    from .actuators.friction_inside import InnerFriction
    from .actuators.motor import Motor
    from .actuators.quantity import Delays, Quantity
    from .actuators.transfer import Transfer


class Actuator(Protocol):
    """What turns a command into force along one driven coordinate; `mechanisms.actuators` has the types.

    Shapes are those of one instant; x (m or rad) and v are the driven coordinate and its rate. Of a command the
    actuator gets the signal, after its limits and its own controller, `delays.command` later; its own sensor shows
    the position of `delays.sensor` ago. Whoever simulates keeps both delays.
    """

    @property
    def type(self) -> str:
        """Its name in machine files."""

    @property
    def state_names(self) -> tuple[str, ...]:
        """What its state is made of; empty for one that follows at once."""

    @property
    def motor(self) -> Motor | None:
        """Its electric motor, whose angle and current loops in the drive act on; None without one."""

    @property
    def current_at(self) -> int:
        """Place of the motor's current in the state; -1 without a motor."""

    @property
    def encoder_on_motor(self) -> bool:
        """Whether the encoder its loops act on shows the motor's side, the first of its states."""

    @property
    def log_on_motor(self) -> bool:
        """Whether the coordinate in logs is that of the motor's side, and not the driven one."""

    @property
    def has_both_encoders(self) -> bool:
        """Whether both sides have an encoder; logs have the motor's next to the driven coordinate."""

    @property
    def has_valve(self) -> bool:
        """Whether its command opens a valve, which asks for a rate and not for a force."""

    @property
    def holds_position(self) -> bool:
        """Whether it goes to a place by a controller of its own, to which its command is the setpoint."""

    @property
    def parameters(self) -> tuple[Quantity, ...]:
        """Its numbers, with units."""

    @property
    def delays(self) -> Delays:
        """Of command and sensor, s."""

    @property
    def friction(self) -> InnerFriction:
        """Friction inside it, by the rate of the driven coordinate."""

    @property
    def inertia(self) -> float:
        """Mass (kg) or moment of inertia (kg m^2) that turns rigidly with the coordinate."""

    @property
    def inertia_behind(self) -> float:
        """The same (kg, kg m^2) of what turns behind a compliance, between the reported force and the mechanism."""

    @property
    def locked_stiffness(self) -> float:
        """N/m (N m/rad) with its motor locked or its valve closed; 0 of a rigid drive and of a source of force."""

    @property
    def fastest(self) -> float:
        """Angular frequency in rad/s of the fastest thing in it, what swings with the mechanism apart; 0: nothing."""

    @property
    def command_unit(self) -> str:
        """N, N m, A or V."""

    @property
    def rest_signal(self) -> float:
        """The signal of an actuator that is switched off: no current, a closed valve."""

    def transfer(self, held: float) -> Transfer:
        """Return what lies between the force it reports and the one that acts, with commands held for `held` s."""

    def without_coulomb(self) -> Actuator:
        """The same without Coulomb friction, which has no slope worth the name at rest."""

    def equilibrium(self, force: float, position: float = 0.0) -> tuple[FloatArray, float]:
        """State and command that hold a constant force (N or N m) at rest at a position."""

    def signal(self, command: float, position: float) -> float:
        """Return what reaches it of a command, and of the position its own sensor is on."""

    def derivative(self, state: FloatArray, signal: float, x: float, v: float) -> FloatArray:
        """Rate of change of the state."""

    def force(self, state: FloatArray, signal: float, x: float, v: float) -> float:
        """Return what reaches the mechanism, N or N m."""

    def report_force(self, state: FloatArray, command: float) -> float:
        """The force (N or N m) its own current or pressure stands for, losses and friction apart."""

    def measure(self, state: FloatArray, x: float) -> float:
        """Return what its sensor shows: V of a servo's, m or rad of an encoder."""

    @property
    def row(self) -> FloatArray:
        """Its numbers for compiled code, shape (ROW,); see `mechanisms.actuators.row`."""
