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
    """

    actuated: ActuatorDrives | None = None
    time: float

    @property
    @abstractmethod
    def force(self) -> FloatArray:
        """Drive forces (n,) in N (N m)."""

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
