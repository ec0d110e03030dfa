# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What drives with an electric motor have alike: a current, and the force along the driven coordinate it stands for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

from .base import Actuator
from .motor import Motor


@dataclass(frozen=True)
class MotorDrive(Actuator):
    """The common part of drives with a motor; a winding's current is the last of their states.

    Attributes
    ----------
    motor : Motor
    motor_inertia : float
        kg m^2 at the motor's shaft.
    """

    motor: Motor
    motor_inertia: float

    @property
    def lag(self) -> float:
        return self.motor.lag

    @property
    def command_unit(self) -> str:
        return self.motor.command_unit

    def signal(self, command: float, position: float) -> float:
        return self.motor.signal(command)

    def current(self, state: FloatArray, signal: float) -> float:
        """Current in A of a state, or, without a winding, of the signal."""
        return signal if self.motor.winding is None else float(state[self.current_at])

    def pull(self, current: float) -> float:
        """Force in N (N m) along the driven coordinate that a current in A stands for, without losses."""
        return self.motor.ratio * self.motor.torque_constant * current

    def holding(self, force: float) -> tuple[FloatArray, float]:
        """Return the winding's state, shape (1,) or (0,), and the command that pull with a force at rest."""
        current = force / (self.motor.ratio * self.motor.torque_constant)
        return np.full(len(self.motor.state_names), current), self.motor.command_for(current)

    def current_rates(self, current: float, signal: float, rate: float) -> FloatArray:
        """Rate of change of the winding's state, shape (1,) or (0,), at a motor side's rate in m/s (rad/s)."""
        change = self.motor.current_rate(current, signal, self.motor.ratio * rate)
        return np.full(len(self.motor.state_names), change)

    def report_force(self, state: FloatArray, command: float) -> float:
        return self.pull(self.current(state, self.motor.signal(command)))

    @property
    def row(self) -> FloatArray:
        row = super().row
        self.motor.fill(row)
        return row
