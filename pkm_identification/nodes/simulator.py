"""simulator: a hexapod that is not there, on the topics of one that is."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterable, Mapping

from geometry_msgs.msg import PoseStamped
from rclpy.duration import Duration
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState

from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.records.joint_state import STRUT_NAMES
from pkm_identification.ros.clock import set_stamp
from pkm_identification.ros.commands.force_commands import ForceCommands
from pkm_identification.ros.messages.convert import fill_pose, pose_of
from pkm_identification.ros.messages.joint_state import (
    BadJointState,
    JointStateReader,
    fill_joint_state,
)
from pkm_identification.ros.node.diagnostics import WARN, Finding
from pkm_identification.ros.node.main import run
from pkm_identification.ros.node.pipeline_node import PipelineNode
from pkm_identification.ros.node.schedule import Schedule
from pkm_identification.ros.parameters.simulator import EFFORT, PARAMETERS, simulator_of
from pkm_identification.ros.qos import (
    CLOCK,
    COMMANDS,
    POSE,
    STREAM,
)
from pkm_identification.ros.throttle import Throttle

TICK = 0.002  # s
# Samples at once and s behind real time when the process was held up: free, and under a controller's forces.
FREE, DRIVEN = (20, 0.1), (5, 0.005)
SETTLING = 0.2  # s, for subscriptions that have just been discovered
ACKNOWLEDGED_WITHIN = 5.0


class SimulatorNode(PipelineNode):
    """`strut_states` at the drive's rate; follows a trajectory, `strut_commands` or `target_pose`."""

    NAME = "simulator"
    PARAMETERS = PARAMETERS

    def build(self) -> None:
        self.machine = Machine.load(self.parameter["machine"])
        with self.compiling():
            self.simulator = simulator_of(self.machine, self.parameter.all())
            self.simulator.step()
            self.simulator.reset()
        self.message = JointState(name=list(STRUT_NAMES))
        self.true_pose = PoseStamped()
        self.true_pose.header.frame_id = "base"
        self.output = self.publisher(JointState, "strut_states", STREAM)
        self.truths = self.publisher(PoseStamped, "platform_truth", POSE)
        self.clocks = self.publisher(Clock, "/clock", CLOCK) if self.parameter["clock"] else None
        self.reader = JointStateReader(stamped=False)
        self._truth_turn = Throttle(self.parameter["truth_rate"])

    def start(self) -> None:
        self.simulator.reset()
        self._over = False
        self.forces: ForceCommands | None = None
        if self.parameter["commands"] == EFFORT:
            chosen = self.parameter.values("lockstep", "longest_delay")
            chosen["longest_delay"] = chosen["longest_delay"] or math.inf
            patience = self.parameter["command_timeout"]
            self.forces = ForceCommands(self.simulator, self.reader, **chosen, patience=patience)
        driven = self.forces is not None and not self.parameter["lockstep"]
        self.schedule = Schedule(
            self.parameter["real_time_factor"] / self.simulator.period, *(DRIVEN if driven else FREE)
        )
        self._deadline = time.monotonic() + self.parameter["wait"]
        self._wanted = self.parameter["subscribers"]
        self.listen(JointState, "strut_commands", self.take_command, COMMANDS)
        self.listen(PoseStamped, "target_pose", self.take_target, COMMANDS)
        self.every(TICK, self.tick)

    def tick(self) -> None:
        """Simulate the samples that are due."""
        now = time.monotonic()
        if not self.schedule.begun:
            few = self.output.get_subscription_count() < self._wanted
            if now < self._deadline and (few or self.unheard(self.parameter["wait_for"])):
                return
            waited = SETTLING if self.parameter["wait"] > 0 else 0.0
            self.schedule.begin(now + waited)
            self._epoch = self.parameter["start_time"] or time.time() + waited
        due = self.schedule.due(now)
        if self.forces is not None and self.forces.given_up():
            text = f"no strut_commands for {self.forces.patience:g} s: the drives hold by themselves"
            self.report(WARN, "commands_lost", text)
        for _ in range(due):
            if self._over or not (self.forces is None or self.forces.ready):
                return
            self._sample()
        if due > 0 and self.clocks is not None:
            self.clocks.publish(Clock(clock=self.message.header.stamp))

    def take_command(self, message: JointState) -> None:
        """Strut lengths to go to, with rates when they are part of a stream; or forces."""
        try:
            if self.forces is not None:
                if self.forces.take(message, self.message.header.stamp):
                    self.tick()
                return
            reading = self.reader.read(message)
            self.simulator.command_lengths(reading.length, self.reader.rates(message))
        except (BadJointState, ValueError) as error:
            self.report(WARN, "command_refused", f"strut_commands: {error}")

    def take_target(self, message: PoseStamped) -> None:
        """A pose to go to."""
        if self.forces is not None:
            self.report(WARN, "command_refused", "target_pose: the drives take forces (commands: effort)")
            return
        try:
            self.simulator.command_pose(*pose_of(message.pose))
        except ValueError as error:
            self.report(WARN, "command_refused", f"target_pose: {error}")

    def hardware(self) -> str:
        return self.simulator.machine.name

    def findings(self) -> Iterable[Finding]:
        if self.schedule.lost:
            yield WARN, f"{self.schedule.lost:.1f} s slower than asked for: this computer cannot keep up"
        if self.simulator.saturated.any():
            yield WARN, "drives at their force limit"

    def values(self) -> Mapping[str, object]:
        values = {
            "samples": self.schedule.count,
            "time": self.simulator.time,
            "loop_gap": self.simulator.loop_gap,
        }
        if self.forces is not None:
            values["longest_delay"] = self.forces.longest_delay()
        return values

    def _sample(self) -> None:
        sample = self.simulator.step() if self.forces is None else self.forces.sample()
        self.schedule.count += 1
        fill_joint_state(self.message, self._epoch + sample.time, sample.length, sample.force)
        self.output.publish(self.message)
        if self._truth_turn.due(sample.time):
            truth = self.simulator.truth
            set_stamp(self.true_pose.header.stamp, self._epoch + truth.time)
            fill_pose(self.true_pose.pose, truth.position, truth.rotation)
            self.truths.publish(self.true_pose)
        if self.simulator.finished and self.parameter["shutdown_at_end"]:
            self._over = True
            self.output.wait_for_all_acked(Duration(seconds=ACKNOWLEDGED_WITHIN))
            self.get_logger().info(f"{self.schedule.count} samples simulated")
            self.finish()


def main(args: list[str] | None = None) -> int:
    """Run the node."""
    return run(SimulatorNode, args)


if __name__ == "__main__":
    sys.exit(main())
