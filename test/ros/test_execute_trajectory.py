# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""execute_trajectory: motions are looked at before they begin, followed, stopped smoothly; the result tells all."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from action_msgs.msg import GoalStatus
from ros.controlled_machine import ControlledMachine, goal, point, slow_machine
from ros.ros_bench import Bench
from sensor_msgs.msg import JointState

from pkm_identification.action import ExecuteTrajectory
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths
from pkm_identification.numerics.rotation import matrix_from_quaternion, matrix_from_vector
from pkm_identification.ros.clock import seconds

Result = ExecuteTrajectory.Result
PERIOD = 0.005


def test_a_motion_is_followed_to_its_end(bench: Bench):
    """At 1 kHz: at its end the platform is where the goal says; feedback says how it went."""
    made = ControlledMachine(bench, feedback_rate=50.0)
    shift, turn = (0.02, -0.01, 0.01), (0.0, 0.05, 0.02)
    sent = made.send(goal(made.pose(0.25, (0.01, 0, 0)), made.pose(0.5, shift, turn)))
    answer = sent.result()
    assert answer.status == GoalStatus.STATUS_SUCCEEDED
    assert (answer.result.error_code, answer.result.error_string) == (Result.SUCCESSFUL, "done")
    assert 0.0 < answer.result.rms_error < answer.result.max_error < 1e-5
    assert 0.0 < answer.result.rms_feedback < 20.0
    truth = made.simulator.simulator.truth
    np.testing.assert_allclose(truth.position, made.machine.home_position + shift, atol=1e-5)
    np.testing.assert_allclose(truth.rotation, matrix_from_vector(np.array(turn)), atol=1e-4)
    times = [seconds(feedback.header.stamp) for feedback in sent.feedback]
    assert times == sorted(times)
    assert 20 <= len(times) <= 30
    for feedback in sent.feedback:
        assert feedback.header.frame_id == "base"
        assert feedback.position_error < 2e-5
        assert feedback.rotation_error < 1e-4
        np.testing.assert_allclose(
            np.subtract(feedback.desired_coordinate, feedback.actual_coordinate),
            feedback.coordinate_error,
            atol=1e-12,
        )
    wanted = strut_lengths(
        made.machine,
        np.array([[getattr(f.desired.position, x) for x in "xyz"] for f in sent.feedback]),
        np.array([made_rotation(f.desired.orientation) for f in sent.feedback]),
    )
    np.testing.assert_allclose([f.desired_coordinate for f in sent.feedback], wanted, atol=1e-9)


def made_rotation(q):
    return matrix_from_quaternion(np.array([q.x, q.y, q.z, q.w]))


LIMITS = {
    "length limit: strut": ({}, (60.0, (0, 0, -0.3)), "0.5500 m"),
    "rate limit: strut": ({"rate_share": 0.05}, (0.5, (0, 0, -0.05)), "0.035 m/s"),
    "force limit: strut 4: force": ({"force_share": 0.1}, (0.5, (0, 0, -0.05)), "300.0 N"),
    "singularity limit: condition number": ({"largest_condition": 1.7}, (5.0, (0, 0, 0), (0, 0, 0.4)), "1.7"),
}


@pytest.mark.parametrize("text", LIMITS)
def test_a_motion_that_breaks_a_limit_never_begins(bench: Bench, tmp_path, text):
    parameters, wish, allowed = LIMITS[text]
    made = ControlledMachine(bench, slow_machine(tmp_path), **parameters)
    states = bench.collect(JointState, "strut_states")
    answer = made.send(goal(made.pose(*wish))).result()
    assert answer.status == GoalStatus.STATUS_ABORTED
    assert answer.result.error_code == Result.LIMIT_VIOLATED
    assert answer.result.error_string.startswith(text)
    assert re.search(r" at \d+\.\d{3} s, platform at \(.*\) m; allowed ", answer.result.error_string)
    assert answer.result.error_string.endswith(f"allowed {allowed}")
    home = (made.machine.home_position[None], made.machine.home_rotation[None])
    lengths = np.array([state.position for state in states])
    assert np.abs(lengths - strut_lengths(made.machine, *home)).max() < 1e-4


def test_a_goal_that_cannot_be_understood_says_why(bench: Bench, tmp_path):
    made = ControlledMachine(bench, slow_machine(tmp_path))
    good = made.pose(1.0, (0.01, 0, 0))
    framed, stamped, many, pairs, moving = (goal(made.pose(1.0)) for _ in range(5))
    framed.trajectory.header.frame_id = "tool"
    stamped.trajectory.header.stamp.sec = 5
    many.trajectory.joint_names = ["a", "b"]
    pairs.trajectory.points[0].transforms *= 2
    moving.trajectory.points[0] = made.pose(1.0, twist=[0.1, 0, 0, 0, 0, 0])
    zero = goal(made.pose(1.0))
    zero.trajectory.points[0].transforms[0].rotation.w = 0.0
    nan = goal(point(1.0, [math.nan, 0, 0], made.machine.home_rotation))
    wild = goal(made.pose(0.5, twist=[math.inf, 0, 0, 0, 0, 0]), good)
    cases = {
        "no waypoints": goal(),
        "frame 'tool', expected 'base'": framed,
        "the stamp must be 0": stamped,
        "2 joints": many,
        "waypoint 1: needs one transform": pairs,
        "waypoint 1: a motion ends at standstill": moving,
        "waypoint 1: quaternion": zero,
        "waypoint 1: time or position is not finite": nan,
        "waypoint 1: a velocity or acceleration is not finite": wild,
        "waypoint 2: its time must be": goal(good, good),
    }
    for text, message in cases.items():
        answer = made.send(message).result()
        assert answer.status == GoalStatus.STATUS_ABORTED
        assert answer.result.error_code == Result.INVALID_GOAL
        assert text in answer.result.error_string
    assert made.send(goal(good)).result().result.error_code == Result.SUCCESSFUL


def assert_smooth(lengths, largest):
    """Second differences of lengths (N, 6) are accelerations: no larger than those asked for, so nothing jumped."""
    acceleration = np.diff(np.array(lengths), 2, axis=0) / PERIOD**2
    # whole encoder counts of 1.25 um make up to 0.1 m/s^2
    assert np.abs(acceleration).max() < largest + 0.1


def test_canceling_comes_smoothly_to_rest(bench: Bench, tmp_path):
    made = ControlledMachine(bench, slow_machine(tmp_path))
    states = bench.collect(JointState, "strut_states")
    sent = made.send(goal(made.pose(3.0, (0.05, 0.0, -0.03))))
    bench.wait(lambda: len(sent.feedback) > 20, "the motion to be on its way")
    sent.cancel()
    answer = sent.result()
    assert answer.status == GoalStatus.STATUS_CANCELED
    assert answer.result.error_code == Result.CANCELED
    assert answer.result.max_error < 1e-3
    bench.wait(lambda: made.controller.controller.state == "holding", "the machine at rest")
    before = len(states)
    bench.wait(lambda: len(states) > before + 20, "some samples at rest")
    lengths = [state.position for state in states]
    assert np.ptp(lengths[-20:], axis=0).max() < 1e-5
    reached = made.simulator.simulator.truth.position - made.machine.home_position
    assert 0.002 < np.linalg.norm(reached) < 0.055
    # on the straight way from home to the goal
    np.testing.assert_allclose(np.cross(reached, [0.05, 0.0, -0.03]) / 0.058, 0.0, atol=2e-4)
    assert_smooth(lengths, 0.5)


def test_a_newer_goal_takes_over_and_a_bad_one_does_not(bench: Bench, tmp_path):
    made = ControlledMachine(bench, slow_machine(tmp_path))
    states = bench.collect(JointState, "strut_states")
    first = made.send(goal(made.pose(4.0, (0.05, 0.0, -0.03))))
    bench.wait(lambda: len(first.feedback) > 10, "the motion to be on its way")
    bad = made.send(goal(made.pose(1.0, (0.0, 0.0, -0.3))))
    assert bad.result().result.error_code == Result.LIMIT_VIOLATED
    assert not first.done
    second = made.send(goal(made.pose(1.0, (-0.02, 0.0, 0.0))))
    answer = first.result()
    assert answer.status == GoalStatus.STATUS_ABORTED
    assert answer.result.error_code == Result.PREEMPTED
    assert second.result().status == GoalStatus.STATUS_SUCCEEDED
    reached = made.simulator.simulator.truth.position - made.machine.home_position
    np.testing.assert_allclose(reached, [-0.02, 0.0, 0.0], atol=5e-4)
    assert_smooth([state.position for state in states], 1.0)


def test_a_strut_held_up_ends_the_goal_and_stops_the_machine(bench: Bench, tmp_path):
    made = ControlledMachine(bench, slow_machine(tmp_path), tracking_limit=0.002)
    sent = made.send(goal(made.pose(2.0, (0.05, 0.0, -0.03))))
    bench.wait(lambda: len(sent.feedback) > 5, "the motion to be on its way")
    made.simulator.simulator._commanded.drives.enabled = False  # a fuse blows
    answer = sent.result()
    assert answer.status == GoalStatus.STATUS_ABORTED
    assert answer.result.error_code == Result.PATH_TOLERANCE_VIOLATED
    assert "emergency stop: strut" in answer.result.error_string
    refused = made.send(goal(made.pose(1.0))).result().result
    assert refused.error_code == Result.STOPPED
    assert "not under control: strut" in refused.error_string


def test_a_goal_for_an_inactive_controller_is_not_accepted(bench: Bench, tmp_path):
    made = ControlledMachine(bench, slow_machine(tmp_path), {"command_timeout": 0.3})
    running = made.send(goal(made.pose(5.0, (0.02, 0, 0))))
    bench.wait(lambda: running.feedback, "the motion to be on its way")
    made.controller.trigger_deactivate()
    answer = running.result().result
    assert answer.error_code == Result.STOPPED
    assert not made.send(goal(made.pose(1.0))).handle.accepted
    made.controller.trigger_activate()
    bench.wait(lambda: made.controller.controller.state == "holding", "control again")
    assert made.send(goal(made.pose(1.0))).result().result.error_code == Result.SUCCESSFUL
