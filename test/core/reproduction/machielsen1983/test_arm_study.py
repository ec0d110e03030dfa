# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The study of the arm: the numbers of the source that its mass data and levers must give."""

from __future__ import annotations

import numpy as np
import pytest
from core.reproduction.computed import compute_study
from core.reproduction.machielsen1983.arm_equations import actuator_mass, joints, split, terms

from pkm_identification.reproduction.machielsen1983.arm_forces import (
    COMPLIANCE,
    DATA,
    JOINT_MASS,
    LEAKAGE,
    VISCOUS,
)


@pytest.fixture(scope="module")
def study():
    return compute_study("epaas-arm")


@pytest.fixture(scope="module")
def values(study):
    return study.values


def test_effective_masses_over_the_workspace(study, values):
    lift, grip = study.lift, study.grip
    assert lift.bare.max() == pytest.approx(37.65, abs=0.01)
    assert lift.loaded.max() == pytest.approx(95.6, abs=0.1)
    assert grip.bare.max() == pytest.approx(2.67, abs=0.005)
    assert grip.loaded.max() == pytest.approx(65.4, abs=0.05)
    assert values["lift_least"] == pytest.approx(114.0, abs=0.5)
    assert values["grip_least"] == pytest.approx(-7.0, abs=0.5)
    # ranges end where the mass is least, and not at the round poses
    for name, least, pose, there in (
        ("L3", 18.75, "lift_bent", 18.97),
        ("L3 with 4 kg", 47.60, "lift_loaded_bent", 48.16),
        ("L1", 1.323, "grip_level", 1.342),
        ("L1 with 4 kg", 32.43, "grip_loaded_level", 32.91),
    ):
        assert values[f"Effective mass of {name}"][0] == pytest.approx(least, rel=1e-3)
        assert values[pose] == pytest.approx(there, rel=1e-3)


def test_modes_together(study, values):
    np.testing.assert_allclose(
        values["Modes damped together"], [34.54, 41.41, 43.61, 153.3, 349.5], rtol=3e-4
    )
    np.testing.assert_allclose(study.modes.damping, [0.22, 0.50, 0.20, 0.27, 0.55], atol=0.006)
    np.testing.assert_array_equal(study.modes.leading, [2, 4, 3, 0, 1])


def test_digits_as_printed_do_not_give_the_table(values):
    assert 1e-3 < values["printed_off"] < 3.3e-3


def test_terms_of_speed_grow_with_its_square_along_the_setpoints(values):
    assert values["speed_five"] == pytest.approx(25 * values["speed_part"], rel=1e-6)
    assert values["speed_five_loaded"] == pytest.approx(25 * values["speed_part_loaded"], rel=1e-6)
    assert values["coupling_loaded"] > values["coupling_part"] > 0.0


@pytest.mark.parametrize("speed", [5, 1])
def test_forces_by_cause_are_those_of_the_thesis_equations(values, speed):
    q = np.radians(DATA["state"])
    rate = np.radians(DATA["rates_five"]) / 5 * speed
    acceleration = np.radians(DATA["accelerations_five"]) / 25 * speed**2
    for name, part in split(q, rate, acceleration).items():
        np.testing.assert_allclose(values[f"{name} at {speed} x speed"], part, atol=1e-8, err_msg=name)


def test_masses_coupling_and_modes_are_those_of_the_thesis_equations(values):
    # L1, L2, L4 and L3 at the printed offset lengths, by the inverse cosine rule
    beta = np.arccos((3.9717e-2 - 0.182263**2) / 2.6443e-2) - 1.3034
    alpha = np.arccos((0.258053**2 - 7.0925e-2) / 5.5408e-2) - 0.0826
    mass = actuator_mass(joints(alpha, beta, beta), JOINT_MASS)
    for i, name in enumerate(("L1", "L2", "L3", "L4", "vane")):
        assert values[f"CJA of {name}, from the printed J"] == pytest.approx(mass[i, i], rel=1e-9)
    for name, matrix in (
        ("Coupling factors of J, joints 1 to 5", JOINT_MASS),
        ("Coupling factors of CJA, L1 to L4", mass[:4, :4]),
    ):
        aside = matrix - np.diag(np.diag(matrix))
        np.testing.assert_allclose(
            values[name], 100 * np.linalg.norm(aside, axis=1) / np.diag(matrix), rtol=1e-9
        )
    start = terms(joints(*np.radians([89.76, 0.84, 0.84])))[0]
    assert values["joint_off"] == pytest.approx(np.abs(start - JOINT_MASS).max(), rel=1e-6)
    printed = {"L1": 1.347150, "L3": 21.804420, "L4": 13.808524}
    for name, one in printed.items():
        k = ("L1", "L2", "L3", "L4").index(name)
        frequency = np.sqrt((1 + VISCOUS[k] * LEAKAGE[k]) / (COMPLIANCE[k] * one)) / (2 * np.pi)
        assert values[f"Mode of {name}"] == pytest.approx(frequency, rel=1e-9)
    assert values["vane_loaded"] == pytest.approx(1 / np.sqrt(69e-6 * 0.338) / (2 * np.pi), rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "drive", "poses"),
    [("L3 with 4 kg", 2, [(a, 0.0, 0.0) for a in np.linspace(60, 150, 181)]),
     ("L1", 0, [(90.0, 0.0, g) for g in np.linspace(-45, 45, 181)])],
)  # fmt: skip
def test_effective_masses_are_those_of_the_thesis_equations(values, name, drive, poses):
    load = (DATA["payload"]["mass"], DATA["payload"]["place"]) if "4 kg" in name else None
    found = []
    for pose in poses:
        q = joints(*np.radians(pose))
        found.append(actuator_mass(q, terms(q, load)[0])[drive, drive])
    np.testing.assert_allclose(values[f"Effective mass of {name}"], [min(found), max(found)], rtol=1e-9)
