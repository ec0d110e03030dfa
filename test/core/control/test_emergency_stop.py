# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""After an emergency stop the place reached is held, as long as it can be seen; without lengths the weight alone."""

from __future__ import annotations

import numpy as np
import pytest
from core.control.moved import Run, there_and_back

from pkm_identification.control.motions import Motion
from pkm_identification.errors import PkmError
from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.simulation.payload import Payload
from pkm_identification.simulation.simulator import Simulator
from pkm_identification.simulation.trajectories import trajectory

pytestmark = pytest.mark.slow

UF = Machine.load("uf")
WEIGHT = strut_forces(UF, trajectory("rest", UF).motion(np.zeros(1)), friction=False)[0]
SINKS = (
    0.002  # m a machine sinks in 0.2 s that is given its weight with 2 % too little: g t^2 / 2 / 50 is 4 mm
)


class Slippery(Run):
    """A machine without friction and brakes, with a load that no model knows: the weight alone does not hold it."""

    def __init__(self, **settings) -> None:
        super().__init__(UF, UF, **settings)
        load = Payload(0.5)
        self.simulator = Simulator(UF, None, friction=False, payload=load, seed=1)

    def drift(self, count: int) -> float:
        """How far a strut goes in so many samples, m."""
        before = self.simulator.truth.length
        self.step(count)
        return float(np.abs(self.simulator.truth.length - before).max())


def moving(**settings) -> Slippery:
    """In the middle of a motion."""
    run = Slippery(**settings)
    run.step(500)
    run.controller.submit(Motion(there_and_back(UF, 2.0, shift=(0.03, 0.0, 0.02))))
    run.step(500)
    assert run.controller.state == "moving"
    return run


@pytest.mark.parametrize("reason", ["operator", "tracking", "estimate_jump"])
def test_the_place_reached_is_held(reason):
    run = moving()
    place = run.simulator.truth.length
    run.controller.emergency(reason, "made for the test")
    run.step(2000)
    assert run.controller.state == "emergency"
    # it ran on by what braking takes at some 50 mm/s, came back and stays
    np.testing.assert_allclose(run.simulator.truth.length, place, atol=2e-4)
    assert run.drift(500) < 1e-5
    command = run.commands[-1]
    np.testing.assert_allclose(command.coordinate, place, atol=1e-3)
    assert np.abs(run.forces).max() <= 3000.0
    run.controller.release()
    run.step(10)
    assert run.controller.state == "holding"


@pytest.mark.parametrize("lost", ["silence", "not_finite"])
def test_lengths_lost_in_the_stop_leave_the_weight_alone(lost):
    run = moving()
    run.controller.emergency("operator", "made for the test")
    run.step(1000)
    time = 100.0 + run.simulator.time
    if lost == "silence":
        run.controller.lost()
    else:
        run.controller.step(time, np.full(6, np.nan))
    assert "position is no longer held" in run.controller.trouble[1]
    assert run.controller.trouble[0] == "operator"
    held = run.controller.safe().force
    run.step(200)
    for command in run.commands[-200:]:
        np.testing.assert_array_equal(command.force, held)
    # the load is not in the weight
    assert run.drift(300) > SINKS
    run.step(20)
    run.controller.release()


def test_without_lengths_the_stop_begins_with_the_weight_alone():
    run = moving()
    run.controller.lost()
    run.step(300)
    assert len({tuple(command.force) for command in run.commands[-299:]}) == 1
    assert run.drift(300) > SINKS


def test_zero_means_zero():
    run = moving(safe_command="zero")
    run.controller.emergency("operator", "made for the test")
    run.step(50)
    np.testing.assert_array_equal(run.commands[-1].force, 0.0)


def test_lengths_that_run_away_from_where_they_are_held_are_not_believed():
    """An encoder that drifts: pushing against it would move the platform."""
    run = Run(UF, UF)
    run.step(100)
    run.controller.emergency("operator", "made for the test")
    reading = run.simulator.truth.length
    time = 100.0 + run.simulator.time
    forces = []
    for k in range(1500):
        reading = reading + np.array([1e-5, 0, 0, 0, 0, 0])
        forces.append(run.controller.step(time + 1e-3 * k, reading).force)
    assert "a strut is 0.005" in run.controller.trouble[1]
    np.testing.assert_allclose(forces[-1], WEIGHT, atol=0.1)
    assert np.abs(np.array(forces)[:, 0]).max() > WEIGHT[0] + 50.0


def test_nothing_is_stopped_twice():
    run = moving()
    run.controller.emergency("operator", "the first")
    run.controller.emergency("tracking", "the second")
    assert run.controller.trouble == ("operator", "the first")
    with pytest.raises(PkmError, match="not back"):
        run.controller.release()
