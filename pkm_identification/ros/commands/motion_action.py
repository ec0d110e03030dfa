# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the controller's two actions have in common: goals become motions, their ends become results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rclpy.action import CancelResponse, GoalResponse
from rclpy.action.server import GoalEvent, ServerGoalHandle
from rclpy.node import Node

from pkm_identification.control.follower import Setpoint
from pkm_identification.control.motions import CANCELED, STOPPED, SUCCESSFUL, Motion, Outcome
from pkm_identification.control.paths.background_call import BackgroundCall
from pkm_identification.control.settings import Command
from pkm_identification.errors import MotionRefused

from ..throttle import Throttle
from .goal_server import GoalServer


class GoalRefused(MotionRefused):
    """A goal that is refused with a code of its own."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


@dataclass(frozen=True)
class MotionCalls:
    """What an action server asks of its controller.

    Attributes
    ----------
    active : callable
        Whether goals are taken at all.
    submit, cancel : callable
        What to do with a new motion, and with one that is given up.
    failed : callable
        Called with an error that nobody has foreseen and that has ended a goal.
    """

    active: Callable[[], bool]
    submit: Callable[[Motion], None]
    cancel: Callable[[Motion], None]
    failed: Callable[[str], None]


class MotionAction:
    """An action server of a controller.

    A goal that is not accepted carries no reason in ROS. Hence goals are accepted and looked at; a bad one is aborted
    before anything moves, and its result says why.

    Parameters
    ----------
    node : Node
    action_type : type
    name : str
    feedback_rate : float
        Hz.
    calls : MotionCalls
    """

    def __init__(
        self, node: Node, action_type: Any, name: str, feedback_rate: float, calls: MotionCalls
    ) -> None:
        self._calls = calls
        self._turn = Throttle(feedback_rate)
        self._goals: list[tuple[ServerGoalHandle, Motion]] = []
        self._read: list[tuple[ServerGoalHandle, BackgroundCall[Motion]]] = []
        self._server = GoalServer(
            node,
            action_type,
            name,
            execute_callback=lambda _: action_type.Result(),  # see `_finish`
            goal_callback=lambda _: GoalResponse.ACCEPT if calls.active() else GoalResponse.REJECT,
            handle_accepted_callback=self._begin,
            cancel_callback=self._give_up,
        )

    # What an action writes

    def reading(self, request: Any) -> BackgroundCall[Motion]:
        """The motion of a goal; raises MotionRefused if it makes no sense."""
        raise NotImplementedError

    def result(self, outcome: Outcome) -> Any:
        """The action's result."""
        raise NotImplementedError

    def feedback(self, request: Any, motion: Motion, setpoint: Setpoint, command: Command) -> Any:
        """The action's feedback on a goal whose motion has begun."""
        raise NotImplementedError

    # What the node calls

    @property
    def takes_in_background(self) -> bool:
        """Whether control goes on while a goal is taken."""
        return self._server.takes_in_background

    def destroy(self) -> None:
        """Withdraw the action; goals must have ended, but for those that are still being read."""
        self.drop_unread("the controller has ended")
        self._server.destroy()

    def drop_unread(self, why: str) -> None:
        """End the goals that are still being read: they were not meant for what comes after a stop."""
        while self._read:
            self._finish(self._read.pop(0)[0], Outcome(STOPPED, why))

    def follow(self, setpoint: Setpoint | None, command: Command | None) -> None:
        """After each sample: publish feedback, begin what has been read, and end what has ended."""
        self._submit_read()
        for handle, motion in tuple(self._goals):
            if motion.outcome is not None:
                self._goals.remove((handle, motion))
                self._finish(handle, motion.outcome)
            elif (
                motion.started
                and setpoint is not None
                and command is not None
                and self._turn.due(command.time)
            ):
                handle.publish_feedback(self.feedback(handle.request, motion, setpoint, command))

    def _begin(self, handle: ServerGoalHandle) -> None:
        # Not `execute`: its callback would have to wait, and a waiting coroutine keeps rclpy's executors busy.
        handle._update_state(GoalEvent.EXECUTE)
        try:
            reading = self.reading(handle.request)
        except Exception as error:  # control must not end with a goal
            self._finish(handle, Outcome.of_error(error))
            return
        self._read.append((handle, reading))
        self._submit_read()

    def _submit_read(self) -> None:
        """Submit the goals whose waypoints are known by now, in their order."""
        while self._read and self._read[0][1].done:
            handle, reading = self._read.pop(0)
            try:
                motion = reading.answer()
            except GoalRefused as refusal:
                self._finish(handle, Outcome(refusal.code, str(refusal)))
                continue
            except Exception as error:
                self._finish(handle, Outcome.of_error(error))
                continue
            self._goals.append((handle, motion))
            if handle.is_cancel_requested:
                motion.end(Outcome(CANCELED, "canceled before it began"))
            else:
                self._calls.submit(motion)

    def _give_up(self, handle: ServerGoalHandle) -> CancelResponse:
        for known, motion in self._goals:
            if known is handle or known.goal_id == handle.goal_id:
                self._calls.cancel(motion)
        return CancelResponse.ACCEPT

    def _finish(self, handle: ServerGoalHandle, outcome: Outcome) -> None:
        result = self.result(outcome)
        if outcome.unforeseen:
            self._calls.failed(outcome.text)

        def end(goal: ServerGoalHandle) -> Any:
            if outcome.code == SUCCESSFUL:
                goal.succeed()
            elif outcome.code == CANCELED and goal.is_cancel_requested:
                goal.canceled()
            else:
                goal.abort()
            return result

        self._server.notify_execute(handle, end)
