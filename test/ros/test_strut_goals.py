# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""execute_trajectory with strut lengths instead of poses: the same motion, the same limits, clear refusals."""

from __future__ import annotations

import numpy as np
from action_msgs.msg import GoalStatus
from builtin_interfaces.msg import Duration
from ros.controlled_machine import ControlledMachine, goal, slow_machine
from ros.ros_bench import Bench
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from pkm_identification.action import ExecuteTrajectory
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUT_NAMES

Result = ExecuteTrajectory.Result
UF = Machine.load("uf")


def lengths(shift) -> np.ndarray:
    return strut_lengths(UF, (UF.home_position + np.array(shift))[None], UF.home_rotation[None])[0]


def row(time: float, length, rate=()) -> JointTrajectoryPoint:
    made = JointTrajectoryPoint(positions=[float(x) for x in length], velocities=[float(x) for x in rate])
    made.time_from_start = Duration(sec=int(time), nanosec=round(1e9 * (time % 1)))
    return made


def struts(*rows: JointTrajectoryPoint, names=()) -> ExecuteTrajectory.Goal:
    return ExecuteTrajectory.Goal(struts=JointTrajectory(joint_names=list(names), points=list(rows)))


def test_struts_go_to_the_lengths_asked_for_whatever_the_order_of_their_names(bench: Bench, tmp_path):
    made = ControlledMachine(bench, slow_machine(tmp_path))
    there = lengths([0.02, -0.01, 0.01])
    answer = made.send(struts(row(0.5, there, np.zeros(6)))).result()
    assert answer.status == GoalStatus.STATUS_SUCCEEDED
    np.testing.assert_allclose(made.simulator.simulator.truth.length, there, atol=1e-4)
    back = lengths([-0.01, 0.0, 0.0])
    answer = made.send(struts(row(0.5, back[::-1]), names=STRUT_NAMES[::-1])).result()
    assert answer.result.error_code == Result.SUCCESSFUL
    np.testing.assert_allclose(made.simulator.simulator.truth.length, back, atol=1e-4)


def test_what_cannot_be_meant_is_refused_with_the_reason(bench: Bench, tmp_path):
    made = ControlledMachine(bench, slow_machine(tmp_path))
    home = lengths([0.0, 0.0, 0.0])
    both = goal(made.pose(1.0))
    both.struts = struts(row(1.0, home)).struts
    stamped, heavy = struts(row(1.0, home)), struts(row(1.0, home))
    stamped.struts.header.stamp.sec = 5
    heavy.struts.points[0].effort = [1.0] * 6
    cases = {
        "both 1 poses (trajectory) and 1 rows of drives' coordinates (struts): give one of them": both,
        "no waypoints: give poses (trajectory) or coordinates": ExecuteTrajectory.Goal(),
        "waypoint 2: has 5 coordinates and 0 rates, needs 6": struts(row(1.0, home), row(2.0, home[:5])),
        "waypoint 1: has 6 coordinates and 3 rates": struts(row(1.0, home, [0.0] * 3)),
        "the stamp must be 0": stamped,
        "efforts of drives are not taken": heavy,
        "struts named a, b: expected strut_1": struts(row(1.0, home), names=["a", "b"]),
        "waypoint 1: a rate is not finite": struts(row(1.0, home, [np.nan] * 6)),
        "waypoint 1: no pose has these lengths": struts(row(1.0, [*home[:5], 9.0])),
        "waypoint 2: its time must be": struts(row(1.0, home), row(1.0, home)),
        "waypoint 1: a motion ends at standstill": struts(row(1.0, home, [0.1] * 6)),
    }
    for text, message in cases.items():
        answer = made.send(message).result().result
        assert answer.error_code == Result.INVALID_GOAL, text
        assert text in answer.error_string
    answer = made.send(struts(row(60.0, home + 0.2))).result().result
    assert answer.error_code == Result.LIMIT_VIOLATED
    assert answer.error_string.startswith("length limit: strut")
    assert made.controller.controller.state == "holding"
