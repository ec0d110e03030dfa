# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Forces that come late: loops keep their margin, motions the machine's time, stale samples are skipped."""

from __future__ import annotations

import numpy as np
import pytest
from core.control.moved import there_and_back

from pkm_identification.control.controller import MachineController
from pkm_identification.control.motions import SUCCESSFUL, Motion
from pkm_identification.control.pid import ControlSettings, fastest
from pkm_identification.control.settings import ControllerSettings
from pkm_identification.machines.load import load_machine
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.simulation.perturbation import perturb_machine
from pkm_identification.simulation.simulator import Simulator

pytestmark = pytest.mark.slow

UF = Machine.load("uf")
TRUE = perturb_machine(UF, 1)
HOME = strut_lengths(UF, UF.home_position[None], UF.home_rotation[None])[0]


@pytest.mark.parametrize("damping", [0.1, 0.5, 0.8, 1.0, 2.0])
@pytest.mark.parametrize("friction", [0.0, 0.3, 1.0, 10.0, 1000.0])
def test_the_margins_are_those_stated(damping, friction):
    """Open loop of one strut, time in units of 1 / w0, c / m in units of w0; numbers on a dense grid of frequencies."""
    delay = fastest(1.0, damping)  # w0 T
    omega = np.logspace(-3, 4, 200_001)
    s = 1j * omega
    bare = (1 + friction + 2 * damping * s) / (s * (s + friction))
    crossover = int(np.argmax(np.abs(bare) < 1.0))
    own = np.pi + np.angle(bare[crossover])
    # 1e-3: what one step of the grid, 1e-4 of a decade, is in phase
    assert own - omega[crossover] * delay >= min(np.pi / 6, 0.5 * own) - 1e-3
    assert np.max(omega * delay * np.abs(bare / (1 + bare))) < 1.0


def test_no_delay_leaves_the_bandwidth_alone_and_a_short_one_too():
    assert ControlSettings(bandwidth=16.0).omega == 2 * np.pi * 16.0
    assert ControlSettings(bandwidth=16.0, delay=0.003).omega == 2 * np.pi * 16.0
    assert ControlSettings(bandwidth=16.0, delay=0.02).omega == pytest.approx(2 * np.pi * 3.25, rel=0.01)
    with pytest.raises(ValueError, match="delay = -1"):
        ControlSettings(delay=-1.0)


def late_run(delay: float, longest: int):
    """A motion of a machine 15 % off its model; answers act up to `longest` periods after their samples, at random."""
    simulator = Simulator(TRUE, None, nominal=UF, seed=1)
    loops = ControlSettings(delay=delay)
    controller = MachineController(load_machine(UF), simulator.period, ControllerSettings(loops=loops))
    random = np.random.default_rng(0)
    motion = Motion(there_and_back(UF, 2.0, shift=(0.04, -0.02, 0.02)))
    on_its_way, due, errors = [], 0, []
    for k in range(4000):
        sample = simulator.measure()
        controller.take(100.0 + sample.time, sample.length)
        if k >= due:  # held up in between, as a process that does not get the processor
            command = controller.answer()
            waits = int(random.integers(1, longest + 1))
            due = k + waits - waits // 2
            on_its_way.append((k + waits // 2, command.force))
        while on_its_way and on_its_way[0][0] <= k:
            simulator.command_forces(on_its_way.pop(0)[1])
        simulator.advance()
        errors.append(np.abs(command.error).max())
        if k == 300:
            controller.submit(motion)
        if motion.outcome is not None:
            break
    return motion.outcome, controller, np.array(errors)


def test_a_motion_is_followed_though_forces_are_up_to_20_ms_late():
    outcome, controller, errors = late_run(0.02, 20)
    assert outcome.code == SUCCESSFUL
    # a third of what stops the machine; what is left is the wrong model and forces of 10 ms ago
    assert outcome.max_error < 0.0017
    assert errors[-50:].max() < 5e-4
    assert controller.state == "holding"


def test_twice_the_delay_stated_does_not_stop_the_machine():
    outcome, _, _ = late_run(0.02, 40)
    assert outcome.code == SUCCESSFUL


def test_without_a_stated_delay_the_same_lateness_stops_it():
    outcome, controller, _ = late_run(0.0, 20)
    assert outcome.code != SUCCESSFUL
    assert controller.trouble[0] == "tracking"


def test_of_several_samples_only_the_newest_is_answered():
    controller = MachineController(load_machine(UF), 1e-3, ControllerSettings())
    controller.step(100.0, HOME)
    for k in range(1, 8):
        controller.take(100.0 + 1e-3 * k, HOME)
    command = controller.answer()
    assert command.time == pytest.approx(100.007, abs=1e-9)
    assert controller.answer() is None
    assert controller.validation.counts["accepted"] == 8


@pytest.mark.parametrize("step", [0.0009, 0.0011, 0.0043])
def test_a_motion_takes_its_time_by_the_stamps_whatever_the_period(step):
    """Drives that are 10 % off their rate, or of which every fourth sample is answered."""
    controller = MachineController(load_machine(UF), 1e-3, ControllerSettings(tracking_limit=0.05))
    controller.step(100.0, HOME)
    points = there_and_back(UF, 1.0, shift=(0.01, 0.0, 0.0), turn=(0.0, 0.0, 0.0))
    motion = Motion(points)
    controller.submit(motion)
    started = None
    for k in range(1, 1500):
        time = 100.0 + step * k
        controller.step(time, HOME)
        follower = controller.motions.follower
        if motion.started and started is None:
            started = time
        if started is not None and time - started < 0.99:
            wanted = follower.path.move(np.array([time - started])).state[0][0]
            # half a period of rounding at up to 50 mm/s
            assert np.abs(follower.setpoint().now.state[0][0] - wanted).max() < 5e-5
        elif started is not None:
            break
    assert started is not None
