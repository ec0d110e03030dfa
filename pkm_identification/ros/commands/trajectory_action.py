"""The action execute_trajectory: goals become motions, their ends become results."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import GoalEvent, ServerGoalHandle
from rclpy.node import Node

from pkm_identification.action import ExecuteTrajectory
from pkm_identification.control.follower import Setpoint
from pkm_identification.control.motions import (
    CANCELED,
    INVALID_GOAL,
    LONG,
    STOPPED,
    SUCCESSFUL,
    Motion,
    Outcome,
)
from pkm_identification.control.paths.beside import Beside
from pkm_identification.control.paths.path import Waypoints
from pkm_identification.control.settings import Command
from pkm_identification.errors import MotionRefused
from pkm_identification.mechanisms.hexapod.kinematics import forward_kinematics
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.numerics.rotation import vector_from_matrix

from ..clock import set_stamp
from ..messages.convert import fill_pose
from ..throttle import Throttle
from .goal_request import ExecuteTrajectoryAsArrays, Goal, known_layout
from .trajectory_goal import waypoints_of


class TrajectoryAction:
    """Action server of a controller.

    A goal that is not accepted carries no reason in ROS. Hence goals are accepted and looked at; a bad one is aborted
    before anything moves, and its result says why.

    Parameters
    ----------
    node : Node
    machine : Machine
    base_frame : str
    joint_names : sequence of str
        Of struts 1 to 6.
    feedback_rate : float
        Hz.
    active : callable
        Whether goals are taken at all.
    submit, cancel : callable
        What to do with a new motion, and with one that is given up.
    """

    def __init__(
        self,
        node: Node,
        machine: Machine,
        base_frame: str,
        joint_names: Sequence[str],
        feedback_rate: float,
        active: Callable[[], bool],
        submit: Callable[[Motion], None],
        cancel: Callable[[Motion], None],
    ) -> None:
        self._machine = machine
        self._frame = base_frame
        self._names = tuple(joint_names)
        self._active = active
        self._submit = submit
        self._cancel = cancel
        self._turn = Throttle(feedback_rate)
        self._goals: list[tuple[ServerGoalHandle, Motion]] = []
        self._read: list[tuple[ServerGoalHandle, Beside[Waypoints]]] = []
        self._server = ActionServer(
            node,
            ExecuteTrajectory,
            "execute_trajectory",
            execute_callback=lambda _: ExecuteTrajectory.Result(),  # see `_finish`
            goal_callback=lambda _: GoalResponse.ACCEPT if self._active() else GoalResponse.REJECT,
            handle_accepted_callback=self._begin,
            cancel_callback=self._give_up,
        )
        if known_layout():
            self._server._action_type = ExecuteTrajectoryAsArrays

    def destroy(self) -> None:
        """Withdraw the action; goals must have ended, but for those that are still being read."""
        while self._read:
            self._finish(self._read.pop()[0], Outcome(STOPPED, "the controller has ended"))
        self._server.destroy()

    def follow(self, setpoint: Setpoint | None, command: Command | None) -> None:
        """After each sample: publish feedback, begin what has been read, and end what has ended."""
        self._submit_read()
        for handle, motion in tuple(self._goals):
            if motion.outcome is not None:
                self._goals.remove((handle, motion))
                self._finish(handle, motion.outcome)
            elif (
                motion.begun and setpoint is not None and command is not None and self._turn.due(command.time)
            ):
                handle.publish_feedback(self._feedback(setpoint, command))

    def _begin(self, handle: ServerGoalHandle) -> None:
        # Not `execute`: its callback would have to wait, and a waiting coroutine keeps rclpy's executors busy.
        handle._update_state(GoalEvent.EXECUTE)
        goal = handle.request if isinstance(handle.request, Goal) else Goal.of(handle.request)
        many = max(goal.trajectory.given, goal.struts.given) > LONG
        reading = Beside(many, waypoints_of, goal, self._machine, self._frame, self._names)
        self._read.append((handle, reading))
        self._submit_read()

    def _submit_read(self) -> None:
        """Submit the goals whose waypoints are known by now, in their order."""
        while self._read and self._read[0][1].done:
            handle, reading = self._read.pop(0)
            try:
                motion = Motion(reading.answer())
            except MotionRefused as refusal:
                self._finish(handle, Outcome(INVALID_GOAL, str(refusal)))
                continue
            self._goals.append((handle, motion))
            if handle.is_cancel_requested:
                motion.end(Outcome(CANCELED, "canceled before it began"))
            else:
                self._submit(motion)

    def _give_up(self, handle: ServerGoalHandle) -> CancelResponse:
        for known, motion in self._goals:
            if known is handle or known.goal_id == handle.goal_id:
                self._cancel(motion)
        return CancelResponse.ACCEPT

    def _finish(self, handle: ServerGoalHandle, outcome: Outcome) -> None:
        result = ExecuteTrajectory.Result(
            error_code=outcome.code,
            error_string=outcome.text,
            rms_error=outcome.rms_error,
            max_error=outcome.max_error,
            rms_feedback=outcome.rms_feedback,
        )

        def end(goal: ServerGoalHandle) -> ExecuteTrajectory.Result:
            if outcome.code == SUCCESSFUL:
                goal.succeed()
            elif outcome.code == CANCELED and goal.is_cancel_requested:
                goal.canceled()
            else:
                goal.abort()
            return result

        self._server.notify_execute(handle, end)

    def _feedback(self, setpoint: Setpoint, command: Command) -> ExecuteTrajectory.Feedback:
        feedback = ExecuteTrajectory.Feedback()
        feedback.header.frame_id = self._frame
        set_stamp(feedback.header.stamp, command.time)
        measured = command.length - command.error
        wanted = (setpoint.position, setpoint.rotation)
        poses = forward_kinematics(self._machine, measured[None], wanted)
        fill_pose(feedback.desired, *wanted)
        if poses.found[0]:
            position, rotation = poses.position[0], poses.rotation[0]
            fill_pose(feedback.actual, position, rotation)
            feedback.position_error = float(np.linalg.norm(wanted[0] - position))
            turned = vector_from_matrix(wanted[1] @ rotation.T)
            feedback.rotation_error = float(np.linalg.norm(turned))
        feedback.desired_length = command.length
        feedback.actual_length = measured
        feedback.length_error = command.error
        return feedback
