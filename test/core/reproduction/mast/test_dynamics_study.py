# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The study of the table's mechanism: weight, energy, misprints, and the disturbance beside the coupled equations."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from pkm_identification.errors import SettingsError
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.reproduction import STUDIES
from pkm_identification.reproduction.mast.axis import AXIS
from pkm_identification.reproduction.mast.cascade import Cascade
from pkm_identification.reproduction.mast.dynamics.coupling import run_table, slider_commands
from pkm_identification.reproduction.mast.dynamics.findings import apart
from pkm_identification.reproduction.mast.dynamics.runs import commands, run_study
from pkm_identification.reproduction.mast.dynamics.study import NAME, outcome
from pkm_identification.reproduction.number import AGREES, UNJUDGED

pytestmark = pytest.mark.slow  # the mechanism is evaluated each millisecond
DURATION = 0.1  # s


@pytest.fixture(scope="module")
def study():
    return run_study(DURATION)


def test_the_sliders_carry_the_weight(study):
    np.testing.assert_allclose(study.carried, 2.27, atol=1e-9)
    assert study.power_error < 1e-6


def test_gain_of_the_loop(study):
    assert study.gain_in_z == pytest.approx(0.027, abs=5e-4)
    assert study.gain_in_z < study.gain < 0.5


def test_the_disturbance_is_the_mechanism(study):
    """And the nearer, the shorter the step: implicit before late, a small step before a velocity sample."""
    off = {name: apart(run, study.coupled) for name, run in study.schemes.items()}
    largest = np.abs(study.coupled.torque).max()
    for position, torque, _ in off.values():
        assert position < 10e-6
        assert torque < 0.01 * largest
    assert off["implicit"][1] < off["one step late"][1] < off["one velocity sample late"][1]
    # the motion is one: forces reach far above the weight's share
    assert np.ptp(study.coupled.force[:, 0]) > 1.0


def test_printed_coefficients_are_not_the_mechanisms(study):
    for one in study.coefficients:
        assert one.ours == pytest.approx(one.mechanism, abs=1e-9)
        assert abs(one.printed - one.mechanism) > 1e-2


def test_one_step_late_is_refused_for_a_heavy_mechanism():
    mast = Mechanism.load("mast")
    sliders = slider_commands(mast, commands(0.005))
    coarse = replace(AXIS, travel=8 * AXIS.travel)
    with pytest.raises(SettingsError, match=r"one-step.*above 0.5"):
        run_table(mast, coarse, Cascade(), sliders, "one_step")
    assert len(run_table(mast, coarse, Cascade(), sliders, "implicit").time) == 5
    with pytest.raises(SettingsError, match="coupled, one_step, implicit"):
        run_table(mast, AXIS, Cascade(), sliders, "rigid")


def test_standing_still_is_an_equilibrium():
    mast = Mechanism.load("mast")
    sliders = slider_commands(mast, np.repeat([[0.42, 0.1, -0.05]], 6, axis=0))
    for scheme in ("coupled", "implicit"):
        run = run_table(mast, AXIS, Cascade(), sliders, scheme)
        assert np.abs(run.slider - run.slider[0]).max() < 1e-9
        assert np.abs(run.torque - run.torque[0]).max() < 1e-6


def test_document_verdicts_and_figures(study):
    made = outcome(study)
    json.dumps(made.document, allow_nan=False)
    verdicts = {one["name"]: one["verdict"] for one in made.document["numbers"]}
    assert NAME in STUDIES
    assert verdicts["A disturbance does as the coupled equations"] == AGREES
    assert verdicts["A.7: rho_2' per theta', as printed"] == UNJUDGED
    assert set(made.figures()) == set(made.document["figures"])
