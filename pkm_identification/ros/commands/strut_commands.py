# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the struts shall do, in the two forms that drivers take: joint states, and bare numbers in the struts' order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from builtin_interfaces.msg import Time
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from ..clock import set_stamp
from ..qos import COMMANDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..node.pipeline_node import PipelineNode

    Numbers = Sequence[float]

TOPIC = "strut_commands"
# What a command is about: field of JointState, and name of the topic below `strut_commands`. Two topics, because
# lengths that reach an effort controller, or forces that reach a position controller, would be believed.
LENGTHS = ("position", "positions")
FORCES = ("effort", "efforts")


class StrutCommands:
    """Publishes `strut_commands` and, while anybody listens, its numbers alone as Float64MultiArray.

    ros2_control's forward_command_controller and JointGroup...Controllers take the latter; their parameter `joints`
    must list the struts in order.

    Parameters
    ----------
    node : PipelineNode
    names : sequence of str
        Joint names of struts 1 to 6.
    kind : tuple of str
        `LENGTHS` or `FORCES`.
    """

    def __init__(self, node: PipelineNode, names: Sequence[str], kind: tuple[str, str]) -> None:
        self.message = JointState(name=list(names))
        self._field, topic = kind
        self._states = node.publisher(JointState, TOPIC, COMMANDS)
        self._values = node.publisher(Float64MultiArray, f"{TOPIC}/{topic}", COMMANDS)

    @property
    def publishers(self) -> tuple[Any, ...]:
        """The publishers of both forms."""
        return self._states, self._values

    def send(
        self, stamp: Time | float, position: Numbers, velocity: Numbers = (), effort: Numbers = ()
    ) -> None:
        """Send a command: stamp (or s), m, m/s, N."""
        message = self.message
        if isinstance(stamp, Time):
            message.header.stamp = stamp
        else:
            set_stamp(message.header.stamp, stamp)
        message.position, message.velocity, message.effort = position, velocity, effort
        self._states.publish(message)
        if self._values.get_subscription_count():
            self._values.publish(Float64MultiArray(data=getattr(message, self._field)))
