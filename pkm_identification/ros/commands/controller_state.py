# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the controller publishes of itself: `controller_state`, next to its commands but less often."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from builtin_interfaces.msg import Time

from pkm_identification.control.controller import (
    EMERGENCY,
    HOLDING,
    MOVING,
    WAITING,
)
from pkm_identification.msg import ControllerState

from ..messages.convert import doubles
from ..qos import STREAM
from ..throttle import Throttle

if TYPE_CHECKING:
    from pkm_identification.control.controller import MachineController
    from pkm_identification.control.settings import Command

    from ..node.pipeline_node import PipelineNode

NUMBERS = {
    WAITING: ControllerState.WAITING,
    HOLDING: ControllerState.HOLDING,
    MOVING: ControllerState.MOVING,
    EMERGENCY: ControllerState.EMERGENCY,
}


class ControllerStates:
    """Publishes `controller_state`.

    Parameters
    ----------
    node : PipelineNode
    names : sequence of str
        Joint names of the drives in the machine file.
    rate : float
        Hz; 0: nothing is published.
    """

    def __init__(self, node: PipelineNode, names: Sequence[str], rate: float) -> None:
        self._message = ControllerState(names=list(names))
        self.publisher = node.publisher(ControllerState, "controller_state", STREAM)
        self._turn = Throttle(rate)

    def publish(self, controller: MachineController, command: Command, stamp: Time) -> None:
        """Tell of a command, if it is time; `stamp` is the command's."""
        if not self._turn.due(command.time):
            return
        message = self._message
        message.header.stamp = stamp
        message.state = NUMBERS[controller.state]
        message.mode = controller.mode
        message.estimates = controller.model.accepted
        message.desired_coordinate, message.error = doubles(command.coordinate), doubles(command.error)
        message.feed_forward, message.feedback = doubles(command.feed_forward), doubles(command.feedback)
        message.command = doubles(command.force)
        self.publisher.publish(message)
