# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The full model's verdict on a stream: faults of simulated machines are refused and named, right ones fit."""

from __future__ import annotations

import numpy as np
import pytest
from core import synthetic
from core.machines.exact_logs import noisy_log

from pkm_identification.estimation.identifiability import COMBINATION, IDENTIFIABLE, IN_DOUBT
from pkm_identification.identification.online.judge import LEAST_S
from pkm_identification.identification.online.pipeline import OnlinePipeline, build_stream_settings
from pkm_identification.machines.load import as_machine, load_machine
from pkm_identification.motion import DriveLog

pytestmark = pytest.mark.slow

SECONDS = 20.0
RATE = 250.0  # Hz


@pytest.fixture(scope="module")
def runs() -> dict[str, DriveLog]:
    return {name: noisy_log(name, SECONDS, RATE) for name in ("uf", "mast")}


def follower(machine) -> OnlinePipeline:
    """Return the pipeline of a stream."""
    return OnlinePipeline(machine, build_stream_settings(machine, None, 1.0 / RATE))


def follow(name: str, log: DriveLog, force: np.ndarray):
    """Return the estimator of a stream, judged at its end."""
    pipeline = follower(load_machine(name))
    for row in zip(log.time.tolist(), log.coordinate, force, strict=True):
        pipeline.step(*row)
    assert IDENTIFIABLE not in pipeline.estimate.status  # before the first verdict
    pipeline.estimator.finish()
    return pipeline.estimator


@pytest.mark.parametrize(
    ("name", "change", "cause", "value"),
    [
        ("uf", lambda force: np.concatenate([force[:1], force[:-1]]), "force_delay", (0.004, 1e-4)),
        ("mast", lambda force: force * [1.0, 1.08, 1.0], "force_gain_length_2", (1.08, 0.03)),
        ("uf", lambda force: np.add(force, [0.0, 12.0, 0.0, 0.0, 0.0, 0.0]), "force_offset_2", (12.0, 1.5)),
        ("mast", np.negative, "force_sign", (-1.0, 0.0)),
        ("uf", lambda force: force / 1000.0, "force_unit", (1000.0, 0.0)),
        (
            "mast",
            lambda force: force / 27.0,
            "force_unit",
            (27.0, 4.0),
        ),  # currents, whatever amperes stand for
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
    every = round(1.0 / RATE / synthetic.PERIOD)
    time, length, force = (one[::every].copy() for one in (right.time, right.length, right.force))
    force[: round(SECONDS * RATE)] += [0.0, 25.0, 0.0, 0.0, 0.0, 0.0]
    pipeline = follower(as_machine(synthetic.nominal()))
    estimator, asked = pipeline.estimator, LEAST_S
    grades = []
    for row in zip(time.tolist(), length, force, strict=True):
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
