# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""kinematics: filtered motion of the drives in, motion of all of the machine out; poses in, strut commands out."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping

import numpy as np
from geometry_msgs.msg import PoseStamped

from pkm_identification.identification.online.filter_stage import NOT_FINITE_OUTPUT
from pkm_identification.identification.online.tracker_stage import (
    ANOTHER_MODE,
    NEAR_SINGULAR,
    NOT_CONVERGED,
    TrackerStage,
)
from pkm_identification.machines.capabilities import PlatformPose, has
from pkm_identification.machines.contract import FAILED
from pkm_identification.machines.load import load_machine
from pkm_identification.motion import DriveSample
from pkm_identification.msg import PlatformState, StrutStates
from pkm_identification.ros.clock import StampError
from pkm_identification.ros.commands.kinematic_services import KinematicServices
from pkm_identification.ros.commands.strut_commands import LENGTHS, StrutCommands
from pkm_identification.ros.messages.convert import create_strut_stream, strut_sample
from pkm_identification.ros.messages.machine_motion import MotionMessages
from pkm_identification.ros.node.diagnostics import ERROR, WARN, Finding
from pkm_identification.ros.node.hand_over import Handed
from pkm_identification.ros.node.inputs import SILENCE
from pkm_identification.ros.node.main import run
from pkm_identification.ros.node.pipeline_node import PipelineNode
from pkm_identification.ros.parameters.declarations import (
    JOINT_NAMES,
    MACHINE,
    LiveParameter,
    list_joints,
    read_joint_names,
)
from pkm_identification.ros.platform_display import DISPLAY_PARAMETERS, PlatformDisplay
from pkm_identification.ros.qos import COMMANDS, STREAM
from pkm_identification.srv import SolveForward, SolveInverse

LEVELS = {NOT_CONVERGED: ERROR, NOT_FINITE_OUTPUT: ERROR}
# What to say of a pose for as long as it lasts.
STANDING = {
    NOT_CONVERGED: "no pose fits the strut lengths",
    ANOTHER_MODE: "poses are of another assembly mode: not used",
    NEAR_SINGULAR: "near a singular pose: parameters are not estimated",
}


class KinematicsNode(PipelineNode):
    """`strut_states/filtered` -> `platform_state`, `markers`; poses, TF; `target_pose` -> `strut_commands`."""

    NAME = "kinematics"
    TASK = "pose"
    PATIENT = True
    PARAMETERS = (
        MACHINE,
        JOINT_NAMES,
        *DISPLAY_PARAMETERS,
        LiveParameter("degraded_condition", 100.0, "condition number above which a pose is DEGRADED", "", 1.0, 1e9),
    )  # fmt: skip

    def build(self) -> None:
        self.machine = load_machine(self.parameter["machine"])
        self.posed = has(self.machine, PlatformPose)
        names = read_joint_names(list_joints(self.machine), self.parameter["joint_names"])
        self.stage = TrackerStage(self.machine)
        self._set_condition()
        messages = MotionMessages(self.machine, self.stage.tracker, self.parameter["base_frame"])
        with self.compiling():
            self._warm_up()
        self.struts = create_strut_stream(list_joints(self.machine))
        self.states = self.stream_output(PlatformState, "platform_state", STREAM, messages.write)
        if self.posed:
            self.commands = StrutCommands(self, names, LENGTHS)
            self.solving = KinematicServices(self.machine, TrackerStage(self.machine).tracker)
        self.display = PlatformDisplay(self, self.machine, messages, self.parameter.all())

    def start(self) -> None:
        self.stage.restart()
        self.stage.fault = None
        self.inputs.listen_to_stream(
            self.hand_over, StrutStates, "strut_states/filtered", self.take, STREAM, silence=SILENCE
        )
        self.serve_trigger("~/reset", self.reset)
        if self.posed:
            self.inputs.listen(PoseStamped, "target_pose", self.take_target, COMMANDS)
            self.serve(SolveForward, "solve_forward", self.solving.solve_forward)
            self.serve(SolveInverse, "solve_inverse", self.solving.solve_inverse)

    def apply_changes(self, names: set[str]) -> None:
        """Take over live parameters."""
        self.display.set_rates(self.parameter["pose_rate"], self.parameter["marker_rate"])
        self._set_condition()

    def _set_condition(self) -> None:
        """Hand the limit to what follows the platform on six struts; others have limits of their own."""
        platform = getattr(self.stage.tracker, "platform", None)
        if platform is not None:
            platform.degraded_condition = self.parameter["degraded_condition"]

    def take(self, message: bytes | StrutStates | Handed) -> None:
        """One filtered strut sample: one platform state."""
        try:
            filtered, delay = strut_sample(self.struts, message)
        except ValueError as error:
            self.report(WARN, "bad_message", f"strut_states/filtered: {error}")
            return
        sample = self.stage.step(filtered)
        self.report_events(self.stage.events, LEVELS)
        if sample is None:
            return
        try:
            self.states.send(sample, delay)
        except StampError as error:
            self.report(WARN, "bad_stamp", str(error))
            return
        if sample.status < FAILED:
            self.display.show(sample)

    def take_target(self, message: PoseStamped) -> None:
        """A wished pose: the drives' coordinates that give it, unless one cannot reach."""
        frame = message.header.frame_id
        if frame not in ("", self.parameter["base_frame"]):
            self.report(
                WARN,
                "target_frame",
                f"target_pose is in frame '{frame}', expected '{self.parameter['base_frame']}'",
            )
            return
        coordinate, problem = self.solving.find_coordinates(message.pose)
        if coordinate is None:
            self.report(WARN, "target_unreachable", f"target_pose refused: {problem}")
            return
        self.commands.send(message.header.stamp, coordinate.tolist())

    def reset(self) -> str:
        """Start from the home pose again."""
        self.stage.restart()
        self.get_logger().info("reset")
        return "reset"

    def hardware(self) -> str:
        return self.machine.name

    def findings(self) -> Iterable[Finding]:
        if self.stage.fault is not None and not self.silent:
            yield LEVELS.get(self.stage.fault, WARN), STANDING[self.stage.fault]

    def values(self) -> Mapping[str, object]:
        return self.stage.counts

    def _warm_up(self) -> None:
        stage, home = TrackerStage(self.machine), self.machine.home
        still = np.zeros(len(home))
        sample = stage.step(DriveSample(0.0, home, still, still, None, 0))
        if sample is not None:
            MotionMessages(self.machine, stage.tracker).write(sample, 0.0)


def main(args: list[str] | None = None) -> int:
    """Run the node."""
    return run(KinematicsNode, args)


if __name__ == "__main__":
    sys.exit(main())
