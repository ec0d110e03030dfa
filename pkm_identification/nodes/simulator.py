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

from ..machine import Machine
from ..records.joint_state import STRUT_NAMES
from ..ros.clock import set_stamp
from ..ros.convert import fill_pose, pose_of
from ..ros.diagnostics import WARN, Finding
from ..ros.force_commands import ForceCommands
from ..ros.joint_state import BadJointState, JointStateReader, fill_joint_state
from ..ros.main import run
from ..ros.node_base import MACHINE, PipelineNode
from ..ros.parameters import ParameterError, ParameterSpec
from ..ros.qos import CLOCK, COMMANDS, POSE, STREAM
from ..ros.throttle import Throttle
from ..simulation import TRAJECTORIES, Payload, SensorSettings, Simulator, perturbed, trajectory

NO_TRAJECTORY = "none"
MOTIONS = (NO_TRAJECTORY, *TRAJECTORIES)
FORMS = POSITION, EFFORT = "position", "effort"
TICK = 0.002  # s
# Samples made in one tick when the process was held up; more would flood the subscribers.
MOST_PER_TICK = 20
LONGEST_LAG = 0.1  # s behind real time, beyond which the schedule is moved instead of chased
SETTLING = 0.2  # s, for subscriptions that have just been found
ACKNOWLEDGED_WITHIN = 5.0


class SimulatorNode(PipelineNode):
    """`strut_states` at the drive's rate; follows a trajectory, `strut_commands` or `target_pose`."""

    NAME = "simulator"
    PARAMETERS = (
        MACHINE,
        ParameterSpec("trajectory", "rich", "motion to follow, unless commands are efforts", choices=MOTIONS),
        ParameterSpec("commands", POSITION, "strut_commands: lengths the drives go to, or their forces", choices=FORMS),
        ParameterSpec("lockstep", False, "of efforts: make a sample only when the one before is answered"),
        ParameterSpec("command_timeout", 0.1, "without efforts for so long the drives hold", "s", 0.001, 60),
        ParameterSpec("duration", 0.0, "length of the motion; 0: the trajectory's own", "s", 0, 1e6),
        ParameterSpec("motion_seed", 0, "of the tones and phases of rich motions", low=0),
        ParameterSpec("seed", 0, "of the sensors' noise", low=0),
        ParameterSpec("perturbation", 0.0, "how far the true parameters are from the machine's", "", 0, 0.9),
        ParameterSpec("perturbation_seed", 1, "of the true parameters", low=0),
        ParameterSpec("current_noise", 0.01, "noise of the currents, relative to their rms", "", 0, 10.0),
        ParameterSpec("current_bits", 12, "resolution of the currents; 0: exact", low=0, high=32),
        ParameterSpec("quantised_encoders", True, "lengths in whole encoder counts"),
        ParameterSpec("stamp_jitter", 0.0, "standard deviation of the stamps", "s", 0, 0.01),
        ParameterSpec("payload", "", "load taken up on the way: T,MASS or T,MASS,X,Y,Z in s, kg, m; empty: none"),
        ParameterSpec("payload_set_down", 0.0, "when it is set down again; 0: never", "s", 0, 1e6),
        ParameterSpec("real_time_factor", 1.0, "speed of the simulation", "", 0.01, 10.0),
        ParameterSpec("clock", False, "publish /clock"),
        ParameterSpec("start_time", 0.0, "stamp of the first sample; 0: the system's time", "s", 0, 2e9),
        ParameterSpec("truth_rate", 0.0, "rate of platform_truth; 0: not published", "Hz", 0, 1e4),
        ParameterSpec("wait", 0.0, "longest time to wait for subscribers of strut_states", "s", 0, 1e6),
        ParameterSpec("subscribers", 1, "how many subscribers to wait for", low=1, high=100),
        ParameterSpec("wait_for", [""], "other topics that must have a subscriber before the start"),
        ParameterSpec("shutdown_at_end", False, "end the process when the trajectory is over"),
    )  # fmt: skip

    def build(self) -> None:
        self.machine = Machine.load(self.parameter["machine"])
        with self.compiling():
            self.simulator = self._simulator()
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
        self._slow = 0.0
        self._made = 0

    def start(self) -> None:
        self.simulator.reset()
        self._made = 0
        self._over = False
        self.forces: ForceCommands | None = None
        if self.parameter["commands"] == EFFORT:
            chosen = self.parameter["lockstep"], self.parameter["command_timeout"]
            self.forces = ForceCommands(self.simulator, self.reader, *chosen)
        self._began: float | None = None
        self._deadline = time.monotonic() + self.parameter["wait"]
        self._wanted = self.parameter["subscribers"]
        self._pace = self.parameter["real_time_factor"] / self.simulator.period
        self.listen(JointState, "strut_commands", self.take_command, COMMANDS)
        self.listen(PoseStamped, "target_pose", self.take_target, COMMANDS)
        self.every(TICK, self.tick)

    def tick(self) -> None:
        """Make the samples that are due."""
        now = time.monotonic()
        if self._began is None:
            few = self.output.get_subscription_count() < self._wanted
            if now < self._deadline and (few or self.unheard(self.parameter["wait_for"])):
                return
            waited = SETTLING if self.parameter["wait"] > 0 else 0.0
            self._began = now + waited
            self._epoch = self.parameter["start_time"] or time.time() + waited
        due = math.floor((now - self._began) * self._pace) + 1 - self._made
        lag = due / self._pace
        if lag > LONGEST_LAG:
            self._began += lag
            self._slow += lag
            due = 1
        if self.forces is not None and self.forces.given_up():
            text = f"no strut_commands for {self.forces.patience:g} s: the drives hold by themselves"
            self.report(WARN, "commands_lost", text)
        for _ in range(min(due, MOST_PER_TICK)):
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
        if self._slow:
            yield WARN, f"{self._slow:.1f} s slower than asked for: this computer cannot keep up"
        if self.simulator.saturated.any():
            yield WARN, "drives at their force limit"

    def values(self) -> Mapping[str, object]:
        return {"samples": self._made, "time": self.simulator.time, "loop_gap": self.simulator.loop_gap}

    def _simulator(self) -> Simulator:
        truth = self.machine
        if self.parameter["perturbation"] > 0:
            truth = perturbed(
                self.machine, self.parameter["perturbation_seed"], self.parameter["perturbation"]
            )
        sensors = self.parameter.values("current_noise", "quantised_encoders", "stamp_jitter")
        name, seed = self.parameter["trajectory"], self.parameter["seed"]
        try:
            motion = None
            if name != NO_TRAJECTORY and self.parameter["commands"] == POSITION:
                duration = self.parameter["duration"] or None
                motion = trajectory(name, self.machine, duration, self.parameter["motion_seed"])
            settings = SensorSettings(current_bits=self.parameter["current_bits"] or None, **sensors)
            text, down = self.parameter["payload"], self.parameter["payload_set_down"] or math.inf
            payload = Payload.parse(text, down) if text else None
            return Simulator(
                truth, motion, nominal=self.machine, sensors=settings, seed=seed, payload=payload
            )
        except ValueError as error:
            raise ParameterError(f"parameters: {error}") from None

    def _sample(self) -> None:
        sample = self.simulator.step() if self.forces is None else self.forces.sample()
        self._made += 1
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
            self.get_logger().info(f"{self._made} samples simulated")
            self.finish()


def main(args: list[str] | None = None) -> int:
    """Run the node."""
    return run(SimulatorNode, args)


if __name__ == "__main__":
    sys.exit(main())
