# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Goals that are still being read when the controller stops never move anything."""

from __future__ import annotations

from threading import Event

import pytest
from action_msgs.msg import GoalStatus
from rclpy.action import ActionClient
from ros.controlled_machine import Goal
from ros.ros_bench import Bench

from pkm_identification.action import ExecuteTrajectory
from pkm_identification.control.motions import INVALID_GOAL, STOPPED
from pkm_identification.control.paths.background_call import BackgroundCall
from pkm_identification.errors import MotionRefused
from pkm_identification.ros.commands.motion_action import MotionAction, MotionCalls


class LongReading(MotionAction):
    """Reads a goal until it is let go on; then the goal makes no sense."""

    def __init__(self, node, submitted):
        self.go_on = Event()
        self.error: Exception = MotionRefused("read to its end")
        self.at_once = False
        self.failures: list[str] = []
        calls = MotionCalls(lambda: True, submitted.append, submitted.append, self.failures.append)
        super().__init__(node, ExecuteTrajectory, "read_for_long", 10.0, calls)

    def _motion(self):
        assert self.go_on.wait(600.0)
        raise self.error

    def reading(self, request):
        if self.at_once:
            raise self.error
        return BackgroundCall(True, self._motion)

    def result(self, outcome):
        return ExecuteTrajectory.Result(error_code=outcome.code, error_string=outcome.text)


@pytest.fixture
def action(bench: Bench):
    submitted = []
    made = LongReading(bench.node, submitted)
    yield made
    made.go_on.set()
    made.destroy()
    assert submitted == []


def test_a_goal_that_is_dropped_while_it_is_read_ends_at_once(bench: Bench, action):
    client = ActionClient(bench.node, ExecuteTrajectory, "read_for_long")
    bench.wait(client.server_is_ready, "the action server")
    sent = Goal(bench, client, ExecuteTrajectory.Goal())
    bench.wait(lambda: sent.handle.status == GoalStatus.STATUS_EXECUTING, "the goal to be read")
    action.follow(None, None)
    assert not sent.done
    action.drop_unread("the controller was deactivated")
    answer = sent.result()
    assert answer.status == GoalStatus.STATUS_ABORTED
    assert (answer.result.error_code, answer.result.error_string) == (
        STOPPED,
        "the controller was deactivated",
    )
    # the next goal is read as ever
    after = Goal(bench, client, ExecuteTrajectory.Goal())
    action.go_on.set()
    bench.wait(lambda: action.follow(None, None) or after.done, "the next goal to be read")
    assert after.result().result.error_string == "read to its end"
    assert action.failures == []
    client.destroy()


@pytest.mark.parametrize("at_once", [False, True])
def test_an_error_nobody_has_foreseen_ends_the_goal_alone(bench: Bench, action, at_once):
    """In the thread that reads it, or before there is one."""
    action.error, action.at_once = ZeroDivisionError("a defect\nof ours"), at_once
    action.go_on.set()
    client = ActionClient(bench.node, ExecuteTrajectory, "read_for_long")
    bench.wait(client.server_is_ready, "the action server")
    sent = Goal(bench, client, ExecuteTrajectory.Goal())
    bench.wait(lambda: action.follow(None, None) or sent.done, "the goal to end")
    answer = sent.result()
    assert answer.status == GoalStatus.STATUS_ABORTED
    text = "the motion cannot be worked out: ZeroDivisionError: a defect\\nof ours"
    assert (answer.result.error_code, answer.result.error_string) == (INVALID_GOAL, text)
    assert action.failures == [text]
    # the next goal is read as ever
    action.error, action.at_once = MotionRefused("makes no sense"), False
    after = Goal(bench, client, ExecuteTrajectory.Goal())
    bench.wait(lambda: action.follow(None, None) or after.done, "the next goal to be read")
    assert after.result().result.error_string == "makes no sense"
    client.destroy()
