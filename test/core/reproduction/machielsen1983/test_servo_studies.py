# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The studies of the thesis' servos beside its equations integrated on their own, and beside the printed tables."""

from __future__ import annotations

import numpy as np
import pytest
from core.reproduction.computed import compute_study
from core.reproduction.machielsen1983.rig_equations import RIG, ROBOT, step

from pkm_identification.simulation.actuated.modes import modes
from pkm_identification.simulation.actuated.subject import Subject

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def servo():
    return compute_study("epaas-servo")


@pytest.fixture(scope="module")
def robot():
    return compute_study("epaas-robot")


def test_four_steps_of_the_rig_are_those_of_its_equations(servo):
    for (load, volts), made in servo.steps.items():
        peak, period, overshoot = step(load, volts)
        assert made.read[0] == pytest.approx(peak, abs=0.1)
        assert made.read[1] == pytest.approx(period, abs=0.15)
        assert made.read[2] == pytest.approx(overshoot, abs=0.6)


def test_first_peaks_are_the_printed_ones_and_overshoot_follows_the_size(servo):
    np.testing.assert_allclose(servo.values["peaks"], [12.5, 13.0, 14.5, 15.0], atol=0.5)
    assert max(np.abs(np.subtract(servo.values["overshoots"], servo.values["other_overshoots"]))) > 1.0


def test_identification_from_the_raw_data(servo):
    values = servo.values
    # by hand: -45.7 degrees at 193 Hz; 1 / (w^2 M) of five modes
    assert values["sensor_delay"] == pytest.approx(45.7 / 360 / 193 * 1e3)
    assert values["valve_damping"] == pytest.approx(0.383, abs=5e-4)
    assert values["valve_frequency"] == pytest.approx(229.65, abs=0.2)
    assert values["valve_delay"] == pytest.approx(1.629, abs=2e-3)
    np.testing.assert_allclose(values["compliances"], [1.470, 1.261, 1.251, 1.189, 1.086], atol=6e-4)
    assert values["leak"] == pytest.approx(7.46, rel=0.02)
    assert values["viscous"] == pytest.approx(501.0, rel=0.02)


def test_sensitivities_have_the_printed_signs_and_order(servo):
    assert all(servo.values["signs"])
    assert all(servo.values["ranking"])
    assert servo.values["overshoot_errors"] < 2.0


def test_sensitivities_are_those_of_its_equations(servo):
    """Overshoot at 5.1 kg, extending, in points per %."""

    def vary(name, percent):
        ends = []
        for sign in (1, -1):
            factor = 1 + sign * percent / 100
            weight = 5.1 * factor if name == "weight" else 5.1
            changed = {} if name == "weight" else {name: RIG[name] * factor}
            ends.append(step(weight, -0.3, **changed)[2])
        return (ends[0] - ends[1]) / (2 * percent)

    found = {
        name: vary(name, percent)
        for name, percent in (("gain", 10), ("weight", 25), ("oil", 25), ("delay", 25), ("valve", 25))
    }
    sizes = [abs(one) for one in found.values()]
    assert sizes == sorted(sizes, reverse=True)
    assert [np.sign(one) for one in found.values()] == [1, 1, 1, 1, -1]
    assert found["gain"] == pytest.approx(servo.values["gain_slope"], abs=0.1)


@pytest.mark.parametrize(
    ("drive", "mass", "volts", "numbers", "period"),
    [("L3", 21.80442, 0.4, {"gain": 0.144, "sensor": 201.0, "coulomb": 150.0}, None),
     ("L4", 13.808524, 0.3, {"gain": 0.128, "sensor": 208.0}, 1.5),
     ("L1", 1.34715, -0.5, {"gain": 0.31, "sensor": 200.0, "coulomb": 200.0}, None),
     ("L2", 0.225879, -0.5, {"gain": 0.415, "sensor": 198.0}, 1.5)],
)  # fmt: skip
def test_steps_of_the_robot_are_those_of_one_cylinder_and_its_mass(
    robot, drive, mass, volts, numbers, period
):
    """The effective mass at start-up with the others held: what couples them moves a peak by less than 1 ms."""
    peak, found, _ = step(mass, volts, 0.09, **{**ROBOT, **numbers})
    assert robot.values[f"{drive}_peak"] == pytest.approx(peak, abs=1.0)
    if period is not None:
        assert robot.values[f"{drive}_period"] == pytest.approx(found, abs=period)


def test_order_and_the_reduced_model(servo):
    values = servo.values
    # five drives of three states (one when reduced) and five joints of two; five valves and four sensors are late
    assert (values["order"], values["delays"], values["reduced_order"]) == (5 * 3 + 10, 5 + 4, 5 + 10)
    assert values["reduced_off"] < 5.0


def test_the_robot_rests_and_steps_as_printed(robot):
    values = robot.values
    assert values["drift"] < 1e-9
    for name, peak in (("L3", 26.0), ("L4", 21.0), ("L1", 11.0), ("L2", 10.0)):
        assert values[f"{name}_peak"] == pytest.approx(peak, abs=1.0)
    for name, period in (("L4", 26.0), ("L2", 14.0)):
        assert values[f"{name}_period"] == pytest.approx(period, abs=1.0)
    assert values["largest_aside"] < 10.0


def test_modes_of_the_built_in_machines_are_the_printed_ones():
    found = modes(Subject.load("epaas_hydraulic"))
    free = sorted(one.natural for one in found.modes)
    assert free[0] == pytest.approx(34.6, abs=0.05)
    assert free[2] == pytest.approx(43.7, abs=0.05)
    # sqrt((1 + B / c_h) / (c_o M)) / 2 pi
    rig = modes(Subject.load("epaas_testrig")).modes[0]
    assert rig.natural == pytest.approx(np.sqrt((1 + 501 * 7.46e-5) / (1e-6 * 5.1)) / (2 * np.pi), rel=1e-6)
