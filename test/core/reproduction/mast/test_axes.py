# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The 3PRS table's axis and its sampled loop, against direct solves, its own simulation in time, and limits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pkm_identification.errors import NotConverged
from pkm_identification.reproduction.mast.axis import (
    AXIS,
    solved_functions,
    state_matrices,
    transfer_functions,
)
from pkm_identification.reproduction.mast.cascade import Cascade, CurrentLoop, bandwidth, closed_loop, held
from pkm_identification.reproduction.mast.data import POSITION_PERIOD, VELOCITY_PERIOD
from pkm_identification.reproduction.mast.rubbing import response_at, run_axis, sine

PARTS = ("tf1", "tf2", "tf1d", "tf2d")


def test_transfer_functions_solve_the_equations_of_motion():
    rng = np.random.default_rng(3)
    s = rng.uniform(-300, 300, 100) + 1j * rng.uniform(1, 2e4, 100)
    made, solved = transfer_functions(AXIS, s), solved_functions(AXIS, s)
    for part in PARTS:
        np.testing.assert_allclose(getattr(made, part), getattr(solved, part), rtol=1e-9)


def test_state_matrices_have_the_transfer_function_of_the_motor():
    a, b, g = state_matrices(AXIS, np.zeros((1, 1)))
    s = 2j * np.pi * 300.0
    states = np.linalg.solve(s * np.eye(4) - a, np.hstack([b, g]))
    made = transfer_functions(AXIS, np.array([s]))
    assert states[0, 0] == pytest.approx(made.tf1[0], rel=1e-10)
    assert states[1, 1] == pytest.approx(-AXIS.travel * made.tf1d[0], rel=1e-10)


def test_a_step_of_held_input_is_exact():
    """Against two steps of half the length, and free motion with a constant input by hand."""
    a, b = np.array([[0.0, 1.0], [0.0, 0.0]]), np.array([[0.0], [2.0]])
    ad, bd = held(a, b, 0.5)
    np.testing.assert_allclose(ad, [[1, 0.5], [0, 1]], atol=1e-15)
    np.testing.assert_allclose(bd, [[0.25], [1.0]], atol=1e-15)


@pytest.mark.parametrize("delay", [0, 1, 2])
def test_response_is_what_a_simulation_in_time_settles_to(delay):
    cascade = Cascade(delay=delay)
    expected = closed_loop(AXIS, cascade).response(5.0, np.ones(1))[0]
    assert response_at(AXIS, cascade, 5.0, 3.0, friction=0.0) == pytest.approx(expected, abs=1e-6)


def test_axes_that_share_no_mass_are_single_axes():
    one = closed_loop(AXIS.carrying(1.1), Cascade()).response(7.0, np.ones(1))
    three = closed_loop(AXIS, Cascade(), 1.1 * np.eye(3)).response(7.0, np.ones(3))
    np.testing.assert_allclose(three, one[0], rtol=1e-12)


def test_a_fast_current_loop_is_an_ideal_one():
    quick = CurrentLoop(gain=20.0, integral=1e5, resistance=0.0, inductance=2e-3)
    ideal = closed_loop(AXIS, Cascade()).response(5.0, np.ones(1))[0]
    looped = closed_loop(AXIS, Cascade(current=quick)).response(5.0, np.ones(1))[0]
    assert abs(looped - ideal) < 0.01
    assert closed_loop(AXIS, Cascade(current=CurrentLoop())).radius < 1.0


def test_friction_holds_a_motor_that_is_pushed_too_little():
    run = run_axis(AXIS, Cascade(), np.full(20, 1e-3), friction=0.0718)
    assert np.all(np.abs(run.torque) < 0.0718)
    assert np.abs(run.angle).max() < 1e-20


def test_friction_takes_its_torque_while_the_motor_turns():
    """Torque less friction is inertia times acceleration, sample by sample."""
    run = run_axis(AXIS, Cascade(), sine(1.0, 8.0, 3.0), friction=0.05)
    turning = np.flatnonzero((np.abs(run.rate[:-1]) > 10.0) & (run.time[:-1] > 2.0))
    acceleration = np.diff(run.rate)[turning] / VELOCITY_PERIOD
    rest = run.torque[turning] - 0.05 * np.sign(run.rate[turning]) - AXIS.total * acceleration
    assert np.abs(rest.mean()) < 1e-3
    assert np.std(rest) < 5e-3


def test_a_weight_is_held_by_the_integral_part():
    run = run_axis(AXIS, Cascade(), np.zeros(600), pull=10.0)
    assert run.torque[-1] == pytest.approx(10.0 * AXIS.travel, rel=1e-3)
    assert abs(run.angle[-1]) < 1e-3


def test_a_command_is_sampled_once_a_position_cycle():
    assert len(sine(1.0, 1.0, 2.0)) == round(2.0 / POSITION_PERIOD)


def test_bandwidth_of_a_first_order_lag_and_of_nothing():
    cut, lag = bandwidth(lambda f: 1.0 / (1.0 + 1j * f / 3.0))
    assert cut == pytest.approx(3.0, abs=1e-5)
    assert lag == pytest.approx(3.0, abs=1e-5)
    with pytest.raises(NotConverged, match="50 Hz"):
        bandwidth(lambda f: 1.0)


def test_a_lighter_motor_resonates_higher():
    assert replace(AXIS, motor=AXIS.motor / 1.56).resonance > AXIS.resonance
