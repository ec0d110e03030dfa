# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Failure table, row 39: encoders that fail under control."""

from __future__ import annotations

import numpy as np
import pytest
import yaml
from core.mechanisms.hexapod.machine_variants import changed
from diagnostic_msgs.msg import DiagnosticStatus
from ros.controlled_machine import ControlledMachine, drive_goal, goal
from ros.rigs import status_with
from ros.ros_bench import Bench
from sensor_msgs.msg import JointState

from pkm_identification.action import ExecuteTrajectory
from pkm_identification.mechanisms.multibody.loading import load_description
from pkm_identification.ros.clock import seconds
from pkm_identification.ros.qos import COMMANDS

Result = ExecuteTrajectory.Result
START, INSTANT = 100.0, 2.0  # s, of the simulator and of the fault
AWAY = [4.0, 3.0, 2.5]  # large changes of the drives: 20 mm/s and more at the instant of the fault
# without any a drive whose encoder is stuck coasts on: nothing tells how fast it is
GUIDES = {"viscous": [300.0] * 3, "coulomb": [15.0] * 3, "transition_rate": 1e-3}
STATED = {"following_error": 5e-4, "force_jump": 60.0}  # m and N


def state_limits(machine: str, folder) -> str:
    """Return a file of a machine whose drives state how far off they may be, and how far their forces may jump."""
    if machine == "uf":
        drive = {f"drive__{key}": value for key, value in STATED.items()}
        document = changed("uf", name="stated", drive__sample_rate=250.0, **drive)
    else:
        document = load_description(machine).description.document
        drives = {name: one | STATED for name, one in document["drives"].items()}
        document = document | {"drives": drives, "friction": GUIDES}
    path = folder / "stated.yaml"
    path.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
    return str(path)


@pytest.mark.slow
@pytest.mark.alone  # a machine under control in real time
@pytest.mark.parametrize(
    ("machine", "fault", "said"),
    [
        ("uf", "lost_counts_2=0.001,2.0", "strut 2"),
        ("mast", "stuck_length_2=2.0", "length_2"),
        ("uf", "reversed_length_2=2.0", "strut 2"),
    ],
)
def test_row_39_a_failing_encoder_stops_the_machine_within_two_mm(
    bench: Bench, tmp_path, monkeypatch, machine, fault, said
):
    """A step of 1 mm, a stuck encoder, a reversed sign, by the machine file's `following_error` and `force_jump`.

    ERROR names the drive, the goal ends, the true coordinates rest within 2 mm, no force jumps by more than braking
    asks for, and after a reset the place is held.
    """
    statuses = bench.diagnostics()
    made = ControlledMachine(bench, state_limits(machine, tmp_path), {"faults": [fault]})
    truths, sample = [], made.simulator._sample

    def note():
        truths.append((made.simulator.simulator.truth.time, made.true_coordinate.copy()))
        sample()

    monkeypatch.setattr(made.simulator, "_sample", note)
    commands = bench.collect(JointState, "strut_commands", COMMANDS)
    away = (
        goal(made.pose(6.0, (0.10, 0.0, -0.05)))
        if machine == "uf"
        else drive_goal(made.coordinates(6.0, AWAY))
    )
    answer = made.send(away).result().result
    assert answer.error_code in (Result.STOPPED, Result.PATH_TOLERANCE_VIOLATED)
    assert said in answer.error_string
    status = status_with(bench, statuses, "emergency stop until ~/reset")
    assert status.level == DiagnosticStatus.ERROR
    assert said in status.message
    bench.wait(lambda: truths[-1][0] > INSTANT + 1.0, "the machine to rest")
    coordinate = np.array([place for time, place in truths if time >= INSTANT - 1e-6])
    assert np.abs(coordinate - coordinate[0]).max() < 2e-3
    assert np.ptp(coordinate[-20:], axis=0).max() < 2e-5
    # what moved was braked; the force limit of these drives is 3000 N
    efforts = np.array([c.effort for c in commands if seconds(c.header.stamp) >= START + INSTANT - 0.01])
    assert np.abs(efforts - efforts[0]).max() < 300.0
    assert bench.trigger("controller/reset").success
    bench.wait(lambda: made.controller.controller.state == "holding", "control again")
