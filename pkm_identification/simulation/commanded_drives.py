# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What drives a simulated machine: a trajectory, commanded lengths and poses, or forces from outside."""

from __future__ import annotations

from typing import Any

import numpy as np

from pkm_identification.control.pid import ControlSettings, StrutController
from pkm_identification.errors import SettingsError
from pkm_identification.numerics.arrays import FloatArray

from .actuated.file_control import FileControl
from .actuated.plant import ActuatedPlant
from .actuated.position_following import PositionFollowing
from .actuators import DriveConstants, Drives
from .measurement import Measurement
from .physics.contract import Physics
from .setpoints import LengthReference, MotionReference

# Of a cycle that nothing drives: no controller takes errors back, and a log of a fall is held to counts
FALLING_PARTS = 10


class CommandedDrives:
    """Drives and controller of a plant, and the reference they follow.

    Commands are those of `Simulator`, which says what they refuse.

    Parameters
    ----------
    plant : ActuatedPlant
    drive : DriveConstants
        With the encoders' and motors' constants.
    measurement : Measurement
        What the controller knows of the plant.
    control : ControlSettings
    physics : Physics
        The truth.
    nominal : Physics
        What the controller believes.
    friction : bool
        Whether plant and nominal machine have friction.

    Attributes
    ----------
    nominal : Physics
        As given, without friction where there is none.
    drives : Drives
    end : float or None
        s, when the trajectory is over; None when following commands.
    """

    drives: Drives
    end: float | None

    def __init__(
        self,
        plant: ActuatedPlant,
        drive: DriveConstants,
        measurement: Measurement,
        control: ControlSettings,
        *,
        physics: Physics,
        nominal: Physics,
        friction: bool,
    ) -> None:
        self._plant, self._drive, self._measurement, self._control = plant, drive, measurement, control
        # whoever switches friction off tells the controller, too
        self.nominal = nominal if friction else nominal.without_friction()
        self._physics = physics
        self._cycles, self._cycle = physics.cycles, 1.0 / physics.sample_rate / physics.cycles
        viscous = physics.friction.viscous if friction else np.zeros(len(physics.drives))
        self._controller = StrutController(plant.apparent_mass, viscous, self._cycle, control)
        law = FileControl.of(physics.control, nominal.machine, plant, measurement.read, self._limit_forces)
        self._following = PositionFollowing(plant, law)

    def reset(self, holding: FloatArray) -> None:
        """Back to the start, at rest under these forces (n,)."""
        self.drives = Drives(self._drive)
        self._forces: FloatArray | None = None
        self._reference: MotionReference | LengthReference
        self._controller.reset(self._measurement.measured_force(holding))
        self._hold_here()
        self._plant.set_force(holding)

    def _limit_forces(self, force: FloatArray) -> FloatArray:
        """Return what becomes of forces (n,) that the drives are asked for."""
        return self._measurement.true_force(self.drives.force(force))

    def follow(self, motion: Any, time: float) -> None:
        """Follow a trajectory from now on, `time` in s; a fall switches the drives off."""
        reference = self.nominal.build_reference(motion, self._cycle, self._control.feed_forward)
        away = np.abs(reference.start.length - self._measurement.shown())
        over = away / self._physics.start_tolerance
        if over.max() > 1.0:
            i = int(np.argmax(over))
            unit = self._physics.drives[i].unit
            raise SettingsError(
                f"trajectory '{motion.name}' starts at home; drive {i + 1} is {away[i]:.4f} {unit} away: go there first"
            )
        self.enable(motion.powered)
        if motion.powered:
            self._reference = reference
            if not reference.begins_at_rest:
                self._plant.set_force(self._limit_forces(reference.start.feed_forward))
            holding = self._plant.holding_force() if reference.begins_at_rest else self._plant.force
            self._controller.reset(self._measurement.measured_force(holding) - reference.start.feed_forward)
        self.end = time + motion.duration

    def command_lengths(self, length: FloatArray, rate: FloatArray | None = None) -> None:
        """Go to coordinates (n,); give rates (n,) with a stream."""
        length, drives = np.asarray(length, dtype=float), self._physics.drives
        count = len(drives)
        if length.shape != (count,) or (rate is not None and np.shape(rate) != (count,)):
            raise ValueError(f"strut command: needs {count} coordinates (and as many rates, if any)")
        if not np.all(np.isfinite(length)) or (rate is not None and not np.all(np.isfinite(rate))):
            raise ValueError("strut command: holds a value that is not finite")
        low, high = (np.array([getattr(one, end) for one in drives]) for end in ("lowest", "highest"))
        outside = np.flatnonzero((length < low) | (length > high))
        if outside.size:
            i = int(outside[0])
            raise ValueError(
                f"strut command: drive {i + 1}: {length[i]:.4f} {drives[i].unit} is outside the limits "
                f"[{low[i]:g}, {high[i]:g}] {drives[i].unit}"
            )
        reference = self._reference
        if self._forces is not None or not isinstance(reference, LengthReference):
            reference = self._hold_here()
        reference.command(length, rate)

    def command_pose(self, position: FloatArray, rotation: FloatArray) -> None:
        """Go to a platform pose, position (3,) in m and rotation (3, 3) in the base frame."""
        self.command_lengths(self.nominal.compute_coordinates(position, rotation))

    def enable(self, on: bool) -> None:
        """Switch the drives on (they hold where the struts are) or off (forces vanish at once)."""
        self._hold_here()
        if self._plant.actuated is not None:
            self._plant.enable(on)
        elif not on:
            self._plant.set_force(np.zeros(len(self._physics.drives)))
        self.drives.enabled = on

    def _hold_here(self) -> LengthReference:
        """Let the reference brake to a stop from the present motion."""
        rate = self._controller.rate if self._forces is None else self._measurement.truth.rate
        self._forces = None
        reference = LengthReference(
            self._measurement.read(),
            rate,
            self._cycle,
            self._physics.rate_limit,
            self._physics.acceleration_limit,
            self.nominal.friction if self._control.feed_forward else None,
        )
        self._reference = reference
        self._following.reset()
        self._controller.reset(self._measurement.measured_force(self._plant.holding_force()))
        self.end = None
        return reference

    def command_forces(self, force: FloatArray) -> None:
        """Have the drives push with forces (n,) until the next call, or until another command."""
        force = np.asarray(force, dtype=float)
        count = len(self._physics.drives)
        if force.shape != (count,) or not np.all(np.isfinite(force)):
            raise ValueError(f"strut command: needs {count} finite forces")
        if self._plant.takes_places:
            raise ValueError(
                "strut command: these drives have a valve or a controller: they take lengths, not forces"
            )
        self._forces = force
        self.end = None

    @property
    def _is_falling(self) -> bool:
        """Whether nothing drives the plant, and its drives have no states that would."""
        return self._forces is None and not self.drives.enabled and self._plant.actuated is None

    def advance(self) -> None:
        """Let the controller act on the measured lengths and the plant move on, by one period."""
        if self._forces is None and self._following.acts:
            for _ in range(self._cycles):
                self._following.move(self._reference.step(), self._cycle)
                self._measurement.note()
            return
        start, last = self._plant.force, self._cycles - 1
        for cycle in range(self._cycles):
            if self._forces is not None:
                reached = self._limit_forces(self._forces)
                force = reached if cycle == last else start + (cycle + 1) / self._cycles * (reached - start)
            else:
                if cycle > 0:
                    self._measurement.refresh()
                reference = self._reference.step()
                command = self._controller.command(
                    self._measurement.length, reference.length, reference.feed_forward, self.drives.saturated
                )
                force = self._limit_forces(command)
            parts = FALLING_PARTS if self._is_falling else 1
            for _ in range(parts):
                self._plant.advance(force, self._cycle / parts)
            self._measurement.note()
