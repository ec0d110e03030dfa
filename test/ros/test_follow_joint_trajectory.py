# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""FollowJointTrajectory as joint_trajectory_controller offers it: what MoveIt sends is done, or refused by code."""

from __future__ import annotations

import numpy as np
import pytest
from action_msgs.msg import GoalStatus
from builtin_interfaces.msg import Duration
from rclpy.action import ActionClient
from ros.controlled_machine import ControlledMachine, Goal, goal, slow_machine
from ros.ros_bench import Bench
from trajectory_msgs.msg import JointTrajectoryPoint, MultiDOFJointTrajectoryPoint

from pkm_identification.action import ExecuteTrajectory
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths, strut_motion_from_platform
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUT_NAMES
from pkm_identification.ros.clock import seconds, set_stamp
from pkm_identification.simulation.trajectories import trajectory

control_msgs = pytest.importorskip("control_msgs.action")
FollowJointTrajectory = control_msgs.FollowJointTrajectory
JointTolerance = pytest.importorskip("control_msgs.msg").JointTolerance
Result = FollowJointTrajectory.Result
UF = Machine.load("uf")
PERIOD = 0.005
pytestmark = pytest.mark.slow
SHUFFLED = [STRUT_NAMES[i] for i in (3, 0, 5, 1, 4, 2)]


def lengths(shift=(0.0, 0.0, 0.0)) -> np.ndarray:
    return strut_lengths(UF, (UF.home_position + np.array(shift))[None], UF.home_rotation[None])[0]


def duration(time: float) -> Duration:
    nanoseconds = round(1e9 * time)
    return Duration(sec=nanoseconds // 10**9, nanosec=nanoseconds % 10**9)


def row(time: float, *numbers) -> JointTrajectoryPoint:
    """A point with positions and as many derivatives as are given."""
    made = JointTrajectoryPoint(time_from_start=duration(time))
    for name, six in zip(("positions", "velocities", "accelerations"), numbers):
        setattr(made, name, [float(x) for x in six])
    return made


def wish(*rows: JointTrajectoryPoint, names=STRUT_NAMES, **tolerances):
    made = FollowJointTrajectory.Goal()
    made.trajectory.joint_names, made.trajectory.points = list(names), list(rows)
    for name, given in tolerances.items():
        if isinstance(given, dict):
            given = [JointTolerance(name=joint, **numbers) for joint, numbers in given.items()]
        setattr(made, name, given)
    return made


class Follower(ControlledMachine):
    """A controlled machine with a client as MoveIt has it."""

    def __init__(self, bench: Bench, tmp_path) -> None:
        super().__init__(bench, slow_machine(tmp_path))
        self._moveit = ActionClient(bench.node, FollowJointTrajectory, "controller/follow_joint_trajectory")
        bench.wait(self._moveit.server_is_ready, "the action server")

    def follow(self, message) -> Goal:
        return Goal(self._bench, self._moveit, message)

    @property
    def now(self) -> float:
        return self.controller.controller.newest

    @property
    def length(self) -> np.ndarray:
        return self.simulator.simulator.truth.length


def test_a_planned_trajectory_in_any_joint_order_is_followed(bench: Bench, tmp_path):
    """Positions, velocities and accelerations from time 0, the last acceleration not zero, as in a planner's answer."""
    made = Follower(bench, tmp_path)
    path = trajectory("rich", UF, 2.0)
    time = np.linspace(0.0, path.duration, 41)
    planned = strut_motion_from_platform(UF, path.motion(time))
    order = [STRUT_NAMES.index(name) for name in SHUFFLED]
    planned[2][-1] += 0.1
    rows = [row(t, *(part[k][order] for part in planned)) for k, t in enumerate(time)]
    sent = made.follow(wish(*rows, names=SHUFFLED))
    answer = sent.result()
    assert answer.status == GoalStatus.STATUS_SUCCEEDED
    assert (answer.result.error_code, answer.result.error_string) == (Result.SUCCESSFUL, "done")
    np.testing.assert_allclose(made.length, planned[0][-1], atol=1e-4)
    assert 30 <= len(sent.feedback) <= 45
    times = np.array([seconds(f.desired.time_from_start) for f in sent.feedback])
    wanted = strut_motion_from_platform(UF, path.motion(times))
    for k, feedback in enumerate(sent.feedback):
        assert feedback.joint_names == list(STRUT_NAMES)
        np.testing.assert_allclose(feedback.desired.positions, wanted[0][k], atol=2e-5)
        np.testing.assert_allclose(feedback.desired.velocities, wanted[1][k], atol=2e-3)
        off = np.array(feedback.desired.positions) - feedback.actual.positions
        np.testing.assert_allclose(feedback.error.positions, off, atol=1e-12)
        assert np.abs(off).max() < 1e-3
        off = np.array(feedback.desired.velocities) - feedback.actual.velocities
        np.testing.assert_allclose(feedback.error.velocities, off, atol=1e-12)
        if hasattr(feedback, "index"):
            assert feedback.index == np.searchsorted(time, times[k] - 1e-6)


def test_what_cannot_be_meant_is_refused_with_the_code_of_the_standard(bench: Bench, tmp_path):
    made = Follower(bench, tmp_path)
    home = lengths()
    there = row(1.0, lengths((0.0, 0.0, -0.005)))
    old, far, heavy, poses = wish(there), wish(there), wish(row(1.0, home)), wish(there)
    set_stamp(old.trajectory.header.stamp, made.now - 5.0)
    set_stamp(far.trajectory.header.stamp, made.now + 1e6)
    heavy.trajectory.points[0].effort = [1.0] * 6
    poses.multi_dof_trajectory.points = [MultiDOFJointTrajectoryPoint()]
    first = STRUT_NAMES[0]
    cases = [
        (
            "unknown elbow; missing strut_6",
            Result.INVALID_JOINTS,
            wish(there, names=[*STRUT_NAMES[:5], "elbow"]),
        ),
        ("missing strut_1, strut_2", Result.INVALID_JOINTS, wish(there, names=[])),
        ("a name comes twice", Result.INVALID_JOINTS, wish(there, names=[*STRUT_NAMES, first])),
        ("no joint 'elbow'", Result.INVALID_JOINTS, wish(there, goal_tolerance={"elbow": {"position": 1.0}})),
        ("it ended ", Result.OLD_HEADER_TIMESTAMP, old),
        ("the clock that stamps strut_states", Result.INVALID_GOAL, far),
        ("no points", Result.INVALID_GOAL, wish()),
        ("efforts are not taken", Result.INVALID_GOAL, heavy),
        ("poses go to execute_trajectory", Result.INVALID_GOAL, poses),
        ("has 5 positions, needs 6", Result.INVALID_GOAL, wish(row(1.0, home[:5]))),
        ("point 2: has 3 velocities", Result.INVALID_GOAL, wish(there, row(2.0, home, [0.0] * 3))),
        ("waypoint 2: its time must be", Result.INVALID_GOAL, wish(there, there)),
        ("a motion ends at standstill", Result.INVALID_GOAL, wish(row(1.0, home, [0.1] * 6))),
        ("length limit: strut", Result.INVALID_GOAL, wish(row(60.0, home + 0.2))),
        ("velocity = -2", Result.INVALID_GOAL, wish(there, path_tolerance={first: {"velocity": -2.0}})),
        ("goal_time_tolerance = -3", Result.INVALID_GOAL, wish(there, goal_time_tolerance=Duration(sec=-3))),
    ]
    before = made.length.copy()
    for text, code, message in cases:
        answer = made.follow(message).result()
        assert answer.status == GoalStatus.STATUS_ABORTED, text
        assert (answer.result.error_code, text in answer.result.error_string) == (code, True), answer.result
    np.testing.assert_allclose(made.length, before, atol=2e-5)
    assert made.controller.controller.state == "holding"


def test_tolerances_of_the_goal_replace_the_usual_ones_or_lift_them(bench: Bench, tmp_path):
    made = Follower(bench, tmp_path)
    out, home = row(0.4, lengths((0.0, 0.0, -0.01))), row(0.4, lengths())
    unreachable = {STRUT_NAMES[2]: {"position": 1e-12}}
    answer = made.follow(wish(out, goal_tolerance=unreachable, goal_time_tolerance=duration(0.1))).result()
    assert answer.status == GoalStatus.STATUS_ABORTED
    assert answer.result.error_code == Result.GOAL_TOLERANCE_VIOLATED
    assert answer.result.error_string.startswith("strut 3 is 0.0000")
    assert "0.1 s were given to settle" in answer.result.error_string
    lifted = {name: {"position": -1.0} for name in STRUT_NAMES}
    answer = made.follow(wish(home, goal_tolerance=lifted)).result()
    assert answer.result.error_code == Result.SUCCESSFUL
    sent = made.follow(wish(row(2.0, lengths((0.0, 0.0, -0.02))), path_tolerance=unreachable))
    answer = sent.result()
    assert answer.status == GoalStatus.STATUS_ABORTED
    assert answer.result.error_code == Result.PATH_TOLERANCE_VIOLATED
    assert "from its path, 1e-12 m is allowed" in answer.result.error_string
    # no emergency: it came to rest on its path and takes the next goal
    assert made.controller.controller.trouble is None
    assert np.abs(made.length - lengths()).max() < 0.01
    assert made.follow(wish(home)).result().result.error_code == Result.SUCCESSFUL


def test_goals_begin_at_their_stamps_end_by_cancelling_and_take_over(bench: Bench, tmp_path):
    made = Follower(bench, tmp_path)
    out, home = lengths((0.01, 0.0, -0.01)), lengths()
    later = wish(row(0.4, out))
    stamp = made.now + 1.0
    set_stamp(later.trajectory.header.stamp, stamp)
    sent = made.follow(later)
    assert sent.result().result.error_code == Result.SUCCESSFUL
    started = [seconds(f.header.stamp) - seconds(f.desired.time_from_start) for f in sent.feedback[:-1]]
    np.testing.assert_allclose(started, stamp, atol=1.01 * PERIOD)
    # three quarters are over: what is left is done in the time that is left
    joined = wish(row(4.0, out), row(8.0, home))
    set_stamp(joined.trajectory.header.stamp, made.now - 6.0)
    sent = made.follow(joined)
    assert sent.result().result.error_code == Result.SUCCESSFUL
    assert seconds(sent.feedback[-1].desired.time_from_start) <= 2.0
    np.testing.assert_allclose(made.length, home, atol=5e-4)

    sent = made.follow(wish(row(2.0, out)))
    bench.wait(lambda: len(sent.feedback) > 6, "the motion to be on its way")
    sent.cancel()
    answer = sent.result()
    assert (answer.status, answer.result.error_code) == (GoalStatus.STATUS_CANCELED, Result.SUCCESSFUL)
    bench.wait(lambda: made.controller.controller.state == "holding", "the machine at rest")
    assert 1e-5 < np.abs(made.length - home).max() < np.abs(out - home).max()

    first = made.follow(wish(row(2.0, out)))
    bench.wait(lambda: len(first.feedback) > 2, "the motion to be on its way")
    second = made.send(goal(made.pose(0.4, (0.0, 0.0, -0.01))))
    answer = first.result()
    assert (answer.status, answer.result.error_code) == (GoalStatus.STATUS_ABORTED, Result.INVALID_GOAL)
    assert answer.result.error_string == "preempted by a newer motion"
    assert second.result().result.error_code == ExecuteTrajectory.Result.SUCCESSFUL
