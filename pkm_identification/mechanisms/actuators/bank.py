# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The actuators of a machine together: their rows for kernels, their states, what holds the machine at rest."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

from .base import Actuator
from .registry import TYPE_NAMES
from .row import COMMAND_DELAY, CURRENT, MOST_STATES, NUMBER, ON_MOTOR, REST, ROW, SENSOR_DELAY


class Bank:
    """Actuators along the n driven coordinates of a machine.

    Parameters
    ----------
    actuators : sequence of Actuator

    Attributes
    ----------
    actuators : tuple of Actuator
    rows : ndarray, shape (n, ROW)
        Their numbers, for kernels.
    inertia : ndarray, shape (n,)
        Mass (kg) or moment of inertia (kg m^2) that turns rigidly with each coordinate: part of the mechanism's.
    """

    def __init__(self, actuators: Sequence[Actuator]) -> None:
        self.actuators = tuple(actuators)
        self.rows = np.zeros((len(self.actuators), ROW))
        for row, actuator in zip(self.rows, self.actuators, strict=True):
            row[:] = actuator.row
            row[NUMBER] = TYPE_NAMES.index(actuator.type)
            row[COMMAND_DELAY], row[SENSOR_DELAY] = actuator.delays
            row[REST] = actuator.rest_signal
            row[ON_MOTOR], row[CURRENT] = actuator.encoder_on_motor, actuator.current_at
        self.inertia = np.array([actuator.inertia for actuator in self.actuators])

    def __len__(self) -> int:
        return len(self.actuators)

    @property
    def order(self) -> int:
        """Number of states, delays apart."""
        return sum(len(actuator.state_names) for actuator in self.actuators)

    @property
    def delays(self) -> tuple[float, ...]:
        """Every delay in s that is not zero."""
        return tuple(delay for actuator in self.actuators for delay in actuator.delays if delay > 0.0)

    def equilibrium(self, force: FloatArray, position: FloatArray) -> tuple[FloatArray, FloatArray]:
        """States (n, MOST_STATES) and commands (n,) that hold forces (n,) in N (N m) at rest at positions (n,).

        Raises
        ------
        SettingsError
            If an actuator cannot hold its force.
        """
        states, commands = np.zeros((len(self), MOST_STATES)), np.zeros(len(self))
        for i, actuator in enumerate(self.actuators):
            state, commands[i] = actuator.equilibrium(float(force[i]), float(position[i]))
            states[i, : len(state)] = state
        return states, commands

    def measure(self, states: FloatArray, position: FloatArray) -> FloatArray:
        """Return what each actuator's own sensor is on, in its unit, without its delay: shape (n,)."""
        read = [a.measure(states[i], float(position[i])) for i, a in enumerate(self.actuators)]
        return np.array(read)
