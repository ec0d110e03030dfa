# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What plants whose drives may have states have alike: commands, wanted coordinates, what the drives report."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from pkm_identification.errors import SettingsError
from pkm_identification.numerics.arrays import FloatArray

from .drives import ActuatorDrives


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
    time: float
    apparent_mass: FloatArray

    @property
    @abstractmethod
    def force(self) -> FloatArray:
        """Drive forces (n,) in N (N m)."""

    @property
    @abstractmethod
    def encoder(self) -> FloatArray:
        """Coordinates (n,) the encoders are on, m or rad."""

    @property
    @abstractmethod
    def state(self) -> Any:
        """Everything about this instant; with `coordinate` and `rate` of the drives."""

    @abstractmethod
    def advance(self, force: FloatArray, duration: float) -> None:
        """Move on by `duration` (s) while the drive forces go linearly from their last values to `force` (n,)."""

    @abstractmethod
    def set_force(self, force: FloatArray) -> None:
        """Let the drive forces jump to `force` (n,)."""

    @abstractmethod
    def holding_force(self) -> FloatArray:
        """Return drive forces (n,) that keep the machine from accelerating where it is, friction apart."""

    def enable(self, on: bool) -> None:
        """Switch drives with states on or off; those without are off when their force is zero."""
        if self.actuated is not None:
            self.actuated.enable(on)

    @abstractmethod
    def _advance_actuated(self, drives: ActuatorDrives, duration: float) -> None:
        """Move on by `duration` (s) with drives that know what they are asked for."""

    def _actuators(self, refusal: str) -> ActuatorDrives:
        """The drives with states; raises SettingsError where there are none."""
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
        return self.force if self.actuated is None else self.actuated.reported()
