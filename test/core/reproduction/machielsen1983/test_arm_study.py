# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The study of the arm: the numbers of the source that its mass data and levers must give."""

from __future__ import annotations

import json

import numpy as np
import pytest

from pkm_identification.reproduction import STUDIES
from pkm_identification.reproduction.machielsen1983.arm.data import (
    ACTUATOR_MASS,
    FORCES,
    JOINT_MASS,
    NEAR,
    TORQUES,
)
from pkm_identification.reproduction.machielsen1983.arm.findings import findings
from pkm_identification.reproduction.machielsen1983.arm.runs import run_study
from pkm_identification.reproduction.machielsen1983.arm.study import NAME, outcome
from pkm_identification.reproduction.number import AGREES, IN_KIND, UNJUDGED, VERDICTS

UPPER = np.triu_indices(5, 1)


@pytest.fixture(scope="module")
def study():
    return run_study()


@pytest.fixture(scope="module")
def numbers(study):
    return {one["name"]: one for one in outcome(study).document["numbers"]}


def test_actuator_mass_follows_from_the_printed_joint_mass(study):
    off = np.abs(study.from_printed / ACTUATOR_MASS - 1.0)
    assert np.diag(off).max() < 1.1e-3
    assert off[UPPER].max() < 4e-3


def test_joint_mass_follows_from_the_mass_data_as_read(study):
    assert np.abs(study.joint_mass - JOINT_MASS).max() < 6.5e-5
    # and not from the digits as printed at the round angles
    assert 1e-3 < np.abs(study.as_printed - JOINT_MASS).max() < 3.3e-3


def test_coupling_factors(study):
    np.testing.assert_allclose(study.joint_coupling, [1.2, 21.1, 81.8, 171.0, 225.1], atol=0.06)
    np.testing.assert_allclose(study.actuator_coupling, [160.7, 107.2, 9.8, 3.0], atol=0.1)


def test_effective_masses_over_the_workspace(study):
    lift, grip = study.lift, study.grip
    at_120 = np.argmin(np.abs(lift.angle - np.radians(120)))
    level = np.argmin(np.abs(grip.angle))
    assert lift.bare[at_120] == pytest.approx(18.97, abs=0.01)
    assert lift.bare.max() == pytest.approx(37.65, abs=0.01)
    assert lift.loaded[at_120] == pytest.approx(48.2, abs=0.1)
    assert lift.loaded.max() == pytest.approx(95.6, abs=0.1)
    assert grip.bare[level] == pytest.approx(1.34, abs=0.005)
    assert grip.bare.max() == pytest.approx(2.67, abs=0.005)
    assert grip.loaded[level] == pytest.approx(32.9, abs=0.05)
    assert grip.loaded.max() == pytest.approx(65.4, abs=0.05)


def test_ranges_end_where_the_mass_is_least_and_not_at_the_round_poses(study, numbers):
    lift, grip = study.lift, study.grip
    assert np.degrees(lift.angle[np.argmin(lift.bare)]) == pytest.approx(114.0, abs=0.5)
    assert np.degrees(grip.angle[np.argmin(grip.bare)]) == pytest.approx(-7.0, abs=0.5)
    for name, least, pose, there in (
        ("L3", 18.75, "alpha = 120 degrees", 18.97),
        ("L3 with 4 kg", 47.60, "alpha = 120 degrees", 48.16),
        ("L1", 1.323, "gamma = 0", 1.342),
        ("L1 with 4 kg", 32.43, "gamma = 0", 32.91),
    ):
        ours = numbers[f"Effective mass of {name}"]["ours"]
        assert (ours["from"] if isinstance(ours, dict) else ours[0]) == pytest.approx(least, rel=1e-3)
        assert numbers[f"Effective mass of {name} at {pose}"]["ours"] == pytest.approx(there, rel=1e-3)


def test_modes_alone_and_together(study, numbers):
    assert numbers["Modes damped together"]["ours"] == pytest.approx(
        [34.54, 41.41, 43.61, 153.3, 349.5], rel=3e-4
    )
    np.testing.assert_allclose(study.alone, [139.7, 341.0, 34.71, 43.62, 41.4], rtol=4e-4)
    np.testing.assert_allclose(study.modes.frequency, [34.5, 41.4, 43.6, 153.0, 350.0], rtol=3e-3)
    np.testing.assert_allclose(study.modes.damping, [0.22, 0.50, 0.20, 0.27, 0.55], atol=0.006)
    np.testing.assert_array_equal(study.modes.leading, [2, 4, 3, 0, 1])


@pytest.mark.parametrize("speed", [5, 1])
def test_forces_by_cause_are_those_printed(study, speed):
    split = study.forces[speed]
    for table, ours in ((TORQUES, split.torques), (FORCES, split.forces)):
        for name, printed in table[speed].items():
            judged = [i for i, entry in enumerate(printed) if entry is not None]
            expected = np.array([printed[i] for i in judged])
            assert np.abs(ours[name][judged] - expected).max() < NEAR[speed] * np.abs(expected).max(), name


def test_parts_sum_to_the_total_and_scale_with_speed_squared(study):
    one, five = study.forces[1], study.forces[5]
    for split in (one, five):
        assert split.torque_gap < 1e-9
        assert split.force_gap < 1e-9
    for name in ("T_in", "T_cin", "T_cen", "T_cor"):
        np.testing.assert_allclose(five.torques[name], 25 * one.torques[name], atol=1e-9)
    np.testing.assert_allclose(five.torques["T_grav"], one.torques["T_grav"], atol=1e-12)


def test_misprints_are_shown_and_not_built_in(study, numbers):
    split = study.forces[5]
    square, own = split.wrong_square
    assert square == pytest.approx(0.746, abs=0.005)
    assert own == pytest.approx(-76.2, abs=0.1)
    assert 0.01 < split.forces["F_V2"][3] < 0.03
    assert numbers["F_V2 of L4 at 5 x speed"]["verdict"] == UNJUDGED
    assert numbers["Coupling factors of CJA, joints 2 to 5 as printed"]["verdict"] == UNJUDGED


def test_the_vane_agrees_loaded_and_not_bare(numbers):
    assert numbers["Mode of the vane at .338 kg m^2"]["verdict"] == AGREES
    assert numbers["Mode of the vane, no load"]["verdict"] == IN_KIND


def test_document_figures_and_name(study):
    made = outcome(study)
    json.dumps(made.document, allow_nan=False)
    assert NAME in STUDIES
    assert made.document["study"] == NAME
    assert set(made.figures()) == set(made.document["figures"])
    assert all(one["verdict"] in VERDICTS for one in made.document["numbers"])
    assert all(finding.numbers for finding in findings(study))
