# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The kinematic services: a pose for lengths, lengths for a pose, or the reason why not."""

from __future__ import annotations

import numpy as np
from geometry_msgs.msg import Pose

from pkm_identification.mechanisms.hexapod.kinematics import (
    DEGRADED,
    FAILED,
    forward_kinematics,
    strut_lengths,
)
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.srv import SolveForward, SolveInverse

from ..messages.convert import bounded, fill_pose, pose_of


def reachable_lengths(machine: Machine, pose: Pose) -> tuple[FloatArray | None, str]:
    """Strut lengths (6,) in m of a pose message, or None and why the machine cannot be there."""
    try:
        position, rotation = pose_of(pose)
    except ValueError as error:
        return None, str(error)
    length = strut_lengths(machine, position[None], rotation[None])[0]
    low, high = machine.length_limits
    bad = [f"strut {i + 1} ({length[i]:.4f} m)" for i in range(STRUTS) if not low <= length[i] <= high]
    if bad:
        return None, f"{', '.join(bad)} outside the limits [{low:g}, {high:g}] m"
    return length, ""


def solve_inverse(
    machine: Machine, request: SolveInverse.Request, response: SolveInverse.Response
) -> SolveInverse.Response:
    """Answer `solve_inverse`."""
    length, problem = reachable_lengths(machine, request.pose)
    response.success = length is not None
    response.message = problem or "ok"
    if length is not None:
        response.length = length
    return response


def solve_forward(
    machine: Machine, request: SolveForward.Request, response: SolveForward.Response
) -> SolveForward.Response:
    """Answer `solve_forward`."""
    length = np.array(request.length)
    result = forward_kinematics(machine, length[None])
    response.status = int(result.status[0])
    response.iterations = int(result.iterations[0])
    response.residual = bounded(result.residual[0])
    response.condition = bounded(result.condition[0])
    response.success = response.status != FAILED
    response.pose.orientation.w = 1.0
    if response.success:
        fill_pose(response.pose, result.position[0], result.rotation[0])
        response.message = "near a singular pose" if response.status == DEGRADED else "ok"
    else:
        response.message = (
            f"no pose has lengths {length.tolist()} m: iteration ended {response.residual:.2g} m off"
        )
    return response
