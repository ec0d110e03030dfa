# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""A machine as `assets/machine_view.js` draws it."""

from __future__ import annotations

from typing import Any

import numpy as np

from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import build_quaternion_from_matrix


def machine_scene(machine: Machine) -> dict[str, Any]:
    """Return what `new PkmMachineView(element, machine)` takes, ready for JSON.

    Parameters
    ----------
    machine : Machine

    Returns
    -------
    dict
        `base_joints` and `platform_joints` (6 x 3, m, base and platform frame), `base_joint` and `platform_joint`
        (their kinds), `first_axes` (6 x 3), `home` (as of `poses`), `length_limits` (m) and `name`.
    """
    return {
        "name": machine.name,
        "base_joints": machine.base_joints.tolist(),
        "platform_joints": machine.platform_joints.tolist(),
        "base_joint": machine.base_joint,
        "platform_joint": machine.platform_joint,
        "first_axes": machine.first_axes.tolist(),
        "home": poses(machine.home_position[None], machine.home_rotation[None])[0].tolist(),
        "length_limits": machine.length_limits.tolist(),
    }


def poses(position: FloatArray, rotation: FloatArray) -> FloatArray:
    """Poses as `setPose` of the view takes them.

    Parameters
    ----------
    position : ndarray, shape (N, 3)
        Of the platform frame's origin in the base frame, m.
    rotation : ndarray, shape (N, 3, 3)
        From platform to base axes.

    Returns
    -------
    ndarray, shape (N, 7)
        Position in m, then the quaternion x, y, z, w.
    """
    return np.hstack([position, build_quaternion_from_matrix(rotation)])
