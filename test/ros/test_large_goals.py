# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Goals of thousands of waypoints: counted before they are read, read as arrays, planned beside control."""

from __future__ import annotations

import math
import re
import sys
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version

import numpy as np
import pytest
import rclpy.action.server
from geometry_msgs.msg import Transform, Twist
from rclpy.action import ActionClient
from rclpy.serialization import deserialize_message, serialize_message
from ros.controlled_machine import ControlledMachine, drive_goal, goal, slow_machine
from ros.controlled_machine import Goal as SentGoal
from ros.rigs import status_with
from ros.ros_bench import Bench
from trajectory_msgs.msg import JointTrajectoryPoint, MultiDOFJointTrajectoryPoint

from pkm_identification.action import ExecuteTrajectory
from pkm_identification.ros.clock import set_stamp
from pkm_identification.ros.commands import goal_server
from pkm_identification.ros.commands.goal_request import (
    MOST_POINTS,
    Goal,
    Request,
    goal_request,
    known_layout,
    taking,
)
from pkm_identification.ros.commands.goal_server import GoalServer
from pkm_identification.ros.node.diagnostics import ERROR

Result = ExecuteTrajectory.Result


def must_take_beside() -> bool:
    """Whether this is the rclpy that goals were taken beside with; another one may not show what that needs."""
    try:
        return sys.platform == "linux" and version("rclpy").startswith("9.")
    except PackageNotFoundError:
        return False


def read(request, drives=6) -> Goal:
    return deserialize_message(serialize_message(request), goal_request(drives)).goal


@pytest.mark.parametrize("drives", [2, 6, 8])
def test_requests_are_read_where_rclpy_keeps_them(drives):
    """As their messages say, whatever a point has too few or too many of."""
    assert known_layout(drives)
    request = Request()
    request.goal.trajectory.header.frame_id = "base" * 10
    rng = np.random.default_rng(1)
    for k in range(5):
        point = MultiDOFJointTrajectoryPoint(
            transforms=[Transform()] * (k % 3),
            velocities=[Twist()] * (k % 2),
            accelerations=[Twist()] * (k // 3),
        )
        for twist in (*point.velocities, *point.accelerations):
            twist.linear.x, twist.angular.z = rng.normal(size=2).tolist()
        point.time_from_start.sec, point.time_from_start.nanosec = -k, 999_999_999
        request.goal.trajectory.points.append(point)
        request.goal.struts.points.append(
            JointTrajectoryPoint(
                positions=rng.normal(size=drives if k else 4).tolist(),
                velocities=[math.inf] * drives * (k % 2),
            )
        )
    request.goal.struts.joint_names = [f"strut_{i}" for i in range(6)]
    found, expected = read(request, drives), Goal.of(request.goal, drives)
    for a, b in ((found.trajectory, expected.trajectory), (found.struts, expected.struts)):
        assert (a.stamped, a.frame, a.names, a.given) == (b.stamped, b.frame, b.names, b.given)
        np.testing.assert_array_equal(a.counts, b.counts)
        np.testing.assert_array_equal(a.time, b.time)
        for x, y in zip(a.parts, b.parts, strict=True):
            np.testing.assert_array_equal(x, y)


def test_joint_goals_are_read_where_rclpy_keeps_them():
    """Points as arrays, whatever a point has too few or too many of; names and tolerances as their message says."""
    pytest.importorskip("control_msgs.action")
    joint_goals = import_module("pkm_identification.ros.commands.joint_goal_request")
    assert joint_goals.known_joint_layout()
    request = joint_goals.Request()
    rng = np.random.default_rng(2)
    for k in range(7):
        point = JointTrajectoryPoint(
            positions=rng.normal(size=6 if k else 4).tolist(),
            velocities=[math.inf] * 6 * (k % 2),
            accelerations=rng.normal(size=3 * (k % 3)).tolist(),
        )
        point.time_from_start.sec, point.time_from_start.nanosec = k, 999_999_999
        request.goal.trajectory.points.append(point)
    request.goal.trajectory.joint_names = [f"strut_{i}" for i in range(6)]
    request.goal.goal_time_tolerance.sec = 7
    found = deserialize_message(serialize_message(request), joint_goals.joint_goal_request(6)).goal
    expected = joint_goals.JointGoal.of(request.goal, 6)
    np.testing.assert_array_equal(found.counts, expected.counts)
    np.testing.assert_array_equal(found.time, expected.time)
    for a, b in zip(found.parts, expected.parts, strict=True):
        np.testing.assert_array_equal(a, b)
    request.goal.trajectory.points = []
    assert found.message == request.goal
    assert (found.given, found.others) == (7, 0)


def test_an_oversize_goal_is_counted_and_not_read():
    request = Request()
    request.goal.trajectory.points = [MultiDOFJointTrajectoryPoint()] * (MOST_POINTS + 1)
    found = read(request).trajectory
    assert found.given == MOST_POINTS + 1
    assert found.time.size == found.counts.size == 0


def served(bench: Bench) -> GoalServer:
    """A server of goals that all succeed."""

    def execute(handle):
        handle.succeed()
        return Result(error_string="done")

    server = GoalServer(bench.node, ExecuteTrajectory, "served", execute_callback=execute)
    server._action_type = taking(ExecuteTrajectory, goal_request(6))
    server.take_in_background(goal_request(6))
    if must_take_beside():
        assert server.takes_in_background is ("no_such_name" not in goal_server.LEFT)
    return server


@pytest.mark.parametrize("left", [goal_server.LEFT, (*goal_server.LEFT, "no_such_name")])
def test_goals_are_taken_and_one_without_a_handle_is_refused(bench: Bench, monkeypatch, left):
    monkeypatch.setattr(goal_server, "LEFT", left)
    server = served(bench)
    client = ActionClient(bench.node, ExecuteTrajectory, "served")
    bench.wait(client.server_is_ready, "the action server")

    def no_handle(*_):
        raise RuntimeError("the context was shut down")

    with monkeypatch.context() as failing:
        failing.setattr(goal_server, "ServerGoalHandle", no_handle)
        failing.setattr(rclpy.action.server, "ServerGoalHandle", no_handle)
        assert not SentGoal(bench, client, ExecuteTrajectory.Goal()).handle.accepted
    assert SentGoal(bench, client, ExecuteTrajectory.Goal()).result().result.error_string == "done"
    client.destroy()
    server.destroy()


def test_a_goal_that_cannot_be_taken_keeps_no_server_from_being_withdrawn(bench: Bench, monkeypatch):
    server = served(bench)
    if not server.takes_in_background:
        pytest.skip("this rclpy takes goals its own way")

    def unreadable(_):
        raise ValueError("unreadable")

    client = ActionClient(bench.node, ExecuteTrajectory, "served")
    bench.wait(client.server_is_ready, "the action server")
    monkeypatch.setattr(goal_request(6), "_READ", unreadable)
    client.send_goal_async(ExecuteTrajectory.Goal())
    bench.wait(lambda: server._taking, "the goal to be taken")
    client.destroy()
    server.destroy()
    assert server not in bench.node.waitables


def build_poses(made: ControlledMachine, shifts, time: float = 0.01):
    """Return a goal of poses, so many m off in x, so much time apart."""
    points = []
    for k, shift in enumerate(shifts, 1):
        one = MultiDOFJointTrajectoryPoint(transforms=made.pose(0.0, (shift, 0.0, 0.0)).transforms)
        set_stamp(one.time_from_start, time * k)
        points.append(one)
    return goal(*points)


def build_coordinates(made: ControlledMachine, shifts, time: float = 0.01):
    """Return a goal of coordinates, so many m off, so much time apart."""
    home = made.controller.machine.home
    points = []
    for k, shift in enumerate(shifts, 1):
        one = JointTrajectoryPoint(positions=(home + shift).tolist())
        set_stamp(one.time_from_start, time * k)
        points.append(one)
    return drive_goal(*points)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("machine", "build", "said", "failed"),
    [
        ("uf", build_poses, "the motion .*: ValueError: ", True),
        ("mast", build_coordinates, "waypoint 1: out of reach: ", False),
    ],
)
def test_row_36_a_goal_of_thousands_is_planned_and_of_too_many_refused(
    bench: Bench, tmp_path, machine, build, said, failed
):
    """Refused with the number, nothing else changes; two thousand are taken in a thread and read as arrays.

    Their path is worked out and checked in a thread while the controller answers samples, and the motion begins. One of
    numbers that overflow is out of reach or, where that shows in the thread only, aborted with one line and an ERROR;
    control goes on.
    """
    diagnostics = bench.diagnostics()
    made = ControlledMachine(bench, slow_machine(tmp_path) if machine == "uf" else machine)
    if must_take_beside():
        assert all(action.takes_in_background for action in made.controller.actions)
    refused = made.send(build(made, np.zeros(MOST_POINTS + 1))).result().result
    assert refused.error_code == Result.INVALID_GOAL
    assert refused.error_string == f"{MOST_POINTS + 1} waypoints: at most {MOST_POINTS} are taken"
    assert made.controller.controller.state == "holding"
    wave = 0.01 * np.sin(5e-3 * np.arange(2000))
    sent = made.send(build(made, wave))
    bench.wait(lambda: sent.feedback, "the motion to begin")
    assert made.controller.controller.validation.counts["gap"] == 0
    sent.cancel()
    assert sent.result().result.error_code == Result.CANCELED
    overflowing = made.send(build(made, np.full(2000, -1e308))).result().result
    assert overflowing.error_code == Result.INVALID_GOAL
    assert re.match(said, overflowing.error_string)
    assert "\n" not in overflowing.error_string
    if failed:
        status = status_with(bench, diagnostics, overflowing.error_string)
        assert status.level == ERROR
    assert made.send(build(made, [0.0], 1.0)).result().result.error_code == Result.SUCCESSFUL
