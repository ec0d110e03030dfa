# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The full model's verdict on a stream: faults of simulated machines are refused and named, right ones fit."""

from __future__ import annotations

import numpy as np
import pytest
from core import synthetic

from pkm_identification.estimation.identifiability import COMBINATION, IDENTIFIABLE, IN_DOUBT
from pkm_identification.identification.online.judge import LEAST_S
from pkm_identification.identification.online.pipeline import OnlinePipeline, build_stream_settings
from pkm_identification.machines.load import load_machine
from pkm_identification.motion import DriveLog
from pkm_identification.simulation.perturbation import perturb_machine
from pkm_identification.simulation.sensors import SensorSettings
from pkm_identification.simulation.simulator import simulate

pytestmark = pytest.mark.slow

SECONDS = 20.0
SEED = 3


def simulate_run(name: str) -> DriveLog:
    """Return the log of a machine off its file."""
    one = load_machine(name)
    truth = perturb_machine(one, SEED, 0.1)
    sensors = SensorSettings(current_noise=0.005)
    return simulate(truth, "rich", SECONDS, nominal=one, sensors=sensors, seed=SEED).log()


@pytest.fixture(scope="module")
def runs() -> dict[str, DriveLog]:
    return {name: simulate_run(name) for name in ("uf", "mast")}


def follow(name: str, log: DriveLog, force: np.ndarray):
    """Return the estimator of a stream of every fourth sample, judged at its end."""
    period = 4.0 * float(log.time[1] - log.time[0])
    pipeline = OnlinePipeline(load_machine(name), build_stream_settings(load_machine(name), None, period))
    for row in zip(log.time[::4].tolist(), log.coordinate[::4], force[::4], strict=True):
        pipeline.step(*row)
    assert IDENTIFIABLE not in pipeline.estimate.status  # before the first verdict
    pipeline.estimator.finish()
    return pipeline.estimator


@pytest.mark.parametrize(
    ("name", "change", "cause", "value"),
    [
        ("uf", lambda force: np.concatenate([force[:4], force[:-4]]), "force_delay", (0.004, 1e-4)),
        ("mast", lambda force: force * [1.0, 1.08, 1.0], "force_gain_length_2", (1.08, 0.03)),
        ("uf", lambda force: np.add(force, [0.0, 12.0, 0.0, 0.0, 0.0, 0.0]), "force_offset_2", (12.0, 1.5)),
        ("mast", np.negative, "force_sign", (-1.0, 0.0)),
        ("uf", lambda force: force / 1000.0, "force_unit", (1000.0, 0.0)),
        ("uf", lambda force: force[:, [4, 1, 2, 3, 0, 5]], "exchanged_struts", (2.0, 0.0)),
    ],
)
def test_a_fault_is_named_and_nothing_is_called_identifiable(runs, name, change, cause, value):
    estimator = follow(name, runs[name], change(runs[name].force))
    assert not estimator.verdict.good
    assert not estimator.fit.adequate
    found = estimator.fit.causes[0]
    assert found.name == cause
    assert found.value == pytest.approx(value[0], abs=value[1])
    assert found.correction
    assert IDENTIFIABLE not in estimator.estimate.status
    assert IN_DOUBT in estimator.estimate.status


def test_a_number_of_the_file_that_is_wrong_is_named(runs):
    """A zero of a length that is 4 mm off: no effect explains it, and the file is contradicted there."""
    right = runs["uf"]
    length = np.add(right.length, [0.0, 0.0, 0.0, 4e-3, 0.0, 0.0])
    estimator = follow("uf", DriveLog(right.time, length, right.force, "zero"), right.force)
    verdict = estimator.verdict.answer.verdict
    assert verdict.grade == "contradicts the file"
    assert verdict.conflicts[0].key == "drive.encoder.length_at_zero.3"
    assert IDENTIFIABLE not in estimator.estimate.status


@pytest.mark.parametrize("name", ["uf", "mast"])
def test_a_right_stream_fits_with_total_deviations(runs, name):
    estimator = follow(name, runs[name], runs[name].force)
    verdict = estimator.verdict
    assert verdict.answer.verdict.grade == "fits"
    assert 0.7 < verdict.fit.ratio < 1.25
    assert verdict.fit.causes == ()
    estimate = estimator.estimate
    total = {one.name: one for one in verdict.answer.values}
    for name, value, std, status in zip(
        estimate.names, estimate.values, estimate.std, estimate.status, strict=True
    ):
        if name in total:
            assert value == pytest.approx(total[name].value, rel=1e-9, abs=1e-9 * std)
            assert std == pytest.approx(total[name].std, rel=1e-9)
        assert status != IDENTIFIABLE or total[name].usable
    assert estimate.status.count(IDENTIFIABLE) > 10
    assert set(estimate.status) & {COMBINATION}
    assert IN_DOUBT not in estimate.status


def test_two_refused_verdicts_leave_the_estimate_in_doubt_until_it_is_reset():
    """One alone may be chance; what was learned from wrong samples stays in the estimate."""
    right = synthetic.log(synthetic.truth(), 2.0 * SECONDS + 50.0, 1, real=True)
    force = right.force.copy()
    force[: round(SECONDS / synthetic.PERIOD)] += [0.0, 25.0, 0.0, 0.0, 0.0, 0.0]
    pipeline = OnlinePipeline(synthetic.nominal())
    estimator, asked = pipeline.estimator, LEAST_S
    grades = []
    for row in zip(right.time.tolist(), right.length, force, strict=True):
        pipeline.step(*row)
        if row[0] > asked:
            asked += 4.0 if asked < SECONDS else 40.0
            estimator.finish()
            if estimator.verdict is not None:
                grades.append(estimator.verdict.good)
                assert (estimator.learned_from is None) == (False not in grades or grades == [False])
    estimator.finish()
    assert estimator.verdict.good
    assert not estimator.learned_from.good
    assert IN_DOUBT in estimator.estimate.status
    pipeline.reset()
    assert estimator.verdict is None
    assert estimator.learned_from is None
