# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The actions of the controller node: its own, and the standard one where control_msgs is installed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pkm_identification.control.controller import MachineController
from pkm_identification.control.tolerances import Tolerances

from ..node.diagnostics import ERROR
from ..node.pipeline_node import PipelineNode
from .motion_action import MotionAction, MotionCalls
from .trajectory_action import TrajectoryAction


def controller_actions(
    node: PipelineNode,
    controller: MachineController,
    values: Mapping[str, Any],
    names: Sequence[str],
    active: Callable[[], bool],
) -> list[MotionAction]:
    """Action servers that ask a controller for motions.

    Parameters
    ----------
    node : PipelineNode
    controller : MachineController
    values : mapping
        The node's parameters.
    names : sequence of str
        Joint names of the drives, in the order of the machine file.
    active : callable
        Whether goals are taken.
    """
    machine = controller.machine
    calls = MotionCalls(
        active,
        controller.submit,
        controller.cancel,
        lambda text: node.report(ERROR, "goal_failed", text),
    )
    common = (values["feedback_rate"], calls)
    actions: list[MotionAction] = [TrajectoryAction(node, machine, values["base_frame"], names, *common)]
    try:
        from .joint_trajectory_action import JointTrajectoryAction
    except ImportError as error:
        if (error.name or "").split(".")[0] != "control_msgs":
            raise
        node.get_logger().info("no follow_joint_trajectory: control_msgs is not installed")
        return actions
    chosen = controller.settings
    usual = Tolerances.at_goal(machine.drives, chosen.goal_tolerance, chosen.settling_time)
    actions.append(JointTrajectoryAction(node, machine, names, usual, lambda: controller.newest, *common))
    return actions
