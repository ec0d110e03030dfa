# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Goals as arrays: a request of execute_trajectory is read where rclpy keeps it, without an object for every number.

rclpy turns a request into Python objects before anybody can look at it: of ten thousand waypoints that takes a second
in which the control loop stands still. The function that does so is found by the request's class; `goal_request` gives
the same request with another function, which looks at the number of waypoints first and copies them as arrays.

The C structures are those that rosidl_generator_c writes for the messages; `known_layout` tries them, and where a
middleware's differ the ordinary way is taken.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from types import new_class
from typing import Any

import numba
import numpy as np
from geometry_msgs.msg import Transform, Twist
from numba.core import cgutils, types
from numba.extending import intrinsic
from numpy.typing import NDArray
from rclpy.serialization import deserialize_message, serialize_message
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint, MultiDOFJointTrajectoryPoint

from pkm_identification.action import ExecuteTrajectory
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel

Request = ExecuteTrajectory.Impl.SendGoalService.Request
MOST_POINTS = 10_000
LONGEST_TEXT = 200  # bytes of a name
POSE = (7, 6, 6)  # numbers of a point's parts that are taken

_TEXT = np.dtype([("data", np.uintp), ("size", np.uintp), ("capacity", np.uintp)])
_SEQUENCE = _TEXT
TRAJECTORY = np.dtype([
    ("sec", np.int32), ("nanosec", np.uint32), ("frame", _TEXT), ("names", _SEQUENCE), ("points", _SEQUENCE),
])  # fmt: skip
_REQUEST = np.dtype([("uuid", np.uint8, 16), ("trajectory", TRAJECTORY), ("struts", TRAJECTORY)])


@dataclass(frozen=True)
class Points:
    """Waypoints of one of the two kinds, as they came.

    Attributes
    ----------
    stamped : bool
    frame : str
    names : list of str
    given : int
        How many there are; more than MOST_POINTS are not read.
    counts : ndarray of int64, shape (N, P)
        How many of each part a point has: transforms, velocities, accelerations; or positions, velocities,
        accelerations, efforts.
    time : ndarray, shape (N,)
        s.
    parts : tuple of ndarray
        Of each part that is taken an array: (N, 7) of places and quaternions, (N, 6) of twists, or (N, n) of drives;
        NaN where there is none.
    """

    stamped: bool
    frame: str
    names: list[str]
    given: int
    counts: NDArray[np.int64]
    time: FloatArray
    parts: tuple[FloatArray, ...]


@dataclass(frozen=True)
class Goal:
    """A goal of poses or of the drives' coordinates."""

    trajectory: Points
    struts: Points

    @classmethod
    def of(cls, message: ExecuteTrajectory.Goal, drives: int) -> Goal:
        """Return what a message says to a machine of so many drives."""
        poses, struts = message.trajectory.points, message.struts.points
        return cls(
            _read_message(
                message.trajectory,
                [
                    [_read_seven(p.transforms), _read_six(p.velocities), _read_six(p.accelerations)]
                    for p in poses
                ],
                [(len(p.transforms), len(p.velocities), len(p.accelerations)) for p in poses],
            ),
            _read_message(
                message.struts,
                [[take_floats(p.positions, drives), take_floats(p.velocities, drives)] for p in struts],
                [(len(p.positions), len(p.velocities), len(p.accelerations), len(p.effort)) for p in struts],
            ),
        )


def _read_seven(transforms: Any) -> list[float]:
    if len(transforms) != 1:
        return [np.nan] * 7
    position, turn = transforms[0].translation, transforms[0].rotation
    return [position.x, position.y, position.z, turn.x, turn.y, turn.z, turn.w]


def _read_six(twists: Any) -> list[float]:
    if len(twists) != 1:
        return [np.nan] * 6
    v, w = twists[0].linear, twists[0].angular
    return [v.x, v.y, v.z, w.x, w.y, w.z]


def take_floats(numbers: Any, count: int) -> list[float]:
    """Return so many numbers; NaN where there are more or fewer."""
    return list(numbers) if len(numbers) == count else [np.nan] * count


def _read_message(trajectory: Any, parts: list[list[list[float]]], counts: list[tuple[int, ...]]) -> Points:
    stamp, width = trajectory.header.stamp, 4 if isinstance(trajectory, JointTrajectory) else 3
    return Points(
        stamped=bool(stamp.sec or stamp.nanosec),
        frame=trajectory.header.frame_id[:LONGEST_TEXT],
        names=list(trajectory.joint_names),
        given=len(parts),
        counts=np.array(counts, dtype=np.int64).reshape(-1, width),
        time=np.array([p.time_from_start.sec + 1e-9 * p.time_from_start.nanosec for p in trajectory.points]),
        parts=tuple(
            np.array([point[k] for point in parts], dtype=float) for k in range(2 if width == 4 else 3)
        ),
    )


@intrinsic
def _make_pointer(typing: Any, address: Any) -> Any:
    """Return a pointer to an address."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], cgutils.voidptr_t)

    return types.voidptr(address), code


@kernel
def _copy(address, stride, widths, by_element, counts, time, parts):
    """Copy points `stride` bytes apart; parts of `by_element` hold all their numbers in one element."""
    for n in range(counts.shape[0]):
        words = numba.carray(_make_pointer(address + n * stride), (stride // 8,), np.uint64)  # type: ignore[call-arg]
        for p in range(counts.shape[1]):
            counts[n, p] = words[3 * p + 1]
            width = widths[p]
            needed = 1 if by_element else width
            if width > 0 and counts[n, p] == needed:
                numbers = numba.carray(_make_pointer(words[3 * p]), (width,), np.float64)
                for k in range(width):
                    parts[n, p, k] = numbers[k]
        clock = words[3 * counts.shape[1]]
        seconds = np.int64(clock & np.uint64(0xFFFFFFFF))
        if seconds >= 2**31:
            seconds -= 2**32
        time[n, 0], time[n, 1] = seconds, np.int64(clock >> np.uint64(32))


def _read_text(text: Any) -> str:
    size = min(int(text["size"]), LONGEST_TEXT)
    return ctypes.string_at(int(text["data"]), size).decode(errors="replace") if size else ""


def points_of(trajectory: Any, widths: tuple[int, ...], by_element: bool) -> Points:
    """Waypoints of a `TRAJECTORY`, as long as the request it is of lives.

    Parameters
    ----------
    trajectory : record of TRAJECTORY
    widths : tuple of int
        Numbers of each part of a point; 0 for one that is counted only.
    by_element : bool
        Whether a part holds all its numbers in one element.
    """
    names = np.empty(0, _TEXT)
    if count := min(int(trajectory["names"]["size"]), MOST_POINTS):
        names = np.frombuffer(
            ctypes.string_at(int(trajectory["names"]["data"]), count * _TEXT.itemsize), _TEXT
        )
    points = trajectory["points"]
    given = int(points["size"])
    count = given if given <= MOST_POINTS else 0
    counts, time = (np.zeros((count, n), dtype=np.int64) for n in (len(widths), 2))
    parts = np.full((count, len(widths), max(widths)), np.nan)
    if count:
        stride = 24 * len(widths) + 8
        _copy(int(points["data"]), stride, np.array(widths), by_element, counts, time, parts)
    return Points(
        stamped=bool(trajectory["sec"] or trajectory["nanosec"]),
        frame=_read_text(trajectory["frame"]),
        names=[_read_text(name) for name in names],
        given=given,
        counts=counts,
        time=time[:, 0] + 1e-9 * time[:, 1],
        parts=tuple(parts[:, p, :width].copy() for p, width in enumerate(widths) if width),
    )


@dataclass
class Taken:
    """What the action server sees of a request."""

    goal_id: Any
    goal: Any


def _read_identifier(uuid: NDArray[np.uint8]) -> Any:
    identity = Request().goal_id
    identity.uuid = uuid
    return identity


def read_by(request: type, read: Callable[[int], Any], name: str) -> type:
    """Return a request class of which rclpy makes what a function gives for its address.

    Parameters
    ----------
    request : type
        The message class; what rclpy asks it for is its own, but for that.
    read : callable
    name : str
    """
    function = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p)(read)
    capsule = ctypes.pythonapi.PyCapsule_New
    capsule.restype, capsule.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    # the function lives as long as the class
    own = {"_CONVERT_TO_PY": capsule(ctypes.cast(function, ctypes.c_void_p), None, None), "_READ": function}
    meta = type(f"{name}Meta", (type(request),), own)
    return meta(name, (), {"__doc__": f"A {request.__name__} read from where rclpy keeps it."})


@cache
def goal_request(drives: int) -> type:
    """Return the class of requests of execute_trajectory to a machine of so many drives."""

    def take(address: int) -> Taken:
        request = np.frombuffer(ctypes.string_at(address, _REQUEST.itemsize), _REQUEST)[0]
        driven = (drives, drives, 0, 0)
        goal = Goal(points_of(request["trajectory"], POSE, True), points_of(request["struts"], driven, False))
        return Taken(_read_identifier(request["uuid"].copy()), goal)

    return read_by(Request, take, "GoalRequest")


def taking(action: Any, request: type) -> Any:
    """Return an action, as an action server may be configured to take its requests: as a class that `read_by` made."""
    service = _replace_field(action.Impl.SendGoalService, Request=request)
    return _replace_field(action, Impl=_replace_field(action.Impl, SendGoalService=service))


def _replace_field(base: type, **own: Any) -> Any:
    return new_class(f"{base.__name__}AsArrays", (base,), exec_body=lambda inside: inside.update(own))


def taken_again(message: Any, request: type) -> Taken | None:
    """A request written as it is sent and read as a class that `read_by` made; None where that fails."""
    try:
        return deserialize_message(serialize_message(message), request)
    except (AttributeError, TypeError, RuntimeError):
        return None


@cache
def known_layout(drives: int = 6) -> bool:
    """Return whether requests are laid out in memory as this module takes for granted; compiles what reads them."""
    if ctypes.sizeof(ctypes.c_void_p) != 8:
        return False
    request = Request(goal_id=_read_identifier(np.arange(16, dtype=np.uint8)))
    poses, struts = request.goal.trajectory, request.goal.struts
    poses.header.frame_id, poses.joint_names, struts.joint_names = "frame", ["a"], ["b", "a longer name"]
    struts.header.stamp.sec = 7
    for k in range(3):
        point = MultiDOFJointTrajectoryPoint(transforms=[Transform()], velocities=[Twist()] * (k % 2))
        point.time_from_start.sec, point.time_from_start.nanosec = k - 1, 500 + k
        for i, name in enumerate("xyz"):
            setattr(point.transforms[0].translation, name, 10.0 * k + i)
        poses.points.append(point)
        struts.points.append(
            JointTrajectoryPoint(positions=[k + 0.1 * i for i in range(drives)], effort=[1.0] * k)
        )
    taken = taken_again(request, goal_request(drives))
    if taken is None:
        return False
    expected = Goal.of(request.goal, drives)
    return bytes(taken.goal_id.uuid) == bytes(request.goal_id.uuid) and all(
        _are_same(getattr(taken.goal, kind), getattr(expected, kind)) for kind in ("trajectory", "struts")
    )


def _are_same(a: Points, b: Points) -> bool:
    plain = [(p.stamped, p.frame, p.names, p.given) for p in (a, b)]
    arrays = [(p.counts, p.time, *p.parts) for p in (a, b)]
    return plain[0] == plain[1] and all(
        np.array_equal(x, y, equal_nan=x.dtype.kind == "f") for x, y in zip(*arrays, strict=True)
    )
