# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""controller: strut states in, forces or coordinates for the drives out; follows trajectories, stops when it must."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from sensor_msgs.msg import JointState

from pkm_identification.control.controller import EMERGENCY, WAITING, MachineController, require_workspace
from pkm_identification.control.follower import Setpoint
from pkm_identification.control.model import EstimateReader, EstimateRefused
from pkm_identification.control.settings import WORKSPACE, Command
from pkm_identification.control.warm_up import warm_up
from pkm_identification.errors import PkmError
from pkm_identification.machines.load import load_machine
from pkm_identification.msg import ParameterEstimate as EstimateMessage
from pkm_identification.ros.commands.controller_actions import controller_actions
from pkm_identification.ros.commands.controller_state import ControllerStates
from pkm_identification.ros.commands.goal_request import known_layout
from pkm_identification.ros.commands.motion_action import MotionAction
from pkm_identification.ros.commands.strut_commands import FORCES, LENGTHS, StrutCommands
from pkm_identification.ros.estimates.belief import build_believed_basis
from pkm_identification.ros.messages.joint_state import BadJointState, JointStateReader
from pkm_identification.ros.node.diagnostics import ERROR, WARN, Finding
from pkm_identification.ros.node.inputs import SILENCE
from pkm_identification.ros.node.main import run
from pkm_identification.ros.node.pipeline_node import PipelineNode
from pkm_identification.ros.parameters.controller import PARAMETERS, build_controller_settings
from pkm_identification.ros.parameters.declarations import list_joints, read_joint_names, read_period
from pkm_identification.ros.qos import LATCHED, STRUT_STATES_SUBSCRIPTION

LOOKS = 5  # at the input, in the time after which it counts as lost


class ControllerNode(PipelineNode):
    """`strut_states` -> `strut_commands`; actions that move; the model follows `parameter_estimate`."""

    NAME = "controller"
    TASK = "control"
    PARAMETERS = PARAMETERS
    actions: tuple[MotionAction, ...] = ()

    def build(self) -> None:
        self.machine = load_machine(self.parameter["machine"])
        values = self.parameter.all()
        own = list_joints(self.machine)
        names = read_joint_names(own, values["joint_names"])
        period = read_period(self.machine, values["sample_rate"])
        settings = build_controller_settings(values, self.machine)
        self.reader = JointStateReader(names)
        with self.compiling():
            known_layout(len(own))
            warm_up(MachineController(self.machine, period, settings))
            self.estimates = EstimateReader(self.machine)
            self.controller = MachineController(self.machine, period, settings)
        self.commands = StrutCommands(self, names, LENGTHS if self.machine.place_drives else FORCES)
        self.states = ControllerStates(self, own, values["state_rate"])
        self.actions = tuple(controller_actions(self, self.controller, values, names, lambda: self._active))

    def start(self) -> None:
        self.controller.reset()
        self._seen = self._silent = 0
        self.inputs.listen(
            JointState, "strut_states", self.take, STRUT_STATES_SUBSCRIPTION, self.answer, patience=SILENCE
        )
        # estimates come as seldom as their publisher likes: it is left when it has gone
        self.inputs.listen(
            EstimateMessage, "parameter_estimate", self.take_estimate, LATCHED, patience=math.inf
        )
        self.serve_trigger("~/reset", self.reset)
        self.serve_trigger("~/stop", self.operator_stop)
        self.every(self.controller.settings.lost_after / (LOOKS - 1), self.watch)
        if self.thread_priority is not None:
            refusal = self.thread_priority.rise(self.parameter["thread_priority"])
            if refusal is not None:
                self.get_logger().info(f"{refusal}; commands may be late when the computer is busy")

    def stop(self) -> None:
        """Motions end; nothing more is commanded."""
        if self.thread_priority is not None:
            self.thread_priority.fall()
        if self.actions:
            self.controller.reset()
            self._drop_unread("the controller was deactivated")
            self._follow(None, None)

    def release(self) -> None:
        actions, self.actions = self.actions, ()
        for action in actions:
            action.destroy()

    def take(self, message: JointState) -> bool:
        """One sample of the drives; False where it is none of theirs."""
        try:
            reading = self.reader.read(message)
        except BadJointState as problem:
            self.report(ERROR, problem.reason, str(problem))
            return False
        self.controller.take(reading.time, reading.coordinate)
        rejection = self.controller.validation.last_rejection
        if rejection is not None:
            self.report(WARN, *rejection)
        return True

    def answer(self) -> None:
        """One command for all samples that had piled up."""
        self._send(self.controller.answer())

    def take_estimate(self, message: EstimateMessage) -> None:
        """One estimate: believed as far as it is fresh, finite, shown, beyond doubt, possible and of this machine."""
        if not self.parameter["use_estimates"]:
            return
        try:
            basis = build_believed_basis(
                message, self.estimates, self.controller.newest, self.parameter["estimate_age"]
            )
        except EstimateRefused as refusal:
            self.report(WARN, "estimate_refused", str(refusal))
            return
        self.controller.take_estimate(basis)

    def watch(self) -> None:
        """Is the input still there? Counted in looks, so that a pause of this process is not taken for one of it."""
        seen = self.controller.validation.counts["accepted"]
        self._silent = self._silent + 1 if seen == self._seen else 0
        self._seen = seen
        if self._silent >= LOOKS:
            self.controller.lost()
        if self._silent and self.controller.state == EMERGENCY:
            self._send(self.controller.safe())
        elif self._silent:
            self._follow(None, None)

    def operator_stop(self) -> str:
        """Stop because somebody says so."""
        if self.controller.state == WAITING:
            raise PkmError("nothing is commanded yet: there is nothing to stop")
        self.controller.emergency("operator", "~/stop was called")
        # of an earlier stop, where there was one
        _, reason = self.controller.trouble or ("", "~/stop was called")
        return f"emergency stop until ~/reset: {reason}"

    def reset(self) -> str:
        """Leave an emergency stop."""
        self.controller.release()
        self._drop_unread("an emergency stop came before it had been read")
        self.get_logger().info("reset: the machine is held where it is")
        return "reset: the machine is held where it is"

    def accept(self, values: Mapping[str, Any]) -> None:
        """The mode is one that the machine has, and does not change in an emergency stop."""
        if values["mode"] == self.parameter["mode"]:
            return
        if self.machine.place_drives:
            raise PkmError(f"{self.machine.place_drives}: there is no mode to choose")
        if values["mode"] == WORKSPACE:
            require_workspace(self.machine)
        if self.controller.state == EMERGENCY:
            raise PkmError("an emergency stop is on; call ~/reset first")

    def apply_changes(self, names: set[str]) -> None:
        if "mode" in names:
            self.controller.mode = self.parameter["mode"]
        if "use_estimates" in names and not self.parameter["use_estimates"]:
            self.controller.take_estimate(np.array(self.machine.basis.nominal))
        self.get_logger().info(f"{', '.join(sorted(names))} changed")

    @property
    def commanding(self) -> tuple[Any, ...]:
        return self.commands.publishers

    def hardware(self) -> str:
        return self.machine.name

    def findings(self) -> Iterable[Finding]:
        if self.controller.trouble is not None:
            yield ERROR, f"emergency stop until ~/reset: {self.controller.trouble[1]}"
        elif self.controller.state == WAITING:
            yield WARN, "no strut_states yet: nothing is commanded"

    def values(self) -> Mapping[str, object]:
        controller = self.controller
        counts = {name: controller.validation.counts[name] for name in ("accepted", "filled")}
        return {
            "state": controller.state,
            "mode": controller.mode,
            "scheduling": str(self.thread_priority or "that of the process"),
            "estimates": controller.model.accepted,
            **counts,
        }

    def _send(self, command: Command | None) -> None:
        if command is not None:
            force = () if self.machine.place_drives else command.force.tolist()
            self.commands.send(command.time, command.coordinate.tolist(), command.rate.tolist(), force)
            self.states.publish(self.controller, command, self.commands.message.header.stamp)
        motions = self.controller.motions
        self._follow(None if motions is None else motions.follower.setpoint(), command)

    def _follow(self, setpoint: Setpoint | None, command: Command | None) -> None:
        for action in self.actions:
            action.follow(setpoint, command)

    def _drop_unread(self, why: str) -> None:
        for action in self.actions:
            action.drop_unread(why)


def main(args: list[str] | None = None) -> int:
    """Run the node."""
    return run(ControllerNode, args)


if __name__ == "__main__":
    sys.exit(main())
