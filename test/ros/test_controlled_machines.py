# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Machines of every kind under the controller node, the simulator in the loop: goals, refusals, stops, estimates."""

from __future__ import annotations

import numpy as np
import pytest
import yaml
from core.machines.every_machine import WRITTEN
from rclpy.parameter import Parameter
from ros.controlled_machine import ControlledMachine, drive_goal, goal, point
from ros.ros_bench import Bench
from sensor_msgs.msg import JointState

from pkm_identification.action import ExecuteTrajectory
from pkm_identification.control.inverse_dynamics import InverseDynamics
from pkm_identification.msg import ControllerState
from pkm_identification.ros.qos import COMMANDS

pytestmark = pytest.mark.slow

Result = ExecuteTrajectory.Result
SMALL = np.array([0.15, -0.1, 0.12, -0.08, 0.1, -0.15])  # large changes of each drive
DELAY = 0.003  # s: two periods from a sample to what its command does, and the sensor's
POSED = ("rss",)


def find_file(name: str, folder) -> str:
    """Return the name of a built-in machine, or the file of a written one at 250 Hz a fifth of the messages."""
    if name not in WRITTEN:
        return name
    document = WRITTEN[name]()
    file = folder / f"{name}.yaml"
    file.write_text(
        yaml.safe_dump(document | ({"pose": "platform"} if name in POSED else {})), encoding="utf-8"
    )
    return str(file)


def start(bench: Bench, folder, name: str, **controller) -> ControlledMachine:
    return ControlledMachine(bench, find_file(name, folder), {"current_noise": 0.0}, **controller)


@pytest.mark.parametrize("name", ["uf", "mast", "five_bar"])
def test_drives_go_where_a_goal_says_and_home_again(bench: Bench, tmp_path, name):
    made = start(bench, tmp_path, name)
    drives = made.controller.machine.drives
    names = [drive.joint for drive in drives]
    away = made.coordinates(0.3, SMALL)
    there = made.send(drive_goal(away, names=names)).result()
    assert there.result.error_code == Result.SUCCESSFUL, there.result.error_string
    near = np.array([5e-3 if drive.unit == "rad" else 5e-4 for drive in drives])
    np.testing.assert_array_less(np.abs(made.true_coordinate - away.positions), near)
    # the names of a goal may come in any order
    back = made.coordinates(0.3, 0.0 * SMALL)
    back.positions = back.positions[::-1]
    sent = made.send(drive_goal(back, names=names[::-1]))
    done = sent.result().result
    assert done.error_code == Result.SUCCESSFUL, done.error_string
    np.testing.assert_array_less(np.abs(made.true_coordinate - made.controller.machine.home), near)
    assert done.max_error < near.max()
    seen = sent.feedback[-1]
    np.testing.assert_allclose(seen.desired_coordinate, np.add(seen.actual_coordinate, seen.coordinate_error))
    assert len(seen.desired_coordinate) == len(drives)
    assert made.states[-1].names == names
    assert {state.state for state in made.states} >= {ControllerState.HOLDING, ControllerState.MOVING}


@pytest.mark.parametrize("name", ["rss", "five_bar"])
def test_a_goal_that_cannot_be_is_refused_in_one_line_and_nothing_moves(bench: Bench, tmp_path, name):
    made = start(bench, tmp_path, name)
    machine = made.controller.machine
    count = len(machine.drives)
    one = np.eye(6)[0]
    unreachable = drive_goal(made.coordinates(50.0, 100.0 * one))
    limited = np.isfinite(machine.drives[0].highest)
    cases = {
        f"has {count + 1} coordinates and 0 rates, needs {count}": (
            drive_goal(made.coordinates(1.0, SMALL, count + 1)), Result.INVALID_GOAL,
        ),
        "expected": (drive_goal(made.coordinates(1.0, SMALL), names=["a"] * count), Result.INVALID_GOAL),
        "rate limit": (drive_goal(made.coordinates(0.004, SMALL)), Result.LIMIT_VIOLATED),
    }  # fmt: skip
    if limited:
        over = drive_goal(
            made.coordinates(
                50.0, 1.02 * one * (machine.drives[0].highest - machine.home[0]) / machine.drives[0].size
            )
        )
        cases[f"limit: {machine.drives[0].title}"] = (over, Result.LIMIT_VIOLATED)
    if name not in POSED:
        cases["poses need a platform with a pose"] = (
            goal(point(1.0, np.zeros(3), np.eye(3))), Result.INVALID_GOAL,
        )  # fmt: skip
    before = made.true_coordinate
    for text, (message, code) in cases.items():
        answer = made.send(message).result().result
        assert (answer.error_code, text in answer.error_string) == (code, True), answer.error_string
        assert "\n" not in answer.error_string
    lost = made.send(unreachable).result().result
    assert lost.error_code in (Result.INVALID_GOAL, Result.LIMIT_VIOLATED)
    assert made.controller.controller.state == "holding"
    np.testing.assert_allclose(made.true_coordinate, before, atol=1e-4)


@pytest.mark.parametrize(
    ("name", "refusal"),
    [
        ("mast", ""),
        ("delta", "mode 'workspace': needs"),
        ("epaas_hydraulic", "no mode to choose"),
    ],
)
def test_a_stop_holds_the_machine_and_a_reset_lets_it_go_on(bench: Bench, tmp_path, name, refusal):
    made = start(bench, tmp_path, name, mode="pid")
    moving = made.send(drive_goal(made.coordinates(2.0, SMALL)))
    bench.wait(lambda: made.controller.controller.state == "moving", "the motion to begin")
    assert bench.trigger("controller/stop").success
    answer = moving.result().result
    assert answer.error_code == Result.STOPPED
    assert "operator" in made.controller.controller.stop.reason
    held = made.true_coordinate
    bench.wait(lambda: made.controller.controller._good > 50, "good samples")
    np.testing.assert_allclose(made.true_coordinate, held, atol=5e-3)
    assert bench.trigger("controller/reset").success
    bench.wait(lambda: made.controller.controller.state == "holding", "control again")
    refused = made.controller.set_parameters([Parameter("mode", value="workspace")])[0]
    assert refused.successful is not bool(refusal), refused.reason
    assert refusal in refused.reason


def test_poses_are_goals_of_a_platform_on_turning_motors(bench: Bench, tmp_path):
    made = start(bench, tmp_path, "rss", mode="workspace")
    machine = made.controller.machine
    position, rotation = machine.home_pose
    sent = made.send(goal(point(0.4, position + np.array([0.004, 0.0, 0.003]), rotation)))
    answer = sent.result().result
    assert answer.error_code == Result.SUCCESSFUL, answer.error_string
    seen = sent.feedback[-1]
    assert seen.position_error < 1e-3
    assert seen.desired.position.x == pytest.approx(seen.actual.position.x, abs=1e-3)


def test_drives_with_a_valve_lag_as_far_as_a_goal_must_open_it(bench: Bench):
    """Coordinates and rates go out and no forces; the error is the one that opens a valve as far as the rate asks."""
    setup = {"goal_tolerance": 1e-3, "state_rate": 1e4}
    made = ControlledMachine(bench, "uf_hydraulic", {"current_noise": 0.0}, **setup)
    commands = bench.collect(JointState, "strut_commands", COMMANDS)
    machine = made.controller.machine
    answer = made.send(drive_goal(made.coordinates(2.0, 5.0 * SMALL))).result().result
    assert answer.error_code == Result.SUCCESSFUL, answer.error_string
    bench.wait(lambda: commands and made.states[-1].state == ControllerState.HOLDING, "the end of the motion")
    assert {state.mode for state in made.states} == {"position"}
    assert not any(command.effort for command in commands)
    rate = np.array([command.velocity for command in commands])
    error = np.abs([state.error for state in made.states]).max(axis=0)
    least, most = find_valve_errors(
        machine, np.array([command.position for command in commands]), np.abs(rate).max(axis=0)
    )
    assert (least > 0.3 * most).all()
    np.testing.assert_array_less(error, most)
    np.testing.assert_array_less(least, error)


def find_valve_errors(machine, coordinate, rate):
    """Return the least and the largest error (n,) of drives with a valve that go as fast as `rate`, (n,).

    The valve is open as far as the error times the gains of sensor and amplifier, until the oil, which leaks with the
    force, moves the drive at its rate. How far open it stood at rest nobody knows: within its dead zone.
    """
    still = np.zeros_like(coordinate)
    motion = machine.compute_motion(coordinate, still, still)
    force = np.ptp(InverseDynamics(machine).compute(motion, np.array(machine.basis.nominal)), axis=0)
    least, most = np.zeros_like(rate), np.zeros_like(rate)
    for k, one in enumerate(machine.actuators):
        speed, opening = np.array(one.no_load.speed), np.array(one.no_load.opening)
        friction = one.friction.viscous * rate[k] + 2.0 * one.friction.coulomb
        leak = one.hydraulic_compliance * (force[k] + friction)
        dead = np.ptp(opening[np.abs(speed) < 1e-9])
        open_at = [
            [
                abs(np.interp(sign * asked, speed + 1e-9 * np.arange(len(speed)), opening))
                for sign in (-1.0, 1.0)
            ]
            for asked in (max(rate[k] - leak, 0.0), rate[k] + leak)
        ]
        gain = one.loop.gain * one.loop.sensor_gain
        late = DELAY * rate[k]
        least[k] = (min(open_at[0]) - dead) / gain - late
        most[k] = (max(open_at[1]) + dead) / gain + late
    return least, most


def test_a_law_of_the_machine_file_goes_where_a_goal_says(bench: Bench):
    made = ControlledMachine(bench, "mast_belt", {"current_noise": 0.0}, goal_tolerance=1e-3)
    away = made.coordinates(2.0, SMALL)
    answer = made.send(drive_goal(away)).result().result
    assert answer.error_code == Result.SUCCESSFUL, answer.error_string
    np.testing.assert_allclose(made.true_coordinate, away.positions, atol=1e-3)
