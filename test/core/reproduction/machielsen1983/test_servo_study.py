# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The study of the servo: the source's identification, steps and sensitivities, and the reduced model."""

from __future__ import annotations

import json

import numpy as np
import pytest

from pkm_identification.reproduction import STUDIES
from pkm_identification.reproduction.machielsen1983.actuators import TEST_SERVO
from pkm_identification.reproduction.machielsen1983.servo.data import RANKING, SENSITIVITIES, STEP
from pkm_identification.reproduction.machielsen1983.servo.findings import overshoot_errors
from pkm_identification.reproduction.machielsen1983.servo.runs import in_print_units, run_study, servo_step
from pkm_identification.reproduction.machielsen1983.servo.study import NAME, outcome
from pkm_identification.reproduction.number import AGREES, IN_KIND, NOT_REPRODUCED, UNJUDGED

pytestmark = pytest.mark.slow  # some thirty runs of 60 ms
EXPECTED = ((12.7, 11.0, 16.8), (13.2, 11.9, 2.3), (14.7, 16.5, 41.6), (15.2, 15.3, 17.3))


@pytest.fixture(scope="module")
def study():
    return run_study()


def test_identification_from_the_raw_data(study):
    found = study.identified
    assert found.sensor_delay == pytest.approx(0.658e-3, abs=0.5e-6)
    assert found.valve_damping == pytest.approx(0.383, abs=5e-4)
    assert found.valve_frequency == pytest.approx(229.65, abs=0.2)
    assert found.valve_delay == pytest.approx(1.629e-3, abs=2e-6)
    np.testing.assert_allclose(1e6 * found.oil, [1.470, 1.261, 1.251, 1.189, 1.086], atol=6e-4)
    assert found.leak == pytest.approx(7.46e-5, rel=0.02)
    assert found.viscous == pytest.approx(501.0, rel=0.02)


def test_four_steps(study):
    for made, (peak, period, overshoot) in zip(study.steps, EXPECTED, strict=True):
        ours = in_print_units(made.metrics)
        assert ours[0] == pytest.approx(peak, abs=0.1)
        assert ours[1] == pytest.approx(period, abs=0.1)
        assert ours[2] == pytest.approx(overshoot, abs=0.5)


def test_the_output_is_late_by_the_sensors_delay(study):
    full = study.full
    assert full.metrics.first_peak - full.of_place.first_peak == pytest.approx(0.658e-3, abs=2e-6)
    assert full.measured[0] == full.place[0] == 0.0


def test_sensitivities_have_the_printed_signs_and_order(study):
    for name, (_, *_, printed) in SENSITIVITIES.items():
        for theirs, ours in zip(printed, study.sensitivity(name), strict=True):
            assert theirs * ours >= 0.0, name
    strength = [abs(study.sensitivity(name)[2]) for name in (*RANKING, "B")]
    assert strength == sorted(strength, reverse=True)
    assert np.sqrt(np.mean(overshoot_errors(study) ** 2)) < 2.0


def test_order_delays_and_the_reduced_model(study):
    assert (study.order, study.delays, study.reduced_order) == (25, 9, 15)
    peak, period, overshoot = in_print_units(study.reduced.metrics)
    assert peak == pytest.approx(14.7, abs=0.1)
    assert period == pytest.approx(16.1, abs=0.1)
    assert overshoot == pytest.approx(38.9, abs=0.5)
    assert np.abs(study.full.measured - study.reduced.measured).max() < 0.05 * STEP


def test_smaller_steps_change_nothing_that_is_shown():
    coarse, fine = (servo_step(TEST_SERVO, 5.1, -STEP, step).metrics for step in (20e-6, 10e-6))
    assert fine.first_peak == pytest.approx(coarse.first_peak, abs=1e-5)
    assert fine.period == pytest.approx(coarse.period, abs=2e-5)
    assert fine.overshoot == pytest.approx(coarse.overshoot, abs=2e-3)


def test_document_verdicts_and_figures(study):
    made = outcome(study)
    json.dumps(made.document, allow_nan=False)
    assert NAME in STUDIES
    verdicts = {one["name"]: one["verdict"] for one in made.document["numbers"]}
    assert NOT_REPRODUCED not in verdicts.values()
    assert verdicts["sensitivity of overshoot to loop gain as printed"] == UNJUDGED
    assert verdicts["the same over the variation made"] == IN_KIND
    assert verdicts["steps, first peak of four"] == verdicts["steps, period of four"] == AGREES
    for name in ("steps, overshoot of four", "overshoot of the 27 runs, off the print, rms"):
        assert verdicts[name] == UNJUDGED
    assert set(made.figures()) == set(made.document["figures"])
