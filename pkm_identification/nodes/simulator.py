# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""simulator: a machine that is not there, on the topics of one that is."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterable, Mapping

import numpy as np
from geometry_msgs.msg import PoseStamped
from rclpy.duration import Duration
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool

from pkm_identification.errors import PkmError, SettingsError
from pkm_identification.machines.capabilities import MotionSensors, PlatformPose, has
from pkm_identification.machines.load import load_machine
from pkm_identification.ros.clock import set_stamp
from pkm_identification.ros.commands.outside_commands import OutsideCommands
from pkm_identification.ros.messages.convert import fill_pose, pose_of
from pkm_identification.ros.messages.joint_state import (
    BadJointState,
    JointStateReader,
    fill_joint_state,
)
from pkm_identification.ros.messages.sensor_readings import SensorReadings
from pkm_identification.ros.node.diagnostics import WARN, Finding
from pkm_identification.ros.node.main import run
from pkm_identification.ros.node.pipeline_node import PipelineNode
from pkm_identification.ros.node.schedule import Schedule
from pkm_identification.ros.parameters.declarations import list_joints, read_joint_names
from pkm_identification.ros.parameters.simulator import CONTROLLER, PARAMETERS, POSITION, simulator_of
from pkm_identification.ros.qos import (
    CLOCK,
    COMMANDS,
    POSE,
    STREAM,
)
from pkm_identification.ros.throttle import Throttle
from pkm_identification.simulation.faults import parse_fault
from pkm_identification.simulation.payload import Payload
from pkm_identification.srv import SetFault, SetPayload, StepSimulation

TICK = 0.002  # s
# Samples at once and s behind real time when the process was held up: free, and under a controller's forces.
FREE, DRIVEN = (20, 0.1), (5, 0.005)
SETTLING = 0.2  # s, for subscriptions that have just been discovered
ACKNOWLEDGED_WITHIN = 5.0  # s
MOST_STEPS = 10_000


class StepRefused(PkmError):
    """Samples that cannot be made at once."""


class SimulatorNode(PipelineNode):
    """`strut_states` at the drive's rate; follows a trajectory, `strut_commands` or `target_pose`.

    Simulated time stands still while the node is paused or inactive, and goes on without a gap.
    """

    NAME = "simulator"
    TASK = "machine"
    PARAMETERS = PARAMETERS

    def build(self) -> None:
        self.machine = load_machine(self.parameter["machine"])
        self.posed = has(self.machine, PlatformPose)
        with self.compiling():
            self.simulator = simulator_of(self.machine, self.parameter.all())
            self.simulator.step()
            self._begin_anew()
        names = read_joint_names(list_joints(self.machine), self.parameter["joint_names"])
        self.reader = JointStateReader(names, stamped=False)
        self.paused = False
        self._paused_at = 0.0
        self._over = False
        self._lost_told = 0.0
        self.outside = self._outside_commands()
        driven = self.outside is not None and not self.parameter["lockstep"]
        self.schedule = Schedule(
            self.parameter["real_time_factor"] / self.simulator.period, *(DRIVEN if driven else FREE)
        )
        self.message = JointState(name=list(names))
        self.output = self.publisher(JointState, "strut_states", STREAM)
        self.readings: SensorReadings | None = None
        if has(self.machine, MotionSensors):
            self.readings = SensorReadings(self, self.simulator.machine, names, self.parameter.all())
        if self.posed:
            self.true_pose = PoseStamped()
            self.true_pose.header.frame_id = self.parameter["base_frame"]
            self.truths = self.publisher(PoseStamped, "platform_truth", POSE)
        self.clocks = self.publisher(Clock, "/clock", CLOCK) if self.parameter["clock"] else None
        self._truth_turn = Throttle(self.parameter["truth_rate"])

    def apply_changes(self, names: set[str]) -> None:
        """Take over live parameters: physics from the next sample on."""
        if "current_noise" in names:
            self.simulator.set_noise(self.parameter["current_noise"])
        if "friction" in names:
            self.simulator.scale_friction(self.parameter["friction"])

    def start(self) -> None:
        now = time.monotonic()
        if self.schedule.started:
            self.schedule.resume(now)
            if self.outside is not None:
                self.outside.release()  # whoever commanded them may be gone
        self._deadline = now + self.parameter["wait"]
        self._wanted = self.parameter["subscribers"]
        self.inputs.listen(JointState, "strut_commands", self.take_command, COMMANDS)
        if self.posed:
            self.inputs.listen(PoseStamped, "target_pose", self.take_target, COMMANDS)
        self.every(TICK, self.tick)
        self.serve(SetBool, "~/pause", self.pause)
        self.serve(StepSimulation, "~/step", self.step)
        self.serve(SetPayload, "~/set_payload", self.set_payload)
        self.serve(SetFault, "~/set_fault", self.set_fault)
        self.serve_trigger("~/reset", self.reset)
        self._serve_standard()

    def tick(self) -> None:
        """Simulate the samples that are due."""
        now = time.monotonic()
        if self.paused:
            return
        if not self.schedule.started:
            if now < self._deadline and self._missing_listeners():
                return
            waited = SETTLING if self.parameter["wait"] > 0 else 0.0
            self.schedule.begin(now + waited)
            self._set_epoch(waited)
        due = self.schedule.due(now)
        if self.outside is not None and self.outside.given_up():
            text = f"no strut_commands for {self.outside.patience:g} s: the drives hold by themselves"
            self.report(WARN, "commands_lost", text)
        for _ in range(due):
            if self._over or not (self.outside is None or self.outside.ready):
                return
            self._sample()
        if due > 0:
            self._publish_clock()

    def take_command(self, message: JointState) -> None:
        """Strut lengths to go to, with rates when they are part of a stream; or forces."""
        try:
            if self.outside is not None:
                if self.outside.take(message, self.message.header.stamp):
                    self.tick()
                return
            reading = self.reader.read(message)
            self.simulator.command_lengths(reading.coordinate, self.reader.rates(message))
        except (BadJointState, ValueError) as error:
            self.report(WARN, "command_refused", f"strut_commands: {error}")

    def take_target(self, message: PoseStamped) -> None:
        """A pose to go to."""
        if self.outside is not None:
            self.report(
                WARN,
                "command_refused",
                f"target_pose: a controller has the drives (commands: {self.parameter['commands']})",
            )
            return
        try:
            self.simulator.command_pose(*pose_of(message.pose))
        except ValueError as error:
            self.report(WARN, "command_refused", f"target_pose: {error}")

    def pause(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        """Let simulated time stand still, or go on."""
        self.hold(request.data)
        response.success, response.message = True, "paused" if self.paused else "running"
        return response

    def step(
        self, request: StepSimulation.Request, response: StepSimulation.Response
    ) -> StepSimulation.Response:
        """Make some samples, at once, while paused."""
        try:
            response.message = f"{self.advance(request.samples)} samples"
            response.success = True
        except StepRefused as refusal:
            response.message = str(refusal)
        response.time = self.simulator.time
        return response

    def set_payload(self, request: SetPayload.Request, response: SetPayload.Response) -> SetPayload.Response:
        """Let the platform take something up, or set down what it carries."""
        center = request.center_of_mass
        try:
            payload = None
            if request.mass != 0.0:
                position = np.array([center.x, center.y, center.z])
                payload = Payload(request.mass, position, taken_at=self.simulator.time)
            self.simulator.carry(payload)
        except SettingsError as error:
            response.message = str(error)
            return response
        response.success = True
        response.message = f"{request.mass:g} kg" if payload is not None else "nothing carried"
        return response

    def set_fault(self, request: SetFault.Request, response: SetFault.Response) -> SetFault.Response:
        """Let sensors or log begin to err, or cease to."""
        try:
            if request.clear:
                self.simulator.clear_fault(request.fault.partition("=")[0].strip())
            else:
                self.simulator.set_fault(parse_fault(request.fault))
        except SettingsError as error:
            response.message = str(error)
            return response
        response.success = True
        response.message = ", ".join(self.simulator.faults) or "no faults"
        return response

    @property
    def at_start(self) -> bool:
        """Whether no sample was made since the start or the last reset."""
        return self._made == 0

    def hold(self, paused: bool) -> None:
        """Let simulated time stand still, or go on."""
        now = time.monotonic()
        if self.paused and not paused:
            if self.schedule.started:
                self.schedule.resume(now)
            if self.outside is not None:
                self.outside.waited(now - self._paused_at)
        elif paused and not self.paused:
            self._paused_at = now
        self.paused = paused

    def advance(self, samples: int) -> int:
        """Make some samples, at once, while paused; how many there were before the motion's end.

        Raises
        ------
        StepRefused
        """
        if not self.paused:
            raise StepRefused("not paused: call ~/pause first")
        if self.outside is not None:
            raise StepRefused("it waits for a controller's commands: samples come with them")
        if not 1 <= samples <= MOST_STEPS:
            raise StepRefused(f"samples = {samples}: must be from 1 to {MOST_STEPS}")
        if self._over:
            raise StepRefused("the motion is over: call ~/reset first")
        if not self.schedule.started:
            self.schedule.begin(time.monotonic())
            self._set_epoch(0.0)
        count = 0
        while count < samples and not self._over:
            self._sample()
            count += 1
        self._publish_clock()
        return count

    def reset(self) -> str:
        """Back to the start of motion and noise; stamps go on, so that nobody sees time run backwards."""
        if self.schedule.started:
            self._epoch += self.simulator.time if self.outside is None else self.outside.time
        self._begin_anew()
        if self.outside is not None:
            self.outside.begin()
        self._truth_turn = Throttle(self.parameter["truth_rate"])
        self._over = False
        return "back at the start"

    def _begin_anew(self) -> None:
        self.simulator.reset()
        self._made = 0
        self.apply_changes({"current_noise", "friction"})

    def hardware(self) -> str:
        return self.simulator.machine.name

    def findings(self) -> Iterable[Finding]:
        lately, self._lost_told = self.schedule.lost - self._lost_told, self.schedule.lost
        if lately:
            yield (
                WARN,
                f"{self.schedule.lost:.1f} s slower than asked for, {lately:.1f} s of it just now: this computer "
                "cannot keep up",
            )
        missing = [] if self.schedule.started else self._missing_listeners()
        if missing:
            yield WARN, f"waits for listeners: {', '.join(missing)}"
        if self.paused:
            yield WARN, "paused: call ~/pause with false to go on"
        if self.simulator.saturated.any():
            yield WARN, "drives at their force limit"

    def _missing_listeners(self) -> list[str]:
        """Return whom the first sample waits for: listeners of `strut_states`, and of other topics."""
        few = self._wanted - self.output.get_subscription_count()
        own = [f"{few} more of strut_states"] if few > 0 else []
        return own + self.unheard(self.parameter["wait_for"])

    def summary(self) -> str:
        """Return whether the motion is over."""
        return "the motion is over" if self._over else "ok"

    def values(self) -> Mapping[str, object]:
        values: dict[str, object] = {
            "slower (s)": self.schedule.lost,
            "samples": self.schedule.count,
            "time (s)": self.simulator.time,
            "loop_gap (m)": self.simulator.loop_gap,
        }
        if self.outside is not None:
            values["longest_delay (s)"] = self.outside.longest_delay()
        return values

    def _serve_standard(self) -> None:
        try:
            from pkm_identification.ros.commands.simulation_services import SimulationServices
        except ImportError as error:
            if (error.name or "").split(".")[0] != "simulation_interfaces":
                raise
            return
        SimulationServices(self)

    def _outside_commands(self) -> OutsideCommands | None:
        """Return what takes the commands of a controller, where there is one outside."""
        if self.parameter["commands"] == POSITION:
            return None
        chosen = self.parameter.values("lockstep", "longest_delay")
        chosen["longest_delay"] = chosen["longest_delay"] or math.inf
        patience = self.parameter["command_timeout"]
        places = self.parameter["commands"] == CONTROLLER and bool(self.machine.place_drives)
        return OutsideCommands(self.simulator, self.reader, **chosen, patience=patience, places=places)

    def _set_epoch(self, waited: float) -> None:
        self._epoch = self.parameter["start_time"] or time.time() + waited

    def _publish_clock(self) -> None:
        if self.clocks is not None:
            self.clocks.publish(Clock(clock=self.message.header.stamp))

    def _sample(self) -> None:
        sample = self.simulator.step() if self.outside is None else self.outside.sample()
        self.schedule.count += 1
        self._made += 1
        try:
            fill_joint_state(self.message, self._epoch + sample.time, sample.length, sample.force)
        except ValueError as error:  # a fault of the time's unit
            raise PkmError(str(error)) from None
        self.output.publish(self.message)
        truth = self.simulator.truth
        if self.readings is not None:
            self.readings.publish(
                self._epoch + sample.time, sample.imu, sample.sensor, self.simulator.true_pose
            )
        if self.posed and self._truth_turn.due(sample.time):
            set_stamp(self.true_pose.header.stamp, self._epoch + truth.time)
            fill_pose(self.true_pose.pose, *self.simulator.true_pose)
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
