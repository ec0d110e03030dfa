# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the machine file knows of forces is honoured offline and online; what it tolerates is in the deviations."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from core.mechanisms.hexapod.machine_variants import changed, machine

from pkm_identification.identification.experiment import Experiment
from pkm_identification.identification.identify import identify
from pkm_identification.identification.online.pipeline import OnlinePipeline
from pkm_identification.identification.settings import Settings
from pkm_identification.machines.load import load_machine, read_machine
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.simulation.sensors import SensorSettings
from pkm_identification.simulation.simulator import simulate

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
    pipeline = OnlinePipeline(made, causal.resolve(made))
    for time, length, force in zip(log.time, log.length, log.force, strict=True):
        pipeline.step(time, length, force)
    # before a verdict: the recursion's own, as those of the whole log are
    np.testing.assert_allclose(pipeline.estimate.values, whole.values, rtol=1e-6, atol=1e-9)
    assert pipeline.delay > pipeline.filter_stage.filter.delay + 0.0023


@pytest.mark.usefixtures("unjudged")
def test_a_file_that_knows_nothing_identifies_as_ever():
    plain = machine(changed("uf", drive__force_gain=[1.0] * 6, drive__force_delay=0.0, tolerances={}))
    a, b = identify([run()], plain, SETTINGS).estimate, by_the_file()
    np.testing.assert_array_equal(a.values, b.values)
    np.testing.assert_array_equal(a.covariance, b.covariance)


def tolerant(**sizes: float) -> Machine:
    return machine(changed("uf", tolerances=sizes))


@cache
def answered(**sizes: float):
    """The full model's answer to the log of drives that are as the file says, by a file that may tolerate more."""
    made = tolerant(**sizes) if sizes else Machine.load("uf")
    return identify([run()], made, Settings.of(estimator="full", hold_out=0.0)).answer


@pytest.mark.parametrize(
    ("stated", "key"),
    [
        ({"joint_places": 1e-3}, "geometry"), ({"length_scale": 5e-3}, "tolerances.length_scale"),
        ({"common_force_gain": 0.05}, "tolerances.common_force_gain"), ({"force_delay": 5e-3}, ""),
    ],
)  # fmt: skip
def test_what_a_file_states_is_in_the_total_deviations(stated, key):
    """Values that rest on it name it; none is known better for it."""
    plain = {one.name: one for one in answered().values}
    wider = answered(**stated)
    assert wider.verdict.good
    # passes end where values move by less than .3 deviations: the blocks' scatter is the same to some per cent
    assert all(one.std > 0.9 * plain[one.name].std for one in wider.values)
    if key:
        assert any(one.std > 1.1 * plain[one.name].std for one in wider.values)
        assert any(leaning.key.startswith(key) for one in wider.values for leaning in one.rests_on)


def test_online_deviations_have_the_tolerances_too():
    sizes = {"joint_places": 3e-4, "force_gain": 0.01, "force_delay": 2e-4, "gravity_direction": 1e-3}
    settings = Settings.of(estimator="ekf", causal=True, hold_out=0.0, payload=False)
    made = tolerant(**sizes)
    pipeline = OnlinePipeline(made, settings.resolve(made))
    for time, length, force in zip(run().time, run().length, run().force, strict=True):
        pipeline.step(time, length, force)
    estimator = pipeline.estimator
    added = estimator.tolerated.covariance()[:SHOWN, :SHOWN]
    without = estimator.recursive.widen()[1][:SHOWN, :SHOWN]
    np.testing.assert_allclose(
        pipeline.estimate.covariance[:SHOWN, :SHOWN], without + added, rtol=1e-9, atol=1e-15
    )
    shown = np.sqrt(np.diag(added) / np.diag(without))
    assert 5.0 < np.median(shown) < 500.0


def follow(made, log, force):
    """Return an estimator that a log with other forces has passed through, sample by sample."""
    settings = Settings.of(estimator="rls", causal=True, hold_out=0.0, payload=False)
    pipeline = OnlinePipeline(made, settings.resolve(made, 1e-3))
    for row in zip(log.time.tolist(), log.coordinate, force, strict=True):
        pipeline.step(*row)
    return pipeline.estimator


def test_a_stream_of_a_mast_widens_by_what_its_file_being_off_does_to_it():
    """Offsets of forces and both angles of gravity, one after the other: the same stream with each of them off."""
    plain = load_machine("mast")
    sensors = SensorSettings(current_noise=0.002)
    log = simulate(plain, "rich", 8.0, sensors=sensors, seed=3).log()
    sizes = {"force_offset": 0.005, "gravity_direction": 2e-4}
    stated = follow(read_machine(dict(plain.document) | {"tolerances": sizes}), log, log.force)
    middle = follow(plain, log, log.force).recursive.filter.mean
    off = [follow(plain, log, log.force + 0.005 * unit) for unit in np.eye(3)]
    tilts = [{"gravity.0": 2e-4 * 9.81}, {"gravity.1": 2e-4 * 9.81}]
    off += [follow(plain.with_changes(tilt), log, log.force) for tilt in tilts]
    changes = np.array([one.recursive.filter.mean - middle for one in off])
    expected = np.sqrt(np.sum(changes**2, axis=0))
    found = np.sqrt(np.diag(stated.tolerated.covariance()))
    without = np.sqrt(np.diag(stated.recursive.widen()[1]))
    # of what the motion determines well: samples without the band tell little of directions that nearly vanish
    known = without < 0.01 * np.abs(middle)
    assert known.sum() > 4
    share = (found / expected)[known & (expected > 0.5 * without)]
    # every second equation, taken without the band: the same within a third
    assert 0.7 < np.median(share) < 1.4
    assert share.min() > 0.3
    assert share.max() < 3.0
