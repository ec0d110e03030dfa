# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Goals of execute_trajectory: what they mean, and why one is refused when it means nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pkm_identification.control.paths.joint_waypoints import joint_waypoints
from pkm_identification.control.paths.waypoints import DriveWaypoints, Waypoints
from pkm_identification.errors import MotionRefused
from pkm_identification.machines.capabilities import PlatformPose, has
from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import matrix_from_quaternion

from .goal_request import MOST_POINTS, Goal, Points

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
