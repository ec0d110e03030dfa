# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The studies of the 3PRS table beside an exact solution from the printed numbers, and beside the machine's file."""

from __future__ import annotations

import numpy as np
import pytest
from core.reproduction.computed import compute_study
from core.reproduction.mast.exact_axis import GUIDE, respond
from scipy.optimize import brentq

from pkm_identification.machines.load import load_machine
from pkm_identification.reproduction.mast.response import FREQUENCIES
from pkm_identification.simulation.actuated.subject import Subject

pytestmark = pytest.mark.slow
VARIANTS = {
    "shipped": {"tachometer": False},
    "prompt": {"late": 0, "tachometer": False},
    "tachometer": {},
    "light": {"tachometer": False, "factor": 1.56},
}


@pytest.fixture(scope="module")
def study():
    return compute_study("mast-response")


@pytest.mark.parametrize("name", VARIANTS)
def test_the_machines_loops_are_the_printed_ones(study, name):
    exact = np.array([respond(f, **VARIANTS[name]) for f in FREQUENCIES])
    # a motion in time that has settled for half a second: the integral part's tail is left
    np.testing.assert_allclose(study.gains[name], exact, rtol=8e-3)


def test_bandwidths_are_those_of_the_exact_loop(study):
    for name, options in VARIANTS.items():
        exact = brentq(lambda f, options=options: abs(respond(f, **options)) - 10 ** (-3 / 20), 1.0, 8.0)
        assert study.values[f"{name}_bandwidth"] == pytest.approx(exact, abs=0.02)


def test_response_of_the_built_in_machine_is_the_papers_reading(study):
    values = study.values
    assert values["shipped_bandwidth"] == pytest.approx(4.0, abs=0.25)
    assert values["shipped_phase_1"] == pytest.approx(-62.5, rel=0.13)
    assert values["shipped_phase_2"] == pytest.approx(-103.7, rel=0.13)
    assert values["shipped_magnitude_1"] == pytest.approx(0.654, rel=0.11)


def test_inertia_of_the_mechanism_raises_the_bandwidth(study):
    assert 0.0 < study.values["change"] < 0.1


def test_both_halves_of_an_axis_swing_at_the_printed_numbers(study):
    motor = 2.028e-5
    expected = np.sqrt(67.702 * (motor + GUIDE) / (motor * GUIDE)) / (2 * np.pi)
    assert study.values["resonance"] == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize(("bare", "driven"), [("mast", "mast_belt"), ("epaas", "epaas_hydraulic")])
def test_a_machine_with_drives_is_the_one_without(bare, driven):
    without, whole = load_machine(bare), load_machine(driven)
    for key in ("bodies", "joints", "drives", "outputs", "constants", "home"):
        assert whole.document[key] == without.document[key]


def test_the_files_guide_is_the_printed_one():
    assert Subject.load("mast_belt").actuators[0].load_inertia == pytest.approx(GUIDE, rel=2e-3)


def test_friction_is_hidden_by_position_and_shown_by_torque():
    values = compute_study("mast-torque").values
    # level of a motor that turns at .4 Hz: Coulomb friction, and next to nothing of inertia
    assert values["slow_gap"] == pytest.approx(-4 / np.pi * (0.0718 - 0.2 / 15), rel=0.05)
    assert abs(values["slow_position"]) < 2.0
    assert values["slow_low"] > 70.0
    assert all(values["hidden"])


def test_drives_carry_the_weight_and_printed_signs_are_wrong():
    values = compute_study("mast-dynamics").values
    assert values["least"] == pytest.approx(2.06 + 3 * 0.07, rel=1e-9)
    assert values["most"] == pytest.approx(2.06 + 3 * 0.07, rel=1e-9)
    assert all(values["read"])
    assert values["gap"] < 1e-3
    # r sin(theta) sin(psi) by hand, with the sign and the index of the loop equations
    tilt = -0.35 * np.sin(np.radians(-8.0)) * np.sin(np.radians(10.0))
    assert values["rho_2' per theta' (A.7)"] == pytest.approx(tilt, rel=1e-6)


def test_readings_of_the_jacobians_are_those_of_the_loops():
    """Places of sliders and bars by the closed form (A.12 to A.17), differenced along theta."""
    r, bar, guides = 0.35, 0.26, 0.40
    psi, theta, step = np.radians(10.0), np.radians(-8.0), 1e-6

    def place(theta):
        x = -r * np.sin(psi) * np.sin(theta)
        second = np.arccos((guides - r * np.cos(psi)) / bar)
        third = np.arccos((guides + x - r * np.cos(theta)) / bar)
        rho_2 = 0.45 + r * np.sin(psi) * np.cos(theta) - bar * np.sin(second)
        # outwards of bar 3 is -x of the base: its middle is half way from the guide to the platform's joint
        middle = 0.5 * (-guides + (x - r * np.cos(theta)))
        return np.array([rho_2, middle, third])

    slope = (place(theta + step) - place(theta - step)) / (2 * step)
    values = compute_study("mast-dynamics").values
    for name, one in zip(("rho_2' per theta' (A.7)", "x' of bar 3 per theta' (A.29)",
                          "gamma_3' per theta' (A.29)"), slope, strict=True):  # fmt: skip
        assert values[name] == pytest.approx(one, rel=1e-5), name
