# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A simulated machine under the controller node, on topics, and goals for it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from builtin_interfaces.msg import Duration
from core.mechanisms.hexapod.machine_variants import changed
from geometry_msgs.msg import Transform, Twist
from rclpy.action import ActionClient
from ros.ros_bench import DEADLINE, Bench
from trajectory_msgs.msg import (
    JointTrajectory,
    JointTrajectoryPoint,
    MultiDOFJointTrajectory,
    MultiDOFJointTrajectoryPoint,
)

from pkm_identification.action import ExecuteTrajectory
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.msg import ControllerState
from pkm_identification.nodes.controller import ControllerNode
from pkm_identification.nodes.simulator import SimulatorNode
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import build_quaternion_from_matrix, matrix_from_vector
from pkm_identification.ros.clock import set_stamp


def point(
    time: float,
    position: FloatArray,
    rotation: FloatArray,
    twist: FloatArray | None = None,
    acceleration: FloatArray | None = None,
) -> MultiDOFJointTrajectoryPoint:
    """One waypoint as a message."""
    transform = Transform()
    place, turn = transform.translation, transform.rotation
    place.x, place.y, place.z = (float(x) for x in position)
    turn.x, turn.y, turn.z, turn.w = build_quaternion_from_matrix(rotation).tolist()
    made = MultiDOFJointTrajectoryPoint(transforms=[transform])
    nanoseconds = round(1e9 * time)
    made.time_from_start = Duration(sec=nanoseconds // 10**9, nanosec=nanoseconds % 10**9)
    for given, target in ((twist, made.velocities), (acceleration, made.accelerations)):
        if given is not None:
            message = Twist()
            message.linear.x, message.linear.y, message.linear.z = (float(x) for x in given[:3])
            message.angular.x, message.angular.y, message.angular.z = (float(x) for x in given[3:])
            target.append(message)
    return made


def drive_goal(*points: JointTrajectoryPoint, names: Sequence[str] = ()) -> ExecuteTrajectory.Goal:
    """A goal of drives' coordinates."""
    return ExecuteTrajectory.Goal(struts=JointTrajectory(joint_names=list(names), points=list(points)))


def goal(*points: MultiDOFJointTrajectoryPoint) -> ExecuteTrajectory.Goal:
    """A goal of such waypoints."""
    return ExecuteTrajectory.Goal(trajectory=MultiDOFJointTrajectory(points=list(points)))


class Goal:
    """A goal on its way: its handle, result and feedback."""

    def __init__(self, bench: Bench, client: ActionClient, message: ExecuteTrajectory.Goal) -> None:
        self._bench = bench
        self.feedback: list[ExecuteTrajectory.Feedback] = []
        sent = client.send_goal_async(message, lambda f: self.feedback.append(f.feedback))
        self.handle = bench.wait(lambda: sent.done() and sent.result(), "an answer to the goal")
        self._result = self.handle.get_result_async() if self.handle.accepted else None

    @property
    def done(self) -> bool:
        return self._result.done()

    def result(self, deadline: float = DEADLINE) -> Any:
        """Status and result, waited for."""
        self._bench.wait(self._result.done, "the result of the goal", deadline)
        return self._result.result()

    def cancel(self) -> None:
        """Ask to give it up."""
        asked = self.handle.cancel_goal_async()
        self._bench.wait(asked.done, "an answer to cancelling")


def slow_machine(folder: Path) -> str:
    """The uf machine with drives that sample at 200 Hz: a fifth of the messages in a test."""
    path = folder / "slow.yaml"
    path.write_text(yaml.safe_dump(changed("uf", name="slow", drive__sample_rate=200.0)), encoding="utf-8")
    return str(path)


class ControlledMachine:
    """Simulator and controller in one process, in lockstep, so that nothing depends on this computer's speed."""

    def __init__(
        self, bench: Bench, machine: str = "uf", simulator: dict[str, Any] | None = None, **controller: Any
    ) -> None:
        self._bench = bench
        self.states: list[ControllerState] = bench.collect(ControllerState, "controller_state")
        # in lockstep no force is late
        self.controller = bench.start(ControllerNode, **{"machine": machine, "delay": 0.0, **controller})
        given = {
            "machine": machine,
            "commands": "controller",
            "lockstep": True,
            "start_time": 100.0,
            "wait": 300.0,
            "command_timeout": 60.0,
        }
        self.simulator = bench.start(SimulatorNode, **{**given, **(simulator or {})})
        self._client = ActionClient(bench.node, ExecuteTrajectory, "execute_trajectory")
        bench.wait(self._client.server_is_ready, "the action server")
        bench.wait(
            lambda: self.controller.controller.state == "holding", "the controller to hold the machine"
        )
        bench.wait(lambda: self.simulator.outside.driven, "the simulator to take commands")

    @property
    def machine(self) -> Machine:
        """What the controller believes of a hexapod."""
        return self.controller.machine.description

    @property
    def true_coordinate(self) -> FloatArray:
        """Where the simulated drives are, m or rad."""
        truth = self.simulator.simulator.truth
        return truth.coordinate if hasattr(truth, "coordinate") else truth.length

    def send(self, message: ExecuteTrajectory.Goal) -> Goal:
        """Send a goal."""
        return Goal(self._bench, self._client, message)

    def coordinates(
        self, time: float, shift: Sequence[float], count: int | None = None
    ) -> JointTrajectoryPoint:
        """A waypoint of the drives, so many large changes of each away from home; of fewer or more drives if asked."""
        machine = self.controller.machine
        size = np.array([drive.size for drive in machine.drives])
        places = (machine.home + size * np.array(shift)[: len(size)]).tolist()
        places = (2 * places)[: len(places) if count is None else count]
        made = JointTrajectoryPoint(positions=places)
        set_stamp(made.time_from_start, time)
        return made

    def pose(self, time: float, shift=(0.0, 0.0, 0.0), turn=(0.0, 0.0, 0.0), **more):
        """A waypoint displaced (m) and turned (rad) from home."""
        rotation = matrix_from_vector(np.array(turn)) @ self.machine.home_rotation
        return point(time, self.machine.home_position + np.array(shift), rotation, **more)
