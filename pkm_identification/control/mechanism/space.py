# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The space in which a mechanism's error is taken: driven coordinates, or the workspace.

The workspace is the platform's pose where the description names one (`pose`), else the outputs. With X the place there
and q the driven coordinates, q' = J^-1 X'; J^-1 is square and needs no inversion, as q' for unit rates X' is what the
closed loops give.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.mechanisms.multibody.kinematics import body_poses, close_drives, moving, read
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import vector_from_matrix


class Space:
    """Errors and rates of a mechanism in the driven coordinates or in the workspace.

    Parameters
    ----------
    mechanism : Mechanism
        In float64.
    workspace : bool

    Attributes
    ----------
    task : str
        'drives', 'outputs' or 'pose'.
    """

    def __init__(self, mechanism: Mechanism, workspace: bool) -> None:
        self.mechanism = mechanism
        self._body = -1
        self.task = "drives"
        if workspace:
            pose = mechanism.description.pose
            self.task = "outputs" if pose is None else "pose"
            names = [body.name for body in mechanism.description.bodies]
            self._body = -1 if pose is None else names.index(pose)

    def configuration(self, drive: FloatArray, near: FloatArray | None = None) -> FloatArray:
        """Closed configuration (Q,) of driven coordinates (n,).

        Raises
        ------
        MotionRefused
            If there is none in home's assembly mode.
        """
        start = None if near is None else near[None]
        closed = close_drives(self.mechanism, drive[None], start).required(drive[None], "drives")
        return np.asarray(closed[0])

    def inverse_jacobian(self, configuration: FloatArray) -> FloatArray:
        """J^-1 (n, n): rates of the driven coordinates per unit rate in this space."""
        count = self.mechanism.degrees_of_freedom
        if self.task == "drives":
            return np.eye(count)
        tiled = np.repeat(configuration[None], count, axis=0)
        motion = moving(self.mechanism, tiled, np.eye(count), np.zeros((count, count)), self.task)
        return np.ascontiguousarray(motion.drive_rate.T)

    def error(self, wanted: FloatArray, configuration: FloatArray) -> FloatArray:
        """Wanted less present place (n,) of closed configurations (Q,): m and rad, of a pose (p, rotation vector)."""
        both = np.array([wanted, configuration])
        if self.task != "pose":
            there, here = read(self.mechanism, self.task, both)
            return np.asarray(there - here)
        rotation, position = body_poses(self.mechanism, both)
        turn = rotation[0, self._body] @ rotation[1, self._body].T
        gap = position[0, self._body] - position[1, self._body]
        return np.concatenate([gap, vector_from_matrix(turn)])
