# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The drives of a simulated machine with actuators: states, delay lines and controllers, moved on with the machine."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pkm_identification.control.drives.cascade import MEMORY, POSITION_STEPS, start_cascade
from pkm_identification.control.drives.settings import drive_settings
from pkm_identification.errors import SettingsError
from pkm_identification.mechanisms.actuators import Bank
from pkm_identification.mechanisms.actuators.base import Actuator
from pkm_identification.mechanisms.actuators.control_section import MachineControl
from pkm_identification.mechanisms.actuators.row import MOST_STATES, ON_MOTOR
from pkm_identification.numerics.arrays import FloatArray

from ..resistance import Resistance
from .lines import Lines, fill_lines, lines_of, present_signals
from .stepping import Drives, Dynamics, Motion, advance

STEP = 20e-6
"""s, small step where nothing else is said."""
_WHOLE = 1e-6


class ActuatorDrives:
    """Actuators, their past and their controllers.

    Parameters
    ----------
    bank : Bank
    step : float
        Small step, s.
    settings : ndarray, shape (n, SETTINGS)
        Of the controllers in the drives.

    Attributes
    ----------
    states : ndarray, shape (n, MOST_STATES)
    coordinate : ndarray, shape (n,)
        Driven coordinates.
    """

    def __init__(self, bank: Bank, step: float, settings: FloatArray) -> None:
        count = len(bank)
        self.bank, self.step = bank, step
        self.states = np.zeros((count, MOST_STATES))
        self.coordinate = np.zeros(count)
        self._controlled = np.asarray(settings)[:, POSITION_STEPS] > 0.0
        self._to_places = self._controlled | [actuator.holds_position for actuator in bank.actuators]
        self._loops_on_motor = bank.rows[:, ON_MOTOR] != 0.0
        self._log_on_motor = np.array([actuator.log_on_motor for actuator in bank.actuators])
        self._on_both = np.array([actuator.has_both_encoders for actuator in bank.actuators])
        self._bias = np.zeros(count)
        self._drives = Drives(
            bank.rows,
            lines_of(bank, step),
            np.ascontiguousarray(settings),
            np.zeros((count, MEMORY)),
            np.zeros(count),
            np.zeros((2, count)),
            np.ones(count),
            np.zeros(count),
        )

    @classmethod
    def of(cls, actuators: Sequence[Actuator], control: MachineControl | None, step: float) -> ActuatorDrives:
        """Drives with the loops of a machine file, for small steps in s.

        Raises
        ------
        SettingsError
            If a loop's period or a delay does not go with the small step.
        """
        bank = Bank(actuators)
        return cls(bank, step, drive_settings(bank, () if control is None else control.drives, step))

    @property
    def controlled(self) -> NDArray[np.bool_]:
        """Which drives (n,) have a controller of their own, whose commands are wanted coordinates."""
        return self._controlled

    @property
    def command(self) -> FloatArray:
        """What reaches the actuators (n,) from their controllers or from outside, before delays."""
        return self._drives.command.copy()

    def settle(self, force: FloatArray, coordinate: FloatArray) -> None:
        """Rest at driven coordinates (n,), every actuator holding a force (n,); nothing moved in the past."""
        drives = self._drives
        self.states, command = self.bank.equilibrium(force, coordinate)
        self.coordinate = np.array(coordinate, dtype=float)
        drives.command[:] = command
        drives.reference[:] = coordinate
        drives.force[:] = force
        fill_lines(drives.lines, command, self.coordinate)
        self._bias = command - self.bank.measure(self.states, self.coordinate)
        self._hold()

    def _hold(self) -> None:
        """Let the controllers in the drives begin where they are, giving out what they give now."""
        drives, command = self._drives, self._drives.command
        shown = np.where(self._loops_on_motor, self.states[:, 0], self.coordinate)
        for i in np.flatnonzero(self.controlled):
            actuator, current = self.bank.actuators[i], command[i]
            if actuator.motor is not None and actuator.motor.winding is not None:
                current = self.states[i, actuator.current_at]
            start_cascade(
                drives.settings[i], drives.memory[i], self.coordinate[i], shown[i], command[i], current
            )

    def shown(self) -> FloatArray:
        """Return coordinates (n,) of logs: the motor's side of drives whose only encoder is there."""
        return np.where(self._log_on_motor, self.states[:, 0], self.coordinate)

    @property
    def motor_side(self) -> FloatArray | None:
        """Coordinates (n,) of the motors' encoders of drives that have one on either side; None without such a drive.

        Of the others that of the one they have.
        """
        return np.where(self._on_both, self.states[:, 0], self.shown()) if np.any(self._on_both) else None

    def set_command(self, before: FloatArray, after: FloatArray) -> None:
        """What holds for the next period: commands (n,), of controlled drives wanted coordinates at both its ends."""
        drives, controlled = self._drives, self._controlled
        drives.reference[0], drives.reference[1] = before, after
        drives.command[:] = np.where(controlled, drives.command, after)

    @property
    def takes_places(self) -> bool:
        """Whether drives go to wanted coordinates by themselves: servos, and drives with a controller."""
        return bool(np.all(self._to_places))

    def set_places(self, before: FloatArray, after: FloatArray) -> None:
        """Wanted coordinates (n,) at the start and the end of the next period, of drives that take them.

        Raises
        ------
        SettingsError
            If a drive takes something else.
        """
        if not self.takes_places:
            i = int(np.argmin(self._to_places))
            unit = self.bank.actuators[i].command_unit
            raise SettingsError(f"drive {i + 1} takes a command in {unit}, not a wanted coordinate")
        drives = self._drives
        drives.reference[0], drives.reference[1] = before, after
        setpoint = self._bias + self.bank.measure(self.states, before)
        drives.command[:] = np.where(self._controlled, drives.command, setpoint)

    def set_forces(self, force: FloatArray) -> None:
        """Commands that would hold forces (n,) in N (N m), for the next period.

        Raises
        ------
        SettingsError
            If a drive has a valve or a controller, whose command is no force.
        """
        for i, actuator in enumerate(self.bank.actuators):
            if self._to_places[i]:
                raise SettingsError(
                    f"drive {i + 1} takes a wanted coordinate, not a force: so must all, or none"
                )
            if actuator.has_valve:
                raise SettingsError(
                    f"drive {i + 1} has a valve and nothing that closes its loop: give its 'actuator' a 'gain' with a "
                    "'sensor', or the file a 'control' with a position loop"
                )
        self._drives.command[:] = self.bank.equilibrium(force, self.coordinate)[1]

    def report_force(self) -> FloatArray:
        """Return forces (n,) that the drives' currents or pressures stand for."""
        parts = zip(self.bank.actuators, self.states, self._drives.command, strict=True)
        return np.array([actuator.report_force(state, command) for actuator, state, command in parts])

    @property
    def last_force(self) -> FloatArray:
        """Forces (n,) on the mechanism at the end of the last small step."""
        return self._drives.force

    def enable(self, on: bool) -> None:
        """Switch all drives on, holding where they are, or off: no current, valves closed."""
        if on and not np.all(self._drives.enabled):
            self._bias = self._drives.command - self.bank.measure(self.states, self.coordinate)
            self._hold()
        self._drives.enabled[:] = float(on)

    def copy_past(self, duration: float) -> tuple[FloatArray, ...]:
        """Return what `advance` over `duration` (s) changes, for `return_to`."""
        drives, lines = self._drives, self._drives.lines
        begun, length = int(lines.started[0]), len(lines.position)
        rows = (begun + np.arange(min(round(duration / self.step), length))) % length
        kept = drives.memory, drives.command, drives.force, lines.started, self.coordinate, self.states
        return rows, lines.command[rows], lines.position[rows], *(part.copy() for part in kept)

    def return_to(self, past: tuple[FloatArray, ...]) -> None:
        """Take back what `advance` did since `copy_past`."""
        drives, lines = self._drives, self._drives.lines
        rows, command, position, *kept = past
        lines.command[rows], lines.position[rows] = command, position
        now = drives.memory, drives.command, drives.force, lines.started, self.coordinate, self.states
        for part, before in zip(now, kept, strict=True):
            part[...] = before

    def advance(self, motion: Motion, ends: Dynamics, resistance: Resistance, duration: float) -> None:
        """Move a motion of these drives' coordinates and states on, in place, by a whole number of small steps."""
        steps = round(duration / self.step)
        if steps < 1 or abs(steps * self.step - duration) > _WHOLE * duration:
            raise SettingsError(f"{duration:g} s: no whole number of small steps of {self.step:g} s")
        advance(motion, ends, resistance, self._drives, self.step, steps)

    def signals(self) -> FloatArray:
        """Return what reaches the actuators (n,) now."""
        d = self._drives
        # lines hold the past up to the last small step begun, whose index is one before the present one
        present = Lines(d.lines.command.copy(), d.lines.position.copy(), d.lines.started)
        signal = np.empty(len(self.bank))
        present_signals(d.rows, present, self.step, d.command, self.coordinate, d.enabled, signal)
        return signal

    def force(self, rate: FloatArray) -> FloatArray:
        """Return forces (n,) of the actuators on the mechanism now, at rates (n,)."""
        parts = zip(self.bank.actuators, self.states, self.signals(), self.coordinate, rate, strict=True)
        return np.array([actuator.force(*rest) for actuator, *rest in parts])

    def measure(self) -> FloatArray:
        """Return what the actuators' own sensors show now, late by their delays: shape (n,)."""
        lines, past = self._drives.lines, self.coordinate.copy()
        length, now = len(lines.position), int(lines.started[0])
        for i, actuator in enumerate(self.bank.actuators):
            late = actuator.delays.sensor / self.step
            if late > 0.0:
                whole = int(np.floor(late))
                newer = self.coordinate[i] if whole == 0 else lines.position[(now - whole) % length, i]
                older = lines.position[(now - whole - 1) % length, i]
                past[i] = newer + (late - whole) * (older - newer)
        return self.bank.measure(self.states, past)
