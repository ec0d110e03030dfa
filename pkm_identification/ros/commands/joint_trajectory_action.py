# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The action FollowJointTrajectory of control_msgs, as joint_trajectory_controller offers it: MoveIt speaks it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from control_msgs.action import FollowJointTrajectory
from rclpy.node import Node
from trajectory_msgs.msg import JointTrajectoryPoint

from pkm_identification.control.follower import Setpoint
from pkm_identification.control.motions import CANCELED, INVALID_GOAL, LONG, Motion, Outcome
from pkm_identification.control.paths.background_call import BackgroundCall
from pkm_identification.control.settings import Command
from pkm_identification.control.tolerances import Tolerances
from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray

from ..clock import set_stamp
from .goal_request import taking
from .joint_goal import compute_joint_motion
from .joint_goal_request import JointGoal, joint_goal_request, known_joint_layout
from .motion_action import MotionAction, MotionCalls

NANOSECOND = 1e-9  # s
LOWEST = FollowJointTrajectory.Result.GOAL_TOLERANCE_VIOLATED


class JointTrajectoryAction(MotionAction):
    """The server of ~/follow_joint_trajectory.

    Parameters
    ----------
    node : Node
    machine : Machine
    joint_names : sequence of str
        Of the drives, in the order of the machine file.
    tolerances : Tolerances
        Where a goal does not say.
    newest : callable
        Stamp of the newest good sample (s), None before the first.
    feedback_rate, calls
        See `MotionAction`.
    """

    def __init__(
        self,
        node: Node,
        machine: Machine,
        joint_names: Sequence[str],
        tolerances: Tolerances,
        newest: Callable[[], float | None],
        feedback_rate: float,
        calls: MotionCalls,
    ) -> None:
        self._machine = machine
        self._names = list(joint_names)
        self._tolerances = tolerances
        self._newest = newest
        super().__init__(node, FollowJointTrajectory, "~/follow_joint_trajectory", feedback_rate, calls)
        count = len(machine.drives)
        if known_joint_layout(count):
            self._server._action_type = taking(FollowJointTrajectory, joint_goal_request(count))
            self._server.take_in_background(joint_goal_request(count))

    def reading(self, request: Any) -> BackgroundCall[Motion]:
        goal = request if isinstance(request, JointGoal) else JointGoal.of(request, len(self._names))
        return BackgroundCall(
            goal.given > LONG,
            compute_joint_motion,
            goal,
            self._machine,
            self._names,
            self._newest(),
            self._tolerances,
        )

    def result(self, outcome: Outcome) -> FollowJointTrajectory.Result:
        # what the standard has no code for is INVALID_GOAL, as with joint_trajectory_controller
        code = outcome.code if outcome.code >= LOWEST else INVALID_GOAL
        return FollowJointTrajectory.Result(
            error_code=0 if outcome.code == CANCELED else code, error_string=outcome.text
        )

    def feedback(
        self, request: Any, motion: Motion, setpoint: Setpoint, command: Command
    ) -> FollowJointTrajectory.Feedback:
        feedback = FollowJointTrajectory.Feedback(joint_names=self._names)
        set_stamp(feedback.header.stamp, command.time)
        feedback.desired = _point(setpoint.time, command.coordinate, command.rate)
        actual = (command.coordinate - command.error, command.rate - command.rate_error)
        feedback.actual = _point(setpoint.time, *actual)
        feedback.error = _point(setpoint.time, command.error, command.rate_error)
        if hasattr(feedback, "index"):  # not before control_msgs 6.3
            times = motion.waypoints.time
            sent = request.given if isinstance(request, JointGoal) else len(request.trajectory.points)
            # points that were over already when the goal came were left out
            index = sent - len(times) + int(np.searchsorted(times, setpoint.time - NANOSECOND))
            feedback.index = min(index, sent - 1)
        return feedback


def _point(time: float, coordinate: FloatArray, rate: FloatArray) -> JointTrajectoryPoint:
    point = JointTrajectoryPoint(positions=coordinate.tolist(), velocities=rate.tolist())
    set_stamp(point.time_from_start, time)
    return point
