# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What drives a simulated machine: a trajectory, commanded lengths and poses, or forces from outside."""

from __future__ import annotations

import numpy as np

from pkm_identification.control.pid import ControlSettings, StrutController
from pkm_identification.errors import SettingsError
from pkm_identification.mechanisms.hexapod.drive import Drive
from pkm_identification.mechanisms.hexapod.kinematics import strut_lengths
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray

from .actuated.file_control import FileControl
from .actuated.place_following import PlaceFollowing
from .actuators import Drives
from .measurement import Measurement
from .plant import Plant
from .setpoints import LengthReference, TrajectoryReference
from .trajectories import Trajectory

# Limits of references made from single commands, where the machine names none.
DEFAULT_RATE_LIMIT = 0.3  # m/s
COMMAND_SHARE = 0.5  # of the machine's rate limit
COMMAND_ACCELERATION = 2.0  # m/s^2
START_TOLERANCE = 0.001  # m, between the struts and the start of a trajectory


class CommandedDrives:
    """Drives and controller of a plant, and the reference they follow.

    Commands are those of `Simulator`, which says what they refuse.

    Parameters
    ----------
    plant : Plant
    drive : Drive
        With the encoders' and motors' constants.
    measurement : Measurement
        What the controller knows of the plant.
    control : ControlSettings
    nominal : Machine
        What the controller believes.
    friction : bool
        Whether plant and nominal machine have friction.
    period : float
        s between samples.
    cycles : int
        Of control, in a period.

    Attributes
    ----------
    nominal : Machine
        As given, without friction where there is none.
    drives : Drives
    end : float or None
        s, when the trajectory is over; None when following commands.
    """

    drives: Drives
    end: float | None

    def __init__(
        self,
        plant: Plant,
        drive: Drive,
        measurement: Measurement,
        control: ControlSettings,
        *,
        nominal: Machine,
        friction: bool,
        period: float,
        cycles: int,
    ) -> None:
        self._plant, self._drive, self._measurement, self._control = plant, drive, measurement, control
        # whoever switches friction off tells the controller, too
        self.nominal = nominal if friction else nominal.without_friction()
        self._cycles, self._cycle = cycles, period / cycles
        self._machine = machine = plant.machine
        acting = machine if friction else machine.without_friction()
        self._controller = StrutController(plant.apparent_mass, acting.friction.viscous, self._cycle, control)
        law = FileControl.of(
            machine.control, lambda: Mechanism.from_machine(nominal), plant, measurement.read, self._limited
        )
        self._following = PlaceFollowing(plant, law)

    def reset(self, holding: FloatArray) -> None:
        """Back to the start, at rest under these forces (6,) in N."""
        self.drives = Drives(self._drive)
        self._forces: FloatArray | None = None
        self._reference: TrajectoryReference | LengthReference
        self._controller.reset(self._measurement.measured_force(holding))
        self._hold_here()
        self._plant.set_force(holding)

    def _limited(self, force: FloatArray) -> FloatArray:
        """What becomes of forces (6,) in N that the drives are asked for."""
        return self._measurement.true_force(self.drives.force(force))

    def follow(self, motion: Trajectory, time: float) -> None:
        """Follow a trajectory from now on, `time` in s; a fall switches the drives off."""
        reference = TrajectoryReference(motion, self.nominal, self._cycle, self._control.feed_forward)
        away = np.abs(reference.start.length - self._measurement.shown())
        if away.max() > START_TOLERANCE:
            i = int(np.argmax(away))
            raise SettingsError(
                f"trajectory '{motion.name}' starts at home; strut {i + 1} is {away[i]:.4f} m away: go there first"
            )
        self.enable(motion.drives)
        if motion.drives:
            self._reference = reference
            holding = self._measurement.measured_force(self._plant.holding_force())
            self._controller.reset(holding - reference.start.feed_forward)
        self.end = time + motion.duration

    def command_lengths(self, length: FloatArray, rate: FloatArray | None = None) -> None:
        """Go to strut lengths (6,) in m; give rates (6,) in m/s with a stream."""
        length = np.asarray(length, dtype=float)
        if length.shape != (STRUTS,) or (rate is not None and np.shape(rate) != (STRUTS,)):
            raise ValueError(f"strut command: needs {STRUTS} lengths (and as many rates, if any)")
        if not np.all(np.isfinite(length)) or (rate is not None and not np.all(np.isfinite(rate))):
            raise ValueError("strut command: holds a value that is not finite")
        low, high = self._machine.length_limits
        outside = np.flatnonzero((length < low) | (length > high))
        if outside.size:
            i = int(outside[0])
            raise ValueError(
                f"strut command: strut {i + 1}: {length[i]:.4f} m is outside the limits [{low:g}, {high:g}] m"
            )
        reference = self._reference
        if self._forces is not None or not isinstance(reference, LengthReference):
            reference = self._hold_here()
        reference.command(length, rate)

    def command_pose(self, position: FloatArray, rotation: FloatArray) -> None:
        """Go to a platform pose, position (3,) in m and rotation (3, 3) in the base frame."""
        lengths = strut_lengths(
            self.nominal, np.asarray(position, dtype=float)[None], np.asarray(rotation, dtype=float)[None]
        )
        self.command_lengths(lengths[0])

    def enable(self, on: bool) -> None:
        """Switch the drives on (they hold where the struts are) or off (forces vanish at once)."""
        self._hold_here()
        if self._plant.actuated is not None:
            self._plant.enable(on)
        elif not on:
            self._plant.set_force(np.zeros(STRUTS))
        self.drives.enabled = on

    def _hold_here(self) -> LengthReference:
        """Let the reference brake to a stop from the present motion."""
        limit = self._machine.rate_limit
        rate = self._controller.rate if self._forces is None else self._measurement.truth.rate
        self._forces = None
        reference = LengthReference(
            self._measurement.read(),
            rate,
            self._cycle,
            DEFAULT_RATE_LIMIT if limit is None else COMMAND_SHARE * limit,
            COMMAND_ACCELERATION,
            self.nominal.friction if self._control.feed_forward else None,
        )
        self._reference = reference
        self._following.reset()
        self._controller.reset(self._measurement.measured_force(self._plant.holding_force()))
        self.end = None
        return reference

    def command_forces(self, force: FloatArray) -> None:
        """Have the drives push with forces (6,) in N until the next call, or until another command."""
        force = np.asarray(force, dtype=float)
        if force.shape != (STRUTS,) or not np.all(np.isfinite(force)):
            raise ValueError(f"strut command: needs {STRUTS} finite forces")
        if self._plant.takes_places:
            raise ValueError(
                "strut command: these drives have a valve or a controller: they take lengths, not forces"
            )
        self._forces = force
        self.end = None

    def advance(self) -> None:
        """Let the controller act on the measured lengths and the plant move on, by one period."""
        if self._forces is None and self._following.acts:
            for _ in range(self._cycles):
                self._following.move(self._reference.step().length, self._cycle)
                self._measurement.note()
            return
        start, last = self._plant.force, self._cycles - 1
        for cycle in range(self._cycles):
            if self._forces is not None:
                reached = self._limited(self._forces)
                force = reached if cycle == last else start + (cycle + 1) / self._cycles * (reached - start)
            else:
                if cycle > 0:
                    self._measurement.refresh()
                reference = self._reference.step()
                command = self._controller.command(
                    self._measurement.length, reference.length, reference.feed_forward, self.drives.saturated
                )
                force = self._limited(command)
            self._plant.advance(force, self._cycle)
            self._measurement.note()
