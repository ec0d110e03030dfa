# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Workspace control in the controller: X' = k_p (X_c - X), turned into rates of the struts by J^-1."""

from __future__ import annotations

import numpy as np

from pkm_identification.mechanisms.hexapod.kinematics import jacobian
from pkm_identification.mechanisms.hexapod.kinematics.forward import OK, forward_kinematics
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import vector_from_matrix

from .follower import Setpoint


class WorkspaceErrors:
    """Errors of the platform as errors of struts, J^-1 (X_c - X).

    Times k_p they are the rates that bring the platform straight to where it is wanted, at the same rate in all
    directions. To first order they are the errors of the lengths.

    Parameters
    ----------
    machine : Machine
    """

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def __call__(self, setpoint: Setpoint, length: FloatArray) -> FloatArray:
        """Strut errors (6,) in m for measured lengths (6,) in m; NaN where these have no pose near the wanted one."""
        near = setpoint.position, setpoint.rotation
        found = forward_kinematics(self._machine, length[None], near)
        if found.status[0] != OK:
            return np.full(len(length), np.nan)
        turned = vector_from_matrix(setpoint.rotation @ found.rotation[0].T)
        gap = np.concatenate([setpoint.position - found.position[0], turned])
        return np.asarray(jacobian(self._machine, found.position, found.rotation)[0] @ gap)
