# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How long small steps are, and that the motion is the one of much shorter steps."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest

from pkm_identification.errors import SettingsError
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.simulation.actuated.small_steps import small_step
from pkm_identification.simulation.plant import Plant
from pkm_identification.simulation.simulator import simulate


def motion(machine, step):
    """Lengths after each of 60 ms of drives that follow 6 Hz and then jump by 1 mm."""
    plant = Plant(machine, small_step=step)
    plant.set_force(plant.holding_force())
    start, seen = plant.length, []

    def wanted(t):
        return (
            start + 0.004 * np.sin(2 * np.pi * 6 * t) * (1 - np.exp(-((t / 0.02) ** 2))) + 0.001 * (t > 0.03)
        )

    for k in range(60):
        plant.follow(wanted(1e-3 * k), wanted(1e-3 * (k + 1)), 1e-3)
        seen.append(plant.length)
    return np.array(seen)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["uf_hydraulic", "uf_belt"])
def test_motion_is_that_of_short_steps_within_1e_5(name):
    machine = Machine.load(name)
    step = small_step(machine, 1e-3)
    assert step == pytest.approx(50e-6)
    exact = motion(machine, 5e-6)
    np.testing.assert_allclose(motion(machine, step), exact, atol=1e-5 * np.ptp(exact, axis=0).max())


def changed(**keys):
    document = copy.deepcopy(Machine.load("uf_hydraulic").document)
    document["actuator"] |= keys
    return Machine.from_document(document)


def test_what_is_faster_takes_shorter_steps():
    oil = changed(oil_compliance=1.45e-8)  # sqrt(10) times as fast
    quick = changed(valve={"natural_frequency": 3000.0, "damping": 0.5, "delay": 0.0016})
    late = changed(sensor={"gain": 50.0, "delay": 3e-5, "zero": 0.43})
    assert small_step(oil, 1e-3) == pytest.approx(20e-6)
    assert small_step(quick, 1e-3) == pytest.approx(25e-6)
    assert small_step(late, 1e-3) == pytest.approx(20e-6)  # a delay is at least a step
    assert small_step(Machine.load("uf"), 1e-3) == pytest.approx(20e-6)


def late(delay):
    return changed(valve={"natural_frequency": 1443.0, "damping": 0.38, "delay": delay})


def test_a_drive_that_answers_after_the_end_is_refused():
    with pytest.raises(SettingsError, match=r"actuator 1: its delays, 2\.0.* longer than the run of 1\.8 s"):
        simulate(late(2.0), "z", 1.8)
    with pytest.raises(SettingsError, match=r"actuator 1: its delays, 1.* what can be simulated of 10 s"):
        Plant(late(1e5))


def test_periods_of_loops_are_whole_numbers_of_steps():
    machine = Machine.load("uf_belt")
    assert machine.control is not None
    loops = machine.control.drives[0]
    assert loops.velocity is not None
    velocity, position = replace(loops.velocity, period=1.2e-4), replace(loops.position, period=2.4e-4)
    odd = replace(machine.control, drives=(replace(loops, velocity=velocity, position=position),) * 6)
    assert small_step(replace(machine, control=odd), 1e-3) == pytest.approx(20e-6)
