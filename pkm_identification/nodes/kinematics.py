"""kinematics: filtered strut motion in, platform pose and motion out; poses in, strut commands out."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import partial

import numpy as np
from geometry_msgs.msg import PoseStamped

from pkm_identification.mechanisms.hexapod.kinematics import (
    DEGRADED,
    FAILED,
    STATUS_NAMES,
    forward_kinematics,
    strut_lengths,
)
from pkm_identification.mechanisms.hexapod.kinematics.tracker import PlatformSample, PlatformTracker
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.msg import PlatformState, StrutStates
from pkm_identification.records.joint_state import STRUT_NAMES
from pkm_identification.ros.commands.strut_commands import LENGTHS, StrutCommands
from pkm_identification.ros.display import display
from pkm_identification.ros.messages.convert import (
    PLATFORM_STATE,
    finite,
    platform_state,
    strut_sample,
)
from pkm_identification.ros.messages.wire import StreamWriter
from pkm_identification.ros.node.base import MACHINE, PipelineNode
from pkm_identification.ros.node.diagnostics import ERROR, WARN, Finding
from pkm_identification.ros.node.main import run
from pkm_identification.ros.parameters.declarations import LiveParameter, ParameterSpec
from pkm_identification.ros.qos import COMMANDS, STREAM
from pkm_identification.ros.solvers import reachable_lengths, solve_forward, solve_inverse
from pkm_identification.signals.causal import StrutSample
from pkm_identification.srv import SolveForward, SolveInverse

# What can be wrong with a pose: counter, level, and what to say for as long as it lasts.
NOT_CONVERGED, ANOTHER_MODE, NEAR_SINGULAR = "not_converged", "another_mode", "near_singular"
LEVELS = {NOT_CONVERGED: ERROR, ANOTHER_MODE: WARN, NEAR_SINGULAR: WARN}
STANDING = {
    NOT_CONVERGED: "no pose fits the strut lengths",
    ANOTHER_MODE: "poses found are of another assembly mode: not used",
    NEAR_SINGULAR: "near a singular pose: parameters are not estimated",
}


class KinematicsNode(PipelineNode):
    """`strut_states/filtered` -> `platform_state`, `platform_pose`, TF, `joint_states`, `markers`;
    `target_pose` -> `strut_commands`; services `solve_forward` and `solve_inverse`."""

    NAME = "kinematics"
    PARAMETERS = (
        MACHINE,
        ParameterSpec("joint_names", list(STRUT_NAMES), "joint names of struts 1 to 6 in strut_commands"),
        *display.PARAMETERS,
        LiveParameter("degraded_condition", 100.0, "condition number above which a pose is DEGRADED", "", 1.0, 1e9),
    )  # fmt: skip

    def build(self) -> None:
        self.machine = Machine.load(self.parameter["machine"])
        self.tracker = PlatformTracker(self.machine, self.parameter["degraded_condition"])
        with self.compiling():
            self._warm_up()
        self.writer = StreamWriter(PLATFORM_STATE, self.parameter["base_frame"])
        self.states = self.publisher(PlatformState, "platform_state", STREAM)
        self.commands = StrutCommands(self, self.parameter["joint_names"], LENGTHS)
        self.display = display.PlatformDisplay(self, self.machine, self.parameter.all())
        self._counts: Counter[str] = Counter()

    def start(self) -> None:
        self.tracker.reset()
        self._trouble: str | None = None
        self.listen(StrutStates, "strut_states/filtered", self.take, STREAM, raw=True)
        self.listen(PoseStamped, "target_pose", self.take_target, COMMANDS)
        self.serve_trigger("~/reset", self.reset)
        self.serve(SolveForward, "solve_forward", partial(solve_forward, self.machine))
        self.serve(SolveInverse, "solve_inverse", partial(solve_inverse, self.machine))

    def changed(self, names: set[str]) -> None:
        """Take over live parameters."""
        self.display.set_rates(self.parameter["pose_rate"], self.parameter["marker_rate"])
        self.tracker.degraded_condition = self.parameter["degraded_condition"]

    def take(self, message: bytes | StrutStates) -> None:
        """One filtered strut sample: one platform state."""
        try:
            filtered, delay = strut_sample(message)
        except ValueError as error:
            self.report(WARN, "bad_message", f"strut_states/filtered: {error}")
            return
        sample = self.tracker.step(filtered)
        self._counts[STATUS_NAMES[sample.status]] += 1
        trouble = _trouble(sample)
        if trouble != self._trouble and trouble is not None:
            self.report(LEVELS[trouble], trouble, sample.message)
        self._trouble = trouble
        if not finite(sample.position, sample.rotation, sample.twist, sample.acceleration, sample.force):
            self.report(ERROR, "not_finite_output", "forward kinematics gave a number that is not finite")
            self.tracker.reset()
            return
        try:
            state = platform_state(self.writer, sample, delay)
        except ValueError as error:
            self.report(WARN, "bad_stamp", str(error))
            return
        self.states.publish(state)
        if sample.status != FAILED:
            self.display.show(sample)

    def take_target(self, message: PoseStamped) -> None:
        """A wished pose: the strut lengths that give it, unless a strut cannot reach."""
        frame = message.header.frame_id
        if frame not in ("", self.parameter["base_frame"]):
            self.report(
                WARN,
                "target_frame",
                f"target_pose is in frame '{frame}', expected '{self.parameter['base_frame']}'",
            )
            return
        length, problem = reachable_lengths(self.machine, message.pose)
        if length is None:
            self.report(WARN, "target_unreachable", f"target_pose refused: {problem}")
            return
        self.commands.send(message.header.stamp, length.tolist())

    def reset(self) -> str:
        """Start from the home pose again."""
        self.tracker.reset()
        self.get_logger().info("reset")
        return "reset"

    def hardware(self) -> str:
        return self.machine.name

    def findings(self) -> Iterable[Finding]:
        if self._trouble is not None:
            yield LEVELS[self._trouble], STANDING[self._trouble]

    def values(self) -> Mapping[str, object]:
        return {name: self._counts[name] for name in STATUS_NAMES}

    def _warm_up(self) -> None:
        m = self.machine
        home = strut_lengths(m, m.home_position[None], m.home_rotation[None])
        forward_kinematics(m, home)
        sample = self.tracker.step(StrutSample(0.0, home[0], np.zeros(6), np.zeros(6), None, 0))
        platform_state(StreamWriter(PLATFORM_STATE), sample, 0.0)


def _trouble(sample: PlatformSample) -> str | None:
    """The counter of what is wrong with a sample, None if nothing is."""
    if sample.status == FAILED:
        return ANOTHER_MODE if sample.jumped else NOT_CONVERGED
    return NEAR_SINGULAR if sample.status == DEGRADED else None


def main(args: list[str] | None = None) -> int:
    """Run the node."""
    return run(KinematicsNode, args)


if __name__ == "__main__":
    sys.exit(main())
