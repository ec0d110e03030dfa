# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A simulated machine that moves under its drives: one stepping for every kind, drives with states or without."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.numerics.arrays import FloatArray

from ..imperfections.drive_train import DriveTrain
from ..resistance import Resistance
from .drives import ActuatorDrives
from .stepping import Drives, Dynamics, Motion, advance


class ActuatedPlant(ABC):
    """A plant of n drives with states, or without.

    Attributes
    ----------
    actuated : ActuatorDrives or None
        The drives, where they have states.
    time : float
        s since the start.
    apparent_mass : ndarray, shape (n,)
        kg or kg m^2 that each drive feels at home when the others are free.
    """

    actuated: ActuatorDrives | None = None
    _train: DriveTrain | None = None
    time: float
    apparent_mass: FloatArray
    _ends: Dynamics  # at the start and at the end of a period
    _force: FloatArray  # (2, n)
    _resistance: Resistance
    _coefficients: FloatArray  # of the resistance, where friction is the machine's
    _configuration: FloatArray  # pose (7,) of a platform, or coordinates (Q,) of a tree
    _velocity: FloatArray  # (U,)
    _steps: int  # small steps per call of `advance`, of drives without states

    @property
    def force(self) -> FloatArray:
        """Drive forces (n,) in N (N m)."""
        return self._force[0].copy()

    @property
    @abstractmethod
    def coordinate(self) -> FloatArray:
        """Coordinates (n,) of the drives, m or rad."""

    @property
    def encoder(self) -> FloatArray:
        """Coordinates (n,) the encoders are on, m or rad: the motor's side of drives that have theirs there."""
        if self._train is not None:
            return self._train.position(self.coordinate)
        return self.coordinate if self.actuated is None else self.actuated.shown()

    @property
    @abstractmethod
    def state(self) -> Any:
        """Everything about this instant; with `coordinate` and `rate` of the drives."""

    @abstractmethod
    def _start_motion(self) -> Motion:
        """Return what moves, as it is now, to be moved on."""

    @abstractmethod
    def _close(self, motion: Motion) -> FloatArray:
        """Return the configuration of a motion, its loops closed."""

    @abstractmethod
    def _evaluate(self, end: int, configuration: FloatArray, velocity: FloatArray) -> None:
        """Ask MuJoCo for the dynamics at one end of the period and reduce them to the closed machine's."""

    @abstractmethod
    def _accept(self, motion: Motion) -> None:
        """Take over what has moved; the dynamics at its end become those of the next period's start."""
        if self._train is not None:
            self._train.accept()

    def _integrate(self, motion: Motion, duration: float) -> Motion:
        """Move a motion on by `duration` (s) between the dynamics at both ends."""
        if self._train is not None:
            self._train.advance(motion, self._ends, self._force, duration, self._steps)
            return motion
        drives = Drives.without_states(self._force.shape[1])
        drives.reference[:] = self._force
        advance(motion, self._ends, self._resistance, drives, duration / self._steps, self._steps)
        return motion

    def advance(self, force: FloatArray, duration: float) -> None:
        """Move on by `duration` (s) while the drive forces go linearly from their last values to `force` (n,).

        The error of a step grows with the cube of its duration; about a millisecond suits most machines. Drives with
        states take the forces for commands, as far as they can.
        """
        if self.actuated is not None:
            self.actuated.set_forces(force)
            self._advance_actuated(self.actuated, duration)
            return
        self._force[1] = force
        self._step(lambda motion: self._integrate(motion, duration))
        self._force[0] = self._force[1]
        self.time += duration

    def _advance_actuated(self, drives: ActuatorDrives, duration: float) -> None:
        """Move on by `duration` (s) with drives that know what they are asked for."""
        past = drives.copy_past(duration)

        def integrate(motion: Motion) -> Motion:
            drives.return_to(past)
            motion = motion._replace(coordinate=drives.coordinate, states=drives.states)
            drives.advance(motion, self._ends, self._resistance, duration)
            return motion

        self._step(integrate)
        drives.coordinate = self.coordinate
        self._force[:] = drives.last_force
        self.time += duration

    def _step(self, integrate: Callable[[Motion], Motion]) -> None:
        """Move on by a period, whose dynamics are those of its start first, then of both ends."""
        for part in self._ends:
            part[1] = part[0]
        for _ in range(2):  # predictor, corrector
            motion = integrate(self._start_motion())
            configuration = self._close(motion)
            self._evaluate(1, configuration, motion.speed)
        self._configuration, self._velocity = configuration, motion.speed
        for part in self._ends:
            part[0] = part[1]
        self._accept(motion)

    def set_force(self, force: FloatArray) -> None:
        """Let the drive forces jump to `force` (n,): brakes released, power cut."""
        self._force[:] = force
        self._settle()

    def _settle(self) -> None:
        """Let drives with states rest where the machine is, holding its drive forces."""
        if self.actuated is not None:
            self.actuated.settle(self._force[0], self.coordinate)
        if self._train is not None:
            self._train.settle(self.coordinate, self._force[0])

    def scale_friction(self, factor: float) -> None:
        """Let friction of drives and joints be `factor` times what the machine has, from now on."""
        self._resistance.coefficients[:] = factor * self._coefficients
        if self._train is not None:
            self._train.scale_friction(factor)

    def holding_force(self) -> FloatArray:
        """Return drive forces (n,) that keep the machine from accelerating where it is, friction apart."""
        return np.linalg.solve(self._ends.compliance[0, :, : self._force.shape[1]], -self._ends.free[0])

    def enable(self, on: bool) -> None:
        """Switch drives with states on or off; those without are off when their force is zero."""
        if self.actuated is not None:
            self.actuated.enable(on)

    def _actuators(self, refusal: str) -> ActuatorDrives:
        """Return the drives with states; raises SettingsError where there are none."""
        if self.actuated is None:
            raise SettingsError(refusal)
        return self.actuated

    def follow(self, before: FloatArray, after: FloatArray, duration: float) -> None:
        """Move on by `duration` (s) with wanted coordinates (n,) at its start and end, of drives that take them.

        Raises
        ------
        SettingsError
            If a drive takes something else.
        """
        drives = self._actuators("these drives take forces, not coordinates")
        drives.set_places(before, after)
        self._advance_actuated(drives, duration)

    def push(self, force: FloatArray, duration: float) -> None:
        """Move on by `duration` (s) with commands held that would hold forces (n,) in N (N m).

        Raises
        ------
        SettingsError
            If a drive takes no force.
        """
        drives = self._actuators("these drives have no actuators")
        drives.set_forces(force)
        self._advance_actuated(drives, duration)

    def command(self, command: FloatArray, duration: float) -> None:
        """Move on by `duration` (s) with the actuators' own commands (n,) held, each in its unit.

        Raises
        ------
        SettingsError
            If the drives have no actuators.
        """
        drives = self._actuators("these drives take forces, not commands")
        drives.set_command(command, command)
        self._advance_actuated(drives, duration)

    @property
    def takes_places(self) -> bool:
        """Whether drives go to wanted coordinates by themselves, and do so with `follow` instead of `advance`."""
        return self.actuated is not None and self.actuated.takes_places

    @property
    def reported_force(self) -> FloatArray:
        """Forces (n,) that the drives' currents or pressures stand for, N (N m)."""
        return self.force if self.actuated is None else self.actuated.report_force()
