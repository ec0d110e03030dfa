# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A simulated machine in real time under a controller outside: schedule, watchdog, and both beside busy neighbours."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from builtin_interfaces.msg import Time
from rclpy.action import ActionClient
from ros.controlled_machine import Goal, goal, point
from ros.ros_bench import Bench, joint_state

from pkm_identification.action import ExecuteTrajectory
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUT_NAMES
from pkm_identification.msg import ControllerState
from pkm_identification.ros.clock import set_stamp
from pkm_identification.ros.commands.outside_commands import GONE, OutsideCommands
from pkm_identification.ros.messages.joint_state import JointStateReader
from pkm_identification.ros.node.schedule import Schedule
from pkm_identification.ros.processes.node_process import NodeProcess
from pkm_identification.simulation.simulator import Simulator

UF = Machine.load("uf")
HOME = np.full(6, 0.4)


def made_until(schedule: Schedule, now: float) -> int:
    count = schedule.due(now)
    schedule.count += count
    return count


def test_a_schedule_that_keeps_up_makes_every_sample_once():
    schedule = Schedule(1000.0, 20, 0.1)
    schedule.begin(5.0)
    assert schedule.due(4.9) == 0
    counts = [made_until(schedule, 5.0 + 0.002 * k + 1e-6) for k in range(500)]
    assert counts == [1] + [2] * 499
    assert schedule.lost == 0.0


def test_a_schedule_behind_a_controller_gives_time_up_instead_of_hurrying():
    schedule = Schedule(1000.0, 5, 0.005)
    schedule.begin(0.0)
    made_until(schedule, 0.0)
    counts = [made_until(schedule, 0.1 + 0.002 * k + 1e-6) for k in range(10)]
    assert counts == [1] + [2] * 9
    assert schedule.lost == pytest.approx(0.1, abs=0.002)


def test_a_short_lag_is_made_up():
    schedule = Schedule(1000.0, 5, 0.005)
    schedule.begin(0.0)
    made_until(schedule, 1e-6)
    assert [made_until(schedule, t) for t in (0.0055, 0.0075)] == [5, 2]
    assert schedule.lost == 0.0


def test_a_slow_drive_is_never_late_by_its_own_period():
    schedule = Schedule(50.0, 5, 0.005)
    schedule.begin(0.0)
    assert [made_until(schedule, 0.02 * k + 1e-6) for k in range(20)] == [1] * 20
    assert schedule.lost == 0.0


class Forces:
    """Commands for a simulator without a node; time on the wall is told."""

    def __init__(self, **settings) -> None:
        self.now = 50.0
        self.simulator = Simulator(UF)
        chosen = {"lockstep": False, "longest_delay": 0.02, "patience": 0.1, **settings}
        self.forces = OutsideCommands(
            self.simulator, JointStateReader(STRUT_NAMES, stamped=False), **chosen, clock=lambda: self.now
        )
        self.stamp = 0.0
        self.forces.sample()

    def sample(self, most: int) -> int:
        """As many samples as may be made, at most so many."""
        for k in range(most):
            if not self.forces.ready:
                return k
            self.forces.sample()
            self.stamp = self.simulator.time
        return most

    def answer(self, stamp: float) -> None:
        now = Time()
        set_stamp(now, self.stamp)
        self.forces.take(joint_state(stamp, HOME, self.simulator.plant.holding_force()), now)


def test_the_machine_waits_rather_than_go_on_with_old_forces():
    made = Forces()
    assert made.sample(500) == 500  # nobody drives it yet
    made.answer(made.stamp)
    assert made.sample(100) == 20
    assert made.forces.longest_delay() == pytest.approx(0.02, abs=1e-9)
    assert made.forces.longest_delay() == 0.0
    made.answer(made.stamp - 0.015)  # late itself
    assert made.sample(100) == 5
    made.now += GONE + 0.1
    assert made.forces.given_up()
    assert not made.forces.given_up()
    assert made.sample(100) == 100


def test_the_drives_watchdog_counts_the_machines_time():
    made = Forces(longest_delay=np.inf)
    made.answer(made.stamp)
    made.now += 0.5  # the process slept: no time of the machine
    assert not made.forces.given_up()
    made.sample(99)
    assert not made.forces.given_up()
    made.sample(2)
    assert made.forces.given_up()


def test_in_lockstep_the_watchdog_counts_time_on_the_wall():
    made = Forces(lockstep=True)
    made.answer(made.stamp)
    assert made.sample(5) == 1
    made.now += 0.11
    assert made.forces.given_up()


@pytest.fixture
def neighbours():
    """Two processes that want a processor each."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    yield
    for process in busy:
        process.kill()
        process.wait()


@pytest.mark.slow
@pytest.mark.alone
def test_a_goal_is_reached_in_real_time_beside_busy_neighbours(bench: Bench, domain, tmp_path, neighbours):
    """No lockstep: the machine is 15 % off the model, its 1 kHz drives take what the controller manages to send.

    As `control.launch.py` sets it: a simulator that does not get the processor for 0.1 s is no lost machine.
    """
    simulator = {"commands": "effort", "perturbation": 0.15, "wait": 300.0}
    states = bench.collect(ControllerState, "controller_state")
    with (
        NodeProcess("controller", {"lost_after": 0.5}, domain=domain, folder=tmp_path / "c") as controller,
        NodeProcess("simulator", simulator, domain=domain, folder=tmp_path / "s") as machine,
    ):
        for process in (controller, machine):
            process.wait_active()
        client = ActionClient(bench.node, ExecuteTrajectory, "execute_trajectory")
        bench.wait(client.server_is_ready, "the action server")
        bench.wait(lambda: any(s.state == ControllerState.HOLDING for s in states), "control")
        places = [[0.03, 0.0, -0.02], [-0.03, 0.02, 0.01], [0.0, 0.0, 0.0]]
        points = [
            point(0.5 * (k + 1), UF.home_position + place, UF.home_rotation) for k, place in enumerate(places)
        ]
        answer = Goal(bench, client, goal(*points)).result().result
    assert answer.error_code == ExecuteTrajectory.Result.SUCCESSFUL, answer.error_string
    assert answer.max_error < 0.005  # what stops the machine
    assert {s.state for s in states} <= {
        ControllerState.WAITING,
        ControllerState.HOLDING,
        ControllerState.MOVING,
    }
