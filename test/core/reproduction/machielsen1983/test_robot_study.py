# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The study of the robot: order, rest, steps of the nonlinear arm beside the source's."""

from __future__ import annotations

import json

import numpy as np
import pytest

from pkm_identification.reproduction import STUDIES
from pkm_identification.reproduction.machielsen1983.actuators import ROBOT
from pkm_identification.reproduction.machielsen1983.robot.data import PRINTED
from pkm_identification.reproduction.machielsen1983.robot.runs import Robot, run_study
from pkm_identification.reproduction.machielsen1983.robot.study import NAME, outcome
from pkm_identification.reproduction.machielsen1983.servo.runs import in_print_units
from pkm_identification.reproduction.number import AGREES, UNJUDGED

pytestmark = pytest.mark.slow  # the arm is evaluated each millisecond


@pytest.fixture(scope="module")
def study():
    return run_study(period=1e-3, every_step=False)


def test_order_delays_and_rest(study):
    assert (study.order, study.delays) == (25, 9)
    assert study.drift < 1e-9


def test_first_peaks_and_periods(study):
    ours = {name: in_print_units(study.compared(name).metrics) for name in PRINTED}
    for name, (peak, near) in {
        "L3": (25.0, 2.0),
        "L4": (21.0, 1.0),
        "L1": (11.0, 1.0),
        "L2": (10.0, 1.0),
    }.items():
        assert ours[name][0] == pytest.approx(peak, abs=near), name
    for name, (period, near) in {"L3": (32.0, 2.0), "L4": (26.0, 1.0), "L2": (14.5, 1.0)}.items():
        assert ours[name][1] == pytest.approx(period, abs=near), name


def test_a_large_step_of_l3_swings_on_and_the_one_compared_does_not(study):
    assert study.compared("L3").swing < 0.3
    assert Robot(ROBOT, 1e-3).step("L3", -2.0).swing > 1.0


def test_at_these_sizes_the_frozen_arm_does_the_same(study):
    for name in ("L3", "L4", "L2"):
        moving, frozen = study.compared(name).metrics, study.frozen[name]
        assert frozen.first_peak == pytest.approx(moving.first_peak, abs=1e-3)
        assert frozen.period == pytest.approx(moving.period, abs=1e-3)
        assert frozen.period != moving.period


def test_the_vane_turns_as_the_source_says(study):
    np.testing.assert_allclose(study.vane, [37, 62, 88, 100], atol=6.0)


def test_document_verdicts_and_figures(study):
    made = outcome(study)
    json.dumps(made.document, allow_nan=False)
    assert NAME in STUDIES
    verdicts = {one["name"]: one["verdict"] for one in made.document["numbers"]}
    for name in PRINTED:
        assert verdicts[f"robot, {name}: first peak"] == AGREES
        assert verdicts[f"robot, {name}: overshoot"] == UNJUDGED
    assert verdicts["robot, vane: part of the step by time"] == UNJUDGED
    assert set(made.figures()) == set(made.document["figures"])
