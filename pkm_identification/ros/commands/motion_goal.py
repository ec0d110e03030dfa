# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Goals of execute_trajectory from motions: those of `pkm excite`, or any other of `pkm simulate`."""

from __future__ import annotations

import numpy as np
from geometry_msgs.msg import Transform, Twist
from trajectory_msgs.msg import MultiDOFJointTrajectoryPoint

from pkm_identification.action import ExecuteTrajectory
from pkm_identification.motion import PlatformMotion
from pkm_identification.numerics.rotation import build_quaternion_from_matrix
from pkm_identification.simulation.trajectories import Trajectory

from ..clock import set_stamp

PERIOD = 0.02  # s, between waypoints with velocities and accelerations


def compute_goal_of_motion(path: Trajectory, period: float = PERIOD) -> ExecuteTrajectory.Goal:
    """A goal that has the controller follow a motion.

    Parameters
    ----------
    path : Trajectory
        Begins and ends at rest at home; of a file `trajectory("motion.yaml", machine)`.
    period : float
        s, between waypoints.
    """
    count = max(2, round(path.duration / period)) + 1
    # the platform is at the first waypoint when the motion begins
    motion = path.motion(np.linspace(0.0, path.duration, count)[1:])
    goal = ExecuteTrajectory.Goal()
    goal.trajectory.points = [_read_waypoint(motion, k) for k in range(len(motion))]
    return goal


def _read_waypoint(motion: PlatformMotion, k: int) -> MultiDOFJointTrajectoryPoint:
    transform = Transform()
    position, turn = transform.translation, transform.rotation
    position.x, position.y, position.z = motion.position[k].tolist()
    turn.x, turn.y, turn.z, turn.w = build_quaternion_from_matrix(motion.rotation[k]).tolist()
    point = MultiDOFJointTrajectoryPoint(
        transforms=[transform],
        velocities=[_read_twist(motion.twist[k].tolist())],
        accelerations=[_read_twist(motion.acceleration[k].tolist())],
    )
    set_stamp(point.time_from_start, float(motion.time[k]))
    return point


def _read_twist(numbers: list[float]) -> Twist:
    twist = Twist()
    twist.linear.x, twist.linear.y, twist.linear.z = numbers[:3]
    twist.angular.x, twist.angular.y, twist.angular.z = numbers[3:]
    return twist
