# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The full model's verdict on a stream: faults of simulated machines are refused and named, right ones fit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from core import synthetic
from core.machines.exact_logs import noisy_log

from pkm_identification.estimation.identifiability import COMBINATION, IDENTIFIABLE, IN_DOUBT
from pkm_identification.identification.full_model.stream_estimate import give_total_deviations, name_statuses
from pkm_identification.identification.full_model.sums import build_views
from pkm_identification.identification.identify import identify
from pkm_identification.identification.online.judge import LEAST_S
from pkm_identification.identification.online.pipeline import OnlinePipeline, build_stream_settings
from pkm_identification.identification.settings import Settings
from pkm_identification.machines.load import as_machine, load_machine
from pkm_identification.motion import DriveLog
from pkm_identification.simulation.perturbation import perturb_machine

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


def find_truth(estimator, name: str) -> dict[str, float]:
    """Return the parameters of the machine that logs are of, by name."""
    truth = as_machine(perturb_machine(load_machine(name), 3, 0.1))
    chosen = estimator.parameters
    factors, offsets = build_views(chosen, tuple(truth.basis.names))
    return dict(zip(chosen.names, factors @ truth.basis.nominal + offsets, strict=True))


@pytest.mark.parametrize(
    ("name", "change", "cause", "value"),
    [
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


@pytest.mark.parametrize(
    ("name", "change", "effect", "value"),
    [
        ("mast", lambda force: force * [1.0, 1.08, 1.0], "force_gain_length_2", (0.08, 0.03)),
        ("uf", lambda force: np.add(force, [0.0, 12.0, 0.0, 0.0, 0.0, 0.0]), "force_offset_2", (12.0, 1.5)),
    ],
)
def test_an_effect_that_the_full_model_has_is_named_and_values_hold(runs, name, change, effect, value):
    """As offline: a recursion that lacks the effect is no reason to refuse values that have it."""
    estimator = follow(name, runs[name], change(runs[name].force))
    assert estimator.verdict.answer.verdict.grade == "fits"
    found = estimator.verdict.answer.effects[0]
    assert found.name == effect
    assert found.value == pytest.approx(value[0], abs=value[1])
    estimate, true = estimator.estimate, find_truth(estimator, name)
    named = [k for k, status in enumerate(estimate.status) if status == IDENTIFIABLE]
    off = [(estimate.values[k] - true[estimate.names[k]]) / estimate.std[k] for k in named]
    assert len(off) > 8
    assert np.abs(off).max() < 4.0
    # what the recursion finds later may be of the effect, too
    shift = 5.0 * estimate.std
    recursion = estimator.verdict.recursion
    later = replace(recursion, values=recursion.values + shift)
    total = give_total_deviations(later, estimator.verdict.answer, recursion)
    np.testing.assert_allclose(total.std[named] / estimate.std[named], np.sqrt(26.0), rtol=1e-6)


def test_a_number_of_the_file_that_is_wrong_is_named(runs):
    """A zero of a length that is 4 mm off: no effect explains it, and the file is contradicted there."""
    right = runs["uf"]
    length = np.add(right.length, [0.0, 0.0, 0.0, 4e-3, 0.0, 0.0])
    estimator = follow("uf", DriveLog(right.time, length, right.force, "zero"), right.force)
    verdict = estimator.verdict.answer.verdict
    assert verdict.grade == "contradicts the file"
    assert verdict.conflicts[0].key == "drive.encoder.length_at_zero.3"
    assert IDENTIFIABLE not in estimator.estimate.status
    named = name_statuses(estimator.estimate, estimator.verdict.answer)
    assert "contradicts the file" in {word for word, _ in named}
    assert "identified" not in {word for word, _ in named}


def test_a_right_stream_fits_with_total_deviations(runs):
    name = "mast"
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
    named = dict(zip(estimate.names, name_statuses(estimate, verdict.answer), strict=True))
    rests = {one.name: one.rests_on[0].key for one in verdict.answer.values if one.rests_on}
    for name, (word, key) in named.items():
        if name in total:
            assert word == total[name].status
            assert key == ("" if word == "identified" else rests.get(name, ""))
        else:
            assert (word, key) == ("combination", "")
    assert {"identified", "rests on the file"} <= {word for word, _ in named.values()}


def test_a_stream_that_ends_early_is_judged_as_its_log_is(runs):
    """Nobody waits for the rest of its first 15 s."""
    whole = runs["mast"]
    short = DriveLog(
        *(part[: round(0.6 * LEAST_S * RATE)] for part in (whole.time, whole.length, whole.force))
    )
    estimator = follow("mast", short, short.force)
    live = estimator.verdict.answer
    causal = identify([short], load_machine("mast"), Settings.of(causal=True, hold_out=0.0)).answer
    assert live.verdict.sentence == causal.verdict.sentence
    assert [one.status for one in live.values] == [one.status for one in causal.values]
    assert IDENTIFIABLE in estimator.estimate.status


def test_two_refused_verdicts_leave_the_estimate_in_doubt_until_it_is_reset():
    """One alone may be chance; what was learned from wrong samples stays in the estimate."""
    right = synthetic.log(synthetic.truth(), 2.0 * SECONDS + 50.0, 1, real=True)
    every = round(1.0 / RATE / synthetic.PERIOD)
    time, length, force = (one[::every].copy() for one in (right.time, right.length, right.force))
    wrong = force[: round(SECONDS * RATE)]
    wrong[:, [0, 4]] = wrong[:, [4, 0]]
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
