# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The kinematic services of a platform with a pose: a pose for coordinates of the drives and back, or why not."""

from __future__ import annotations

import numpy as np
from geometry_msgs.msg import Pose

from pkm_identification.machines.capabilities import PlatformPose
from pkm_identification.machines.contract import DEGRADED, FAILED, OTHER_MODE, Tracker
from pkm_identification.motion import TrackedSample
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.srv import SolveForward, SolveInverse

from ..messages.convert import doubles, fill_pose, limit_number, pose_of
from ..messages.machine_motion import MotionMessages


class KinematicServices:
    """Answers `solve_forward` and `solve_inverse`.

    Parameters
    ----------
    machine : PlatformPose
    tracker : Tracker
        Of the machine, for nobody else.
    """

    def __init__(self, machine: PlatformPose, tracker: Tracker) -> None:
        self._machine, self._tracker = machine, tracker
        self._messages = MotionMessages(machine, tracker)

    def find_coordinates(self, pose: Pose) -> tuple[FloatArray | None, str]:
        """Return the drives' coordinates (n,) at a pose, or None and why the machine cannot be there."""
        try:
            position, rotation = pose_of(pose)
        except ValueError as error:
            return None, str(error)
        still = np.zeros((1, 6))
        motion = self._machine.compute_motion_of_pose(position[None], rotation[None], still, still)
        coordinate = motion.coordinate[0]
        if motion.status[0] in (FAILED, OTHER_MODE) and not np.isfinite(coordinate).all():
            return None, "the pose is out of reach"
        bad = [
            f"{drive.joint} ({value:.4f} {drive.unit}, allowed [{drive.lowest:g}, {drive.highest:g}])"
            for drive, value in zip(self._machine.drives, coordinate, strict=True)
            if not drive.lowest <= value <= drive.highest
        ]
        return (None, f"{', '.join(bad)} outside the limits") if bad else (coordinate, "")

    def solve_inverse(
        self, request: SolveInverse.Request, response: SolveInverse.Response
    ) -> SolveInverse.Response:
        """Answer `solve_inverse`."""
        coordinate, problem = self.find_coordinates(request.pose)
        response.success = coordinate is not None
        response.message = problem or "ok"
        if coordinate is not None:
            response.coordinate = doubles(coordinate)
        return response

    def solve_forward(
        self, request: SolveForward.Request, response: SolveForward.Response
    ) -> SolveForward.Response:
        """Answer `solve_forward`; each is looked for from home."""
        coordinate, tracker = np.array(request.coordinate), self._tracker
        response.pose.orientation.w = 1.0
        if len(coordinate) != len(self._machine.drives):
            response.status = FAILED
            response.message = f"{len(coordinate)} coordinates, expected {len(self._machine.drives)}"
            return response
        still = np.zeros(len(coordinate))
        tracker.reset()
        status = tracker.step(coordinate, still, still)
        response.status = min(status, FAILED)
        response.residual = limit_number(tracker.residual)
        response.iterations, response.condition = self._messages.details()
        response.success = status < FAILED
        if response.success:
            sample = TrackedSample(
                0.0, coordinate, still, still, None, 0, tracker.row, status, tracker.residual
            )
            position, rotation = self._machine.compute_pose(self._messages.motion_of(sample))
            fill_pose(response.pose, position[0], rotation[0])
            response.message = "near a singular pose" if status == DEGRADED else "ok"
        else:
            units = "/".join(sorted({drive.unit for drive in self._machine.drives}))
            off = f"iteration ended {response.residual:.2g} {units} off"
            response.message = f"no pose has {coordinate.tolist()} {units}: {off}"
        return response
