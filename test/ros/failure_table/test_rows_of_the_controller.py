# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Failure table, row 39: encoders that fail under control."""

from __future__ import annotations

import numpy as np
import pytest
import yaml
from core.mechanisms.hexapod.machine_variants import changed
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from ros.controlled_machine import ControlledMachine, goal
from ros.rigs import status_with
from ros.ros_bench import Bench
from sensor_msgs.msg import JointState

from pkm_identification.action import ExecuteTrajectory
from pkm_identification.mechanisms.hexapod.kinematics import strut_lengths
from pkm_identification.numerics.rotation import matrix_from_quaternion
from pkm_identification.ros.clock import seconds
from pkm_identification.ros.qos import COMMANDS, POSE

Result = ExecuteTrajectory.Result
START, INSTANT = 100.0, 2.0  # s, of the simulator and of the fault


@pytest.mark.slow
@pytest.mark.alone  # a machine under control in real time
@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("lost_counts_2=0.001,2.0", "strut 2"),
        ("stuck_length_2=2.0", "strut 2"),
        ("reversed_length_2=2.0", "strut 2"),
    ],
)
def test_row_39_a_failing_encoder_stops_the_machine_within_two_mm(bench: Bench, tmp_path, fault, said):
    """A step of 1 mm, a stuck encoder, a reversed sign, by the machine file's `following_error` and `force_jump`.

    ERROR names the strut, the goal ends, the true lengths rest within 2 mm, no force jumps by more than braking asks
    for, and after a reset the place is held.
    """
    path = tmp_path / "stated.yaml"
    drive = {"drive__sample_rate": 250.0, "drive__following_error": 5e-4, "drive__force_jump": 60.0}
    path.write_text(yaml.safe_dump(changed("uf", name="stated", **drive)), encoding="utf-8")
    statuses = bench.diagnostics()
    made = ControlledMachine(bench, str(path), {"faults": [fault], "truth_rate": 250.0})
    truths = bench.collect(PoseStamped, "platform_truth", POSE)
    commands = bench.collect(JointState, "strut_commands", COMMANDS)
    sent = made.send(goal(made.pose(6.0, (0.10, 0.0, -0.05))))
    answer = sent.result().result
    assert answer.error_code in (Result.STOPPED, Result.PATH_TOLERANCE_VIOLATED)
    assert said in answer.error_string
    status = status_with(bench, statuses, "emergency stop until ~/reset")
    assert status.level == DiagnosticStatus.ERROR
    assert said in status.message
    bench.wait(lambda: seconds(truths[-1].header.stamp) > START + INSTANT + 1.0, "the machine to rest")
    after = [truth.pose for truth in truths if seconds(truth.header.stamp) >= START + INSTANT - 1e-6]
    position = np.array([[getattr(pose.position, x) for x in "xyz"] for pose in after])
    rotation = np.array([
        matrix_from_quaternion(np.array([getattr(pose.orientation, x) for x in "xyzw"])) for pose in after
    ])  # fmt: skip
    length = strut_lengths(made.machine, position, rotation)
    assert np.abs(length - length[0]).max() < 2e-3
    assert np.ptp(length[-20:], axis=0).max() < 2e-5
    # what moved was braked; the force limit of these drives is 3000 N
    efforts = np.array([c.effort for c in commands if seconds(c.header.stamp) >= START + INSTANT - 0.01])
    assert np.abs(efforts - efforts[0]).max() < 300.0
    assert bench.trigger("controller/reset").success
    bench.wait(lambda: made.controller.controller.state == "holding", "control again")
