"""The drives of a simulated machine with actuators: states, delay lines and controllers, moved on with the machine."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pkm_identification.control.cascade import MEMORY, POSITION_STEPS, start_cascade
from pkm_identification.errors import SettingsError
from pkm_identification.mechanisms.actuators import Bank
from pkm_identification.mechanisms.actuators.row import MOST_STATES
from pkm_identification.numerics.arrays import FloatArray

from ..multibody.stepping import Dynamics, Resistance
from .lines import Lines, fill_lines, lines_of, stage_signal
from .stepping import Drives, Motion, advance, present_forces

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
    place : ndarray, shape (n,)
        Driven coordinates.
    """

    def __init__(self, bank: Bank, step: float, settings: FloatArray) -> None:
        count = len(bank)
        self.bank, self.step = bank, step
        self.states = np.zeros((count, MOST_STATES))
        self.place = np.zeros(count)
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

    @property
    def controlled(self) -> NDArray[np.bool_]:
        """Which drives (n,) have a controller of their own, whose commands are wanted coordinates."""
        return self._drives.settings[:, POSITION_STEPS] > 0.0

    @property
    def command(self) -> FloatArray:
        """What reaches the actuators (n,) from their controllers or from outside, before delays."""
        return self._drives.command.copy()

    def settle(self, force: FloatArray, place: FloatArray) -> None:
        """Rest at driven coordinates (n,), every actuator holding a force (n,); nothing moved in the past."""
        drives = self._drives
        self.states, command = self.bank.equilibrium(force, place)
        self.place = np.array(place, dtype=float)
        drives.command[:] = command
        drives.reference[:] = place
        drives.force[:] = force
        fill_lines(drives.lines, command, self.place)
        shown = self.shown()
        for i in np.flatnonzero(self.controlled):
            current = float(
                self.states[i, 0] if self.bank.actuators[i].type == "screw" else self.states[i, 2]
            )
            if not any(name == "current" for name in self.bank.actuators[i].state_names):
                current = command[i]
            start_cascade(drives.settings[i], drives.memory[i], self.place[i], shown[i], command[i], current)

    def shown(self) -> FloatArray:
        """Coordinates (n,) the encoders are on: the motor's side of those that have theirs there."""
        on_motor = [getattr(a, "encoder", "load") == "motor" for a in self.bank.actuators]
        return np.where(on_motor, self.states[:, 0], self.place)

    def set_command(self, before: FloatArray, after: FloatArray) -> None:
        """What holds for the next period: commands (n,), of controlled drives wanted coordinates at both its ends."""
        drives, controlled = self._drives, self.controlled
        drives.reference[0], drives.reference[1] = before, after
        drives.command[:] = np.where(controlled, drives.command, after)

    def enable(self, on: bool) -> None:
        """Switch all drives on or off: no current, valves closed."""
        self._drives.enabled[:] = float(on)

    def advance(
        self,
        pose: FloatArray,
        speed: FloatArray,
        ends: Dynamics,
        resistance: Resistance,
        duration: float,
        keep: bool = True,
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Move on by a whole number of small steps; velocities, pose and driven coordinates at the end.

        With `keep` false everything that belongs to the drives stays as it was: a predictor.
        """
        steps = round(duration / self.step)
        if steps < 1 or abs(steps * self.step - duration) > _WHOLE * duration:
            raise SettingsError(f"{duration:g} s: no whole number of small steps of {self.step:g} s")
        drives = self._drives
        if not keep:
            lines = Lines(*(part.copy() for part in drives.lines))
            drives = drives._replace(
                lines=lines,
                memory=drives.memory.copy(),
                command=drives.command.copy(),
                force=drives.force.copy(),
            )
        motion = Motion(pose.copy(), self.place.copy(), np.array(speed), self.states.copy())
        advance(motion, ends, resistance, drives, self.step, steps)
        if keep:
            self.place, self.states = motion.place, motion.states
        return motion.speed, motion.pose, motion.place

    def signals(self) -> FloatArray:
        """What reaches the actuators (n,) now."""
        d = self._drives
        # lines hold the past up to the last small step begun, whose place is one before the present one
        present = Lines(d.lines.command.copy(), d.lines.position.copy(), d.lines.begun)
        now = int(present.begun[0]) % len(present.command)
        present.command[now], present.position[now] = d.command, self.place
        return np.array(
            [
                stage_signal(d.rows[i], present, i, self.step, 0.0, self.place[i], d.enabled[i])
                for i in range(len(self.bank))
            ]
        )

    def force(self, rate: FloatArray) -> FloatArray:
        """Forces (n,) of the actuators on the mechanism now, at rates (n,)."""
        force = np.empty(len(self.bank))
        present_forces(self.bank.rows, self.states, self.signals(), self.place, np.array(rate), force)
        return force

    def measured(self) -> FloatArray:
        """What the actuators' own sensors show now, late by their delays: shape (n,)."""
        lines, past = self._drives.lines, self.place.copy()
        length, now = len(lines.position), int(lines.begun[0])
        for i, actuator in enumerate(self.bank.actuators):
            late = actuator.delays.sensor / self.step
            if late > 0.0:
                whole = int(np.floor(late))
                newer = self.place[i] if whole == 0 else lines.position[(now - whole) % length, i]
                older = lines.position[(now - whole - 1) % length, i]
                past[i] = newer + (late - whole) * (older - newer)
        return self.bank.measured(self.states, past)
