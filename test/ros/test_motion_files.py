# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Motion files of pkm excite: the simulator node follows them, and as a goal so does the controller."""

from __future__ import annotations

import numpy as np
import pytest
from action_msgs.msg import GoalStatus
from ros.controlled_machine import ControlledMachine
from sensor_msgs.msg import JointState

from pkm_identification.errors import PkmError
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.nodes.simulator import SimulatorNode
from pkm_identification.ros.clock import seconds
from pkm_identification.ros.commands.motion_goal import compute_goal_of_motion
from pkm_identification.simulation.motion_file import format_motion_text
from pkm_identification.simulation.trajectories import trajectory


@pytest.fixture
def file(tmp_path):
    machine = Machine.load("uf")
    path = tmp_path / "motion.yaml"
    path.write_text(
        format_motion_text(machine, trajectory("rich", machine, 2.0).signal.scale(0.5), 2.0, "a test")
    )
    return path


def test_the_simulator_follows_a_motion_file(bench, file):
    machine = Machine.load("uf")
    states = bench.collect(JointState, "strut_states")
    bench.start(SimulatorNode, trajectory=str(file), start_time=10.0)
    bench.wait(lambda: len(states) > 1500, "samples")
    motion = trajectory(str(file), machine).motion(np.array([seconds(s.header.stamp) - 10.0 for s in states]))
    wanted = strut_lengths(machine, motion.position, motion.rotation)
    # as exactly as its drives follow
    assert np.abs(np.array([s.position for s in states]) - wanted).max() < 2e-4
    assert np.ptp(wanted, axis=0).min() > 2e-3


@pytest.mark.alone  # a machine under control in real time
def test_the_controller_follows_a_motion_file(bench, file):
    made = ControlledMachine(bench)
    path = trajectory(str(file), made.machine)
    sent = made.send(compute_goal_of_motion(path))
    answer = sent.result()
    assert (answer.status, answer.result.error_string) == (GoalStatus.STATUS_SUCCEEDED, "done")
    assert answer.result.max_error < 1e-4


def test_a_file_of_another_machine_is_refused(bench, file):
    with pytest.raises(PkmError, match="machine_hash"):
        bench.start(SimulatorNode, machine="hexel", trajectory=str(file))
