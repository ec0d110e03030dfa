# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What the machine file knows of forces is honoured offline and online; what it tolerates is in the deviations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from core.mechanisms.hexapod.machine_variants import changed, machine

from pkm_identification.estimation.estimators import ESTIMATORS, Tuning
from pkm_identification.identification.experiment import Experiment
from pkm_identification.identification.identify import identify
from pkm_identification.identification.online.pipeline import OnlinePipeline
from pkm_identification.identification.settings import Settings
from pkm_identification.identification.solve import tolerance_shares_of
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.simulation import SensorSettings, simulate

pytestmark = pytest.mark.slow

SETTINGS = Settings.of(estimator="ls", hold_out=0.0)
SHOWN = 20


def drives() -> Machine:
    known = {
        "drive__force_delay": 0.0023,
        "drive__force_gain": [1.1, 1.0, 0.9, 1.0, 1.05, 1.0],
        "drive__force_offset": [20.0, 0.0, 0.0, -15.0, 0.0, 8.0],
    }
    return machine(changed("uf", **known))


@cache
def run(name: str = "uf"):
    truth = drives() if name == "drives" else Machine.load("uf")
    sensors = SensorSettings(current_noise=0.002)
    return simulate(truth, "rich", 12.0, sensors=sensors, seed=3).log()


def estimated(made: Machine, settings: Settings = SETTINGS):
    """Estimate of the log of drives that err, by a machine file that may know it."""
    experiment = Experiment.of([run("drives")], made, settings)
    problem = experiment.problem()
    return experiment.estimator.fit(problem, experiment.tuning).estimate(problem)


@cache
def by_the_file():
    """What the file alone makes of the log of drives that are as it says."""
    return identify([run()], Machine.load("uf"), SETTINGS).estimate


@pytest.mark.parametrize("model", ["force", "energy"])
def test_the_same_file_simulates_and_identifies(model):
    settings = Settings.of(estimator="ls", model=model, hold_out=0.0)
    right = estimated(drives(), settings)
    shown = [k for k, status in enumerate(right.status) if status == "identifiable"]
    assert len(shown) > 10

    def deviations(found) -> np.ndarray:
        """Errors of what is shown, over the deviations that are stated by a file that knows the drives."""
        return ((found.values - right.nominal) / right.std)[shown]

    assert np.abs(deviations(right)).max() < 4.5
    # and it matters
    assert np.abs(deviations(estimated(Machine.load("uf"), settings))).max() > 15.0


def test_the_causal_run_and_the_pipeline_know_it_too():
    made = drives()
    causal = Settings.of(estimator="ekf", causal=True, hold_out=0.0, payload=False)
    log = run("drives")
    whole = estimated(made, causal)
    unaware = estimated(Machine.load("uf"), causal)
    errors = [np.abs(each.values / each.nominal - 1.0)[:3].max() for each in (whole, unaware)]
    assert errors[0] < 0.3 * errors[1]
    pipeline = OnlinePipeline(made, causal.resolved(made))
    for time, length, force in zip(log.time, log.length, log.force, strict=True):
        pipeline.step(time, length, force)
    np.testing.assert_allclose(pipeline.estimate.values, whole.values, rtol=1e-6, atol=1e-9)
    assert pipeline.delay > pipeline.filter_stage.filter.delay + 0.0023


def test_a_file_that_knows_nothing_identifies_as_ever():
    plain = machine(changed("uf", drive__force_gain=[1.0] * 6, drive__force_delay=0.0, tolerances={}))
    a, b = identify([run()], plain, SETTINGS).estimate, by_the_file()
    np.testing.assert_array_equal(a.values, b.values)
    np.testing.assert_array_equal(a.covariance, b.covariance)


def tolerant(**sizes: float) -> Machine:
    return machine(changed("uf", tolerances=sizes))


DRAWS = 40


def experiment_of(made: Machine) -> Experiment:
    return Experiment.of([run()], made, SETTINGS)


def compare(made: Machine, draw: Callable[[Machine], Machine]) -> None:
    """Covariance that tolerances are said to add, against estimates with files that are off by what was drawn.

    All quantities at once, all samples, the weights of the fit with the right file. Variances of DRAWS draws scatter
    by sqrt(2 / DRAWS) = 22 %, and those of all parameters much alike.
    """
    experiment = experiment_of(made)
    problem = experiment.problem()
    noise = ESTIMATORS["ls"].fit(problem, Tuning()).noise

    def values(machine: Machine) -> np.ndarray:
        return ESTIMATORS["ls"].batch_mean(replace(experiment_of(machine).problem(), noise=noise))

    stated = sum(share.covariance for share in tolerance_shares_of(experiment, problem, noise))
    middle = values(made)
    errors = np.array([values(draw(made)) - middle for _ in range(DRAWS)])
    share = np.mean(errors**2, axis=0)[:SHOWN] / np.diag(stated)[:SHOWN]
    assert 0.5 < np.median(share) < 1.8
    assert share.min() > 0.2
    assert share.max() < 3.0


def test_joint_places_against_files_with_other_joints():
    size, rng = 3e-4, np.random.default_rng(0)

    def draw(uf: Machine) -> Machine:
        base, platform = size * rng.standard_normal((2, 6, 3))
        return replace(uf, base_joints=uf.base_joints + base, platform_joints=uf.platform_joints + platform)

    compare(tolerant(joint_places=size), draw)


def test_gains_delays_offsets_and_gravity_against_files_with_others():
    rng = np.random.default_rng(1)

    def draw(uf: Machine) -> Machine:
        x, y = 1e-3 * rng.standard_normal(2)
        return replace(
            uf,
            gravity=np.array([9.81 * x, 9.81 * y, -9.81]),
            drive=replace(
                uf.drive,
                force_gain=1.0 + 0.01 * rng.standard_normal(6),
                force_delay=2e-4 * rng.standard_normal(),
                force_offset=2.0 * rng.standard_normal(6),
            ),
        )

    compare(tolerant(force_gain=0.01, force_delay=2e-4, force_offset=2.0, gravity_direction=1e-3), draw)


def test_every_tolerance_widens_and_is_named():
    sizes = {
        "joint_places": 1e-4, "length_offset": 1e-4, "length_scale": 1e-3, "force_gain": 0.01, "force_offset": 1.0,
        "force_delay": 1e-4, "gravity_direction": 1e-3, "motor_inertia": 0.1,
    }  # fmt: skip
    result = identify([run()], tolerant(**sizes), SETTINGS)
    sentences = [text for text in result.beside if "tolerances of the machine file" in text]
    assert len(sentences) == len(sizes)
    for name, text in zip(sizes, sentences, strict=True):
        assert text.startswith(name.replace("_", " "))
        assert " times as large by it" in text
    plain = by_the_file()
    assert np.all(result.estimate.std[:SHOWN] > plain.std[:SHOWN])
    np.testing.assert_array_equal(result.estimate.values, plain.values)


def test_online_deviations_have_the_tolerances_too():
    sizes = {"joint_places": 3e-4, "force_gain": 0.01, "force_delay": 2e-4, "gravity_direction": 1e-3}
    settings = Settings.of(estimator="ekf", causal=True, hold_out=0.0, payload=False)
    made = tolerant(**sizes)
    pipeline = OnlinePipeline(made, settings.resolved(made))
    for time, length, force in zip(run().time, run().length, run().force, strict=True):
        pipeline.step(time, length, force)
    estimator = pipeline.estimator
    added = estimator.tolerated.covariance()[:SHOWN, :SHOWN]
    without = estimator.recursive.widened()[1][:SHOWN, :SHOWN]
    np.testing.assert_allclose(
        pipeline.estimate.covariance[:SHOWN, :SHOWN], without + added, rtol=1e-9, atol=1e-15
    )
    online = np.sqrt(np.diag(added))
    experiment = Experiment.of([run()], tolerant(**sizes), settings)
    problem = experiment.problem()
    noise = ESTIMATORS["ls"].fit(problem, Tuning()).noise
    stated = sum(share.covariance for share in tolerance_shares_of(experiment, problem, noise))
    share = online / np.sqrt(np.diag(stated))[:SHOWN]
    # with samples outside of the band and every second equation: the same within a third, most parameters better
    assert 0.7 < np.median(share) < 1.4
    assert share.min() > 0.3
    assert share.max() < 3.0
