# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The study of the arm: the numbers of the source that its mass data and levers must give."""

from __future__ import annotations

import numpy as np
import pytest
from core.reproduction.computed import compute_study


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
