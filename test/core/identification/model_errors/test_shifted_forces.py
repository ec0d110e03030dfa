# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Tolerances of any machine's file: what the forces they would add do to an estimate is what a refit finds."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.field import also as drawn
from pkm_identification.identification.identify import identify
from pkm_identification.identification.settings import Settings
from pkm_identification.machines.multibody import Multibody
from pkm_identification.mechanisms.multibody.mechanism import Mechanism

SETTINGS = Settings.of(estimator="ls")
TOLERANCES = {"force_offset": 0.05, "gravity_direction": 1e-3, "joint_places": 1e-5}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def case():
    return drawn.draw_case("mast", 3, right=True)


@pytest.fixture(scope="module")
def tolerated(case):
    document = dict(case.file.description.document) | {"tolerances": TOLERANCES}
    mechanism = Mechanism.from_document(document)
    return Multibody(mechanism), identify([case.log], mechanism, SETTINGS)


def test_deviations_include_them_and_values_do_not_move(case, tolerated):
    machine, result = tolerated
    plain = identify([case.log], case.file, SETTINGS)
    changes = result.tolerance_changes
    assert changes.shape == (len(machine.tolerances), len(plain.estimate.values))
    assert result.estimate.values == pytest.approx(plain.estimate.values, rel=1e-9)
    more = np.diag(result.estimate.covariance) - np.diag(plain.estimate.covariance)
    assert more == pytest.approx(np.sum(changes**2, axis=0), rel=1e-6)
    assert {sentence.partition(" known")[0] for sentence in result.beside} == {
        kind.replace("_", " ") for kind in TOLERANCES
    }


def test_a_force_off_by_its_tolerance_moves_values_as_said(case, tolerated):
    machine, result = tolerated
    names = [one.name for one in machine.tolerances]
    force = case.log.force.copy()
    force[:, 0] += TOLERANCES["force_offset"]
    moved = identify([replace(case.log, force=force)], case.file, SETTINGS).estimate
    change = result.tolerance_changes[names.index("force_offset_length_1")]
    off = (moved.values - result.estimate.values + change) / np.sqrt(np.diag(moved.covariance))
    assert np.abs(off).max() < 0.02 * np.abs(change / np.sqrt(np.diag(moved.covariance))).max()
