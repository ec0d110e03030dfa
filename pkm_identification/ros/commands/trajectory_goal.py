"""Goals of execute_trajectory: what a message means, and why it is refused when it means nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from trajectory_msgs.msg import (
    JointTrajectory,
    JointTrajectoryPoint,
    MultiDOFJointTrajectory,
    MultiDOFJointTrajectoryPoint,
)

from pkm_identification.action import ExecuteTrajectory
from pkm_identification.control.path import Waypoints
from pkm_identification.control.strut_waypoints import strut_waypoints
from pkm_identification.errors import MotionRefused
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import matrix_from_quaternion

MOST_POINTS = 10_000


def waypoints_of(
    goal: ExecuteTrajectory.Goal, machine: Machine, base_frame: str, joint_names: Sequence[str]
) -> Waypoints:
    """The waypoints of a goal, poses or strut lengths; see ExecuteTrajectory.action.

    Parameters
    ----------
    goal : ExecuteTrajectory.Goal
    machine : Machine
    base_frame : str
        Frame of poses.
    joint_names : sequence of str
        Of struts 1 to 6.

    Raises
    ------
    MotionRefused
        If it is not what the action's definition asks for: says what, and of which waypoint.
    """
    poses, struts = goal.trajectory, goal.struts
    if poses.points and struts.points:
        raise MotionRefused(
            f"both {len(poses.points)} poses (trajectory) and {len(struts.points)} rows of strut lengths (struts): "
            "give one of them"
        )
    if not poses.points and not struts.points:
        raise MotionRefused("no waypoints: give poses (trajectory) or strut lengths (struts)")
    given = poses if poses.points else struts
    if given.header.stamp.sec or given.header.stamp.nanosec:
        raise MotionRefused("trajectory with a stamp: motions begin at once, the stamp must be 0")
    if len(given.points) > MOST_POINTS:
        raise MotionRefused(f"{len(given.points)} waypoints: at most {MOST_POINTS} are taken")
    return _of_poses(poses, base_frame) if poses.points else _of_struts(struts, machine, joint_names)


def _of_struts(trajectory: JointTrajectory, machine: Machine, joint_names: Sequence[str]) -> Waypoints:
    names = list(trajectory.joint_names or joint_names)
    if sorted(names) != sorted(joint_names):
        raise MotionRefused(f"struts named {', '.join(names)[:80]}: expected {', '.join(joint_names)}")
    order = [names.index(name) for name in joint_names]
    count = len(trajectory.points)
    time, length, rate = np.empty(count), np.empty((count, STRUTS)), np.full((count, STRUTS), np.nan)
    for i, point in enumerate(trajectory.points):
        if len(point.positions) != STRUTS or len(point.velocities) not in (0, STRUTS):
            raise MotionRefused(
                f"waypoint {i + 1}: has {len(point.positions)} strut lengths and {len(point.velocities)} rates, needs "
                f"{STRUTS} lengths, and no rates or {STRUTS}"
            )
        if point.accelerations or point.effort:
            raise MotionRefused(f"waypoint {i + 1}: accelerations and efforts of struts are not taken")
        time[i] = _time(point)
        length[i] = np.array(point.positions)[order]
        if point.velocities:
            rate[i] = np.array(point.velocities)[order]
            if not np.isfinite(rate[i]).all():
                raise MotionRefused(f"waypoint {i + 1}: a rate is not finite")
    return strut_waypoints(machine, time, length, rate)


def _of_poses(trajectory: MultiDOFJointTrajectory, base_frame: str) -> Waypoints:
    header, points = trajectory.header, trajectory.points
    if header.frame_id not in ("", base_frame):
        raise MotionRefused(f"trajectory in frame '{header.frame_id}', expected '{base_frame}'")
    if len(trajectory.joint_names) > 1:
        raise MotionRefused(f"trajectory of {len(trajectory.joint_names)} joints: there is one platform")
    count = len(points)
    time, position, rotation = np.empty(count), np.empty((count, 3)), np.empty((count, 3, 3))
    twist, acceleration = np.empty((count, 6)), np.empty((count, 6))
    for i, point in enumerate(points):
        if len(point.transforms) != 1 or len(point.velocities) > 1 or len(point.accelerations) > 1:
            raise MotionRefused(
                f"waypoint {i + 1}: needs one transform and at most one velocity and one acceleration"
            )
        time[i] = _time(point)
        place, q = point.transforms[0].translation, point.transforms[0].rotation
        position[i] = place.x, place.y, place.z
        try:
            rotation[i] = matrix_from_quaternion(np.array([q.x, q.y, q.z, q.w]))
        except ValueError as error:
            raise MotionRefused(f"waypoint {i + 1}: {error}") from None
        twist[i] = _six(point.velocities, i)
        acceleration[i] = _six(point.accelerations, i)
    return Waypoints(time, position, rotation, twist, acceleration)


def _time(point: JointTrajectoryPoint | MultiDOFJointTrajectoryPoint) -> float:
    return point.time_from_start.sec + 1e-9 * point.time_from_start.nanosec


def _six(twists: list, i: int) -> FloatArray:
    """Six numbers of a list of one Twist; NaN, left to the curve, of an empty one."""
    if not twists:
        return np.full(6, np.nan)
    v, w = twists[0].linear, twists[0].angular
    numbers = np.array([v.x, v.y, v.z, w.x, w.y, w.z])
    if not np.isfinite(numbers).all():
        raise MotionRefused(f"waypoint {i + 1}: a velocity or acceleration is not finite")
    return numbers
