# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The action execute_trajectory: platform poses or drives' coordinates at given times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from rclpy.node import Node

from pkm_identification.action import ExecuteTrajectory
from pkm_identification.control.follower import Setpoint
from pkm_identification.control.motions import LONG, Motion, Outcome
from pkm_identification.control.paths.background_call import BackgroundCall
from pkm_identification.control.paths.joint_waypoints import joint_waypoints
from pkm_identification.control.paths.waypoints import DriveWaypoints, Waypoints
from pkm_identification.control.settings import Command
from pkm_identification.errors import MotionRefused
from pkm_identification.machines.capabilities import PlatformPose, has
from pkm_identification.machines.contract import DEGRADED, Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import build_vector_from_matrix, matrix_from_quaternion

from ..clock import set_stamp
from ..messages.convert import doubles, fill_pose
from .goal_request import MOST_POINTS, Goal, Points, goal_request, known_layout, taking
from .motion_action import MotionAction, MotionCalls

SHORTEST = 1e-12  # quaternion that has a direction, as `matrix_from_quaternion` takes it


def waypoints_of(
    goal: Goal, machine: Machine, base_frame: str, joint_names: Sequence[str]
) -> Waypoints | DriveWaypoints:
    """Return the waypoints of a goal, poses or drives' coordinates; see ExecuteTrajectory.action.

    Parameters
    ----------
    goal : Goal
    machine : Machine
    base_frame : str
        Frame of poses.
    joint_names : sequence of str
        Of the drives, in the order of the machine file.

    Raises
    ------
    MotionRefused
        If it is not what the action's definition asks for: says what, and of which waypoint.
    """
    poses, struts = goal.trajectory, goal.struts
    if poses.given and struts.given:
        raise MotionRefused(
            f"both {poses.given} poses (trajectory) and {struts.given} rows of drives' coordinates (struts): "
            "give one of them"
        )
    if not poses.given and not struts.given:
        raise MotionRefused("no waypoints: give poses (trajectory) or coordinates of the drives (struts)")
    given = poses if poses.given else struts
    if given.stamped:
        raise MotionRefused("trajectory with a stamp: motions begin at once, the stamp must be 0")
    if given.given > MOST_POINTS:
        raise MotionRefused(f"{given.given} waypoints: at most {MOST_POINTS} are taken")
    if not poses.given:
        return _read_drive_goal(struts, machine, joint_names)
    if not has(machine, PlatformPose):
        raise MotionRefused(
            f"trajectory: poses need a platform with a pose, and '{machine.name}' names none; give coordinates of the "
            "drives (struts)"
        )
    return _read_pose_goal(poses, base_frame)


def _read_drive_goal(
    given: Points, machine: Machine, joint_names: Sequence[str]
) -> Waypoints | DriveWaypoints:
    names = list(given.names or joint_names)
    if sorted(names) != sorted(joint_names):
        raise MotionRefused(f"struts named {', '.join(names)[:80]}: expected {', '.join(joint_names)}")
    order = [names.index(name) for name in joint_names]
    count = len(machine.drives)
    coordinates, rates, accelerations, efforts = given.counts.T
    if (i := _find_first((coordinates != count) | ~np.isin(rates, (0, count)))) is not None:
        raise MotionRefused(
            f"waypoint {i + 1}: has {coordinates[i]} coordinates and {rates[i]} rates, needs "
            f"{count} coordinates, and no rates or {count}"
        )
    if (i := _find_first((accelerations > 0) | (efforts > 0))) is not None:
        raise MotionRefused(f"waypoint {i + 1}: accelerations and efforts of drives are not taken")
    coordinate, rate = (part[:, order] for part in given.parts)
    if (i := _find_first((rates > 0) & ~np.isfinite(rate).all(axis=1))) is not None:
        raise MotionRefused(f"waypoint {i + 1}: a rate is not finite")
    return joint_waypoints(machine, given.time, coordinate, rate)


def _read_pose_goal(given: Points, base_frame: str) -> Waypoints:
    if given.frame not in ("", base_frame):
        raise MotionRefused(f"trajectory in frame '{given.frame}', expected '{base_frame}'")
    if len(given.names) > 1:
        raise MotionRefused(f"trajectory of {len(given.names)} joints: there is one platform")
    transforms, velocities, accelerations = given.counts.T
    if (i := _find_first((transforms != 1) | (velocities > 1) | (accelerations > 1))) is not None:
        raise MotionRefused(
            f"waypoint {i + 1}: needs one transform and at most one velocity and one acceleration"
        )
    pose, twist, acceleration = given.parts
    quaternion = pose[:, 3:]
    with np.errstate(over="ignore"):  # what overflows is refused
        size = np.linalg.norm(quaternion, axis=1)
    if (i := _find_first(~(np.isfinite(size) & (size >= SHORTEST)))) is not None:
        raise MotionRefused(f"waypoint {i + 1}: quaternion must be finite and not zero")
    for counts, six in ((velocities, twist), (accelerations, acceleration)):
        if (i := _find_first((counts > 0) & ~np.isfinite(six).all(axis=1))) is not None:
            raise MotionRefused(f"waypoint {i + 1}: a velocity or acceleration is not finite")
    return Waypoints(given.time, pose[:, :3].copy(), matrix_from_quaternion(quaternion), twist, acceleration)


def _find_first(bad: FloatArray) -> int | None:
    """Index of the first that is bad, None without any."""
    return int(np.argmax(bad)) if bad.any() else None


class TrajectoryAction(MotionAction):
    """The server of execute_trajectory.

    Parameters
    ----------
    node : Node
    machine : Machine
    base_frame : str
    joint_names : sequence of str
        Of the drives, in the order of the machine file.
    feedback_rate, calls
        See `MotionAction`.
    """

    def __init__(
        self,
        node: Node,
        machine: Machine,
        base_frame: str,
        joint_names: Sequence[str],
        feedback_rate: float,
        calls: MotionCalls,
    ) -> None:
        self._machine = machine
        self._posed = machine if has(machine, PlatformPose) else None
        self._frame = base_frame
        self._names = tuple(joint_names)
        super().__init__(node, ExecuteTrajectory, "execute_trajectory", feedback_rate, calls)
        count = len(machine.drives)
        if known_layout(count):
            self._server._action_type = taking(ExecuteTrajectory, goal_request(count))
            self._server.take_in_background(goal_request(count))

    def reading(self, request: Any) -> BackgroundCall[Motion]:
        goal = request if isinstance(request, Goal) else Goal.of(request, len(self._names))
        many = max(goal.trajectory.given, goal.struts.given) > LONG
        return BackgroundCall(many, self._motion, goal)

    def _motion(self, goal: Goal) -> Motion:
        return Motion(waypoints_of(goal, self._machine, self._frame, self._names))

    def result(self, outcome: Outcome) -> ExecuteTrajectory.Result:
        return ExecuteTrajectory.Result(
            error_code=outcome.code,
            error_string=outcome.text,
            rms_error=outcome.rms_error,
            max_error=outcome.max_error,
            rms_feedback=outcome.rms_feedback,
        )

    def feedback(
        self, request: Any, motion: Motion, setpoint: Setpoint, command: Command
    ) -> ExecuteTrajectory.Feedback:
        feedback = ExecuteTrajectory.Feedback()
        feedback.header.frame_id = self._frame
        set_stamp(feedback.header.stamp, command.time)
        measured = command.coordinate - command.error
        feedback.desired.orientation.w = feedback.actual.orientation.w = 1.0
        if self._posed is not None:
            self._fill_poses(feedback, self._posed, setpoint, measured)
        feedback.desired_coordinate = doubles(command.coordinate)
        feedback.actual_coordinate = doubles(measured)
        feedback.coordinate_error = doubles(command.error)
        return feedback

    @staticmethod
    def _fill_poses(
        feedback: ExecuteTrajectory.Feedback, machine: PlatformPose, setpoint: Setpoint, measured: FloatArray
    ) -> None:
        wanted, still = setpoint.now, np.zeros((1, len(measured)))
        position, rotation = (part[0] for part in machine.compute_pose(wanted))
        fill_pose(feedback.desired, position, rotation)
        found = machine.compute_motion(measured[None], still, still, wanted.state)
        if found.status[0] > DEGRADED:
            return
        there, turn = (part[0] for part in machine.compute_pose(found))
        fill_pose(feedback.actual, there, turn)
        feedback.position_error = float(np.linalg.norm(position - there))
        feedback.rotation_error = float(np.linalg.norm(build_vector_from_matrix(rotation @ turn.T)))
