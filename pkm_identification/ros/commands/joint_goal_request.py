# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Goals of FollowJointTrajectory with their points as arrays, as `goal_request` reads those of execute_trajectory.

The rest of such a request, names and tolerances, is small and takes rclpy's own way, with the points out of its sight.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from control_msgs.action import FollowJointTrajectory
from numpy.typing import NDArray
from trajectory_msgs.msg import JointTrajectoryPoint, MultiDOFJointTrajectoryPoint

from pkm_identification.numerics.arrays import FloatArray

from ..clock import seconds
from .goal_request import TRAJECTORY, Taken, known_layout, points_of, read_by, take_floats, taken_again

Request = FollowJointTrajectory.Impl.SendGoalService.Request
PARTS = ("positions", "velocities", "accelerations", "effort")
_REQUEST = np.dtype(
    [("uuid", np.uint8, 16), ("trajectory", TRAJECTORY), ("multi_dof_trajectory", TRAJECTORY)]
)


@dataclass(frozen=True)
class JointGoal:
    """A goal of FollowJointTrajectory.

    Attributes
    ----------
    message : FollowJointTrajectory.Goal
        Without its points.
    given, others : int
        How many points it has, those of too many not being read; and how many of several degrees of freedom.
    counts : ndarray of int64, shape (N, 4)
        How many positions, velocities, accelerations and efforts a point has.
    time : ndarray, shape (N,)
        s.
    parts : tuple of three ndarray, shape (N, n)
        Positions, velocities, accelerations in the goal's order of joints; NaN where there are not as many as drives.
    """

    message: FollowJointTrajectory.Goal
    given: int
    others: int
    counts: NDArray[np.int64]
    time: FloatArray
    parts: tuple[FloatArray, ...]

    @classmethod
    def of(cls, message: FollowJointTrajectory.Goal, drives: int) -> JointGoal:
        """Return what a message says to a machine of so many drives."""
        points = message.trajectory.points
        counts = np.array([[len(getattr(one, name)) for name in PARTS] for one in points], dtype=np.int64)
        parts = tuple(
            np.array([take_floats(getattr(one, name), drives) for one in points], dtype=float).reshape(
                -1, drives
            )
            for name in PARTS[:3]
        )
        time = np.array([seconds(one.time_from_start) for one in points], dtype=float)
        others = len(message.multi_dof_trajectory.points)
        return cls(message, len(points), others, counts.reshape(-1, len(PARTS)), time, parts)


@contextmanager
def _hide_points(address: int) -> Iterator[None]:
    """A sequence is empty for whoever looks at its size, a word at this address, meanwhile."""
    size = ctypes.c_size_t.from_address(address)
    given = size.value
    size.value = 0
    try:
        yield
    finally:
        size.value = given


@cache
def _find_converter() -> Any:
    """Return the function that turns a request at an address into its message."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    return ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p)(pointer(Request._CONVERT_TO_PY, None))


def _locate_point_count(trajectory: str) -> int:
    """Return where in a request the number of a trajectory's points stands."""
    offset = 0
    for record, name in (_REQUEST, trajectory), (TRAJECTORY, "points"), (TRAJECTORY["points"], "size"):
        fields: Any = record.fields
        offset += fields[name][1]
    return offset


def _take(address: int, drives: int) -> Taken:
    request = np.frombuffer(ctypes.string_at(address, _REQUEST.itemsize), _REQUEST)[0]
    points = points_of(request["trajectory"], (drives, drives, drives, 0), False)
    with ExitStack() as hidden:
        for trajectory in ("trajectory", "multi_dof_trajectory"):
            hidden.enter_context(_hide_points(address + _locate_point_count(trajectory)))
        message = _find_converter()(address)
    others = int(request["multi_dof_trajectory"]["points"]["size"])
    goal = JointGoal(message.goal, points.given, others, points.counts, points.time, points.parts)
    return Taken(message.goal_id, goal)


@cache
def joint_goal_request(drives: int) -> type:
    """Return the class of requests of FollowJointTrajectory to a machine of so many drives."""
    return read_by(Request, lambda address: _take(address, drives), "JointGoalRequest")


@cache
def known_joint_layout(drives: int = 6) -> bool:
    """Return whether these requests, too, are laid out in memory as this module takes for granted."""
    if not known_layout(drives):
        return False
    request = Request()
    request.goal_id.uuid = np.arange(16, dtype=np.uint8)
    request.goal.trajectory.joint_names = ["a", "a longer name"]
    request.goal.trajectory.header.frame_id = "frame"
    request.goal.goal_time_tolerance.sec = 3
    request.goal.multi_dof_trajectory.points = [MultiDOFJointTrajectoryPoint()] * 2
    for k in range(3):
        point = JointTrajectoryPoint(
            positions=[k + 0.1 * i for i in range(drives)],
            velocities=[1.0 * k] * (drives * (k % 2)),
            effort=[1.0] * k,
        )
        point.time_from_start.sec, point.time_from_start.nanosec = k - 1, 500 + k
        request.goal.trajectory.points.append(point)
    taken = taken_again(request, joint_goal_request(drives))
    if taken is None:
        return False
    expected = JointGoal.of(request.goal, drives)
    arrays = [(goal.counts, goal.time, *goal.parts) for goal in (taken.goal, expected)]
    request.goal.trajectory.points, request.goal.multi_dof_trajectory.points = [], []
    return (
        bytes(taken.goal_id.uuid) == bytes(request.goal_id.uuid)
        and taken.goal.message == request.goal
        and (taken.goal.given, taken.goal.others) == (3, 2)
        and all(np.array_equal(a, b, equal_nan=a.dtype.kind == "f") for a, b in zip(*arrays, strict=True))
    )
