# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The action execute_trajectory: platform poses or drives' coordinates at given times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from rclpy.node import Node

from pkm_identification.action import ExecuteTrajectory
from pkm_identification.control.follower import Setpoint
from pkm_identification.control.motions import LONG, Motion, Outcome
from pkm_identification.control.paths.background_call import BackgroundCall
from pkm_identification.control.settings import Command
from pkm_identification.machines.capabilities import PlatformPose, has
from pkm_identification.machines.contract import DEGRADED, Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import build_vector_from_matrix

from ..clock import set_stamp
from ..messages.convert import doubles, fill_pose
from .goal_request import Goal, goal_request, known_layout, taking
from .motion_action import MotionAction, MotionCalls
from .trajectory_goal import waypoints_of


class TrajectoryAction(MotionAction):
    """The server of execute_trajectory.

    Parameters
    ----------
    node : Node
    machine : Machine
    base_frame : str
    joint_names : sequence of str
        Of the drives, in the order of the machine file.
    feedback_rate, calls
        See `MotionAction`.
    """

    def __init__(
        self,
        node: Node,
        machine: Machine,
        base_frame: str,
        joint_names: Sequence[str],
        feedback_rate: float,
        calls: MotionCalls,
    ) -> None:
        self._machine = machine
        self._posed = machine if has(machine, PlatformPose) else None
        self._frame = base_frame
        self._names = tuple(joint_names)
        super().__init__(node, ExecuteTrajectory, "execute_trajectory", feedback_rate, calls)
        count = len(machine.drives)
        if known_layout(count):
            self._server._action_type = taking(ExecuteTrajectory, goal_request(count))
            self._server.take_in_background(goal_request(count))

    def reading(self, request: Any) -> BackgroundCall[Motion]:
        goal = request if isinstance(request, Goal) else Goal.of(request, len(self._names))
        many = max(goal.trajectory.given, goal.struts.given) > LONG
        return BackgroundCall(many, self._motion, goal)

    def _motion(self, goal: Goal) -> Motion:
        return Motion(waypoints_of(goal, self._machine, self._frame, self._names))

    def result(self, outcome: Outcome) -> ExecuteTrajectory.Result:
        return ExecuteTrajectory.Result(
            error_code=outcome.code,
            error_string=outcome.text,
            rms_error=outcome.rms_error,
            max_error=outcome.max_error,
            rms_feedback=outcome.rms_feedback,
        )

    def feedback(
        self, request: Any, motion: Motion, setpoint: Setpoint, command: Command
    ) -> ExecuteTrajectory.Feedback:
        feedback = ExecuteTrajectory.Feedback()
        feedback.header.frame_id = self._frame
        set_stamp(feedback.header.stamp, command.time)
        measured = command.coordinate - command.error
        feedback.desired.orientation.w = feedback.actual.orientation.w = 1.0
        if self._posed is not None:
            self._fill_poses(feedback, self._posed, setpoint, measured)
        feedback.desired_coordinate = doubles(command.coordinate)
        feedback.actual_coordinate = doubles(measured)
        feedback.coordinate_error = doubles(command.error)
        return feedback

    @staticmethod
    def _fill_poses(
        feedback: ExecuteTrajectory.Feedback, machine: PlatformPose, setpoint: Setpoint, measured: FloatArray
    ) -> None:
        wanted, still = setpoint.now, np.zeros((1, len(measured)))
        position, rotation = (part[0] for part in machine.compute_pose(wanted))
        fill_pose(feedback.desired, position, rotation)
        found = machine.compute_motion(measured[None], still, still, wanted.state)
        if found.status[0] > DEGRADED:
            return
        there, turn = (part[0] for part in machine.compute_pose(found))
        fill_pose(feedback.actual, there, turn)
        feedback.position_error = float(np.linalg.norm(position - there))
        feedback.rotation_error = float(np.linalg.norm(build_vector_from_matrix(rotation @ turn.T)))
