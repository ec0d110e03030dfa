# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Workspace control: X' = k_p (X_c - X), turned into rates of the drives by J^-1.

A position loop with gain k_p in a drive asks for the rate k_p (q_c - q). Its wanted coordinate q + J^-1 (X_c - X) makes
that J^-1 X': the platform goes straight to where it is wanted, at the same rate in all directions, and not each drive
by itself.
"""

from __future__ import annotations

from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.numerics.arrays import FloatArray

from .space import Space


class WorkspaceControl:
    """Wanted coordinates of position loops whose error is that of the workspace.

    Parameters
    ----------
    mechanism : Mechanism
        In float64: what is believed.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self._space = Space(mechanism, workspace=True)
        self._near: FloatArray | None = None
        self._wanted: FloatArray | None = None

    def reset(self) -> None:
        """Forget where the mechanism was."""
        self._near = self._wanted = None

    def reference(self, drive: FloatArray, wanted: FloatArray) -> FloatArray:
        """Coordinates (n,) to give to the position loops, for shown and wanted ones (n,).

        Raises
        ------
        MotionRefused
            If one of both is out of reach, or the mechanism is singular.
        """
        space = self._space
        self._near = here = space.configuration(drive, self._near)
        self._wanted = there = space.configuration(wanted, self._wanted)
        return drive + space.inverse_jacobian(here) @ space.error(there, here)
