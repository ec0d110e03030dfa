# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm identify --estimator joint and dual: from a log with everything unknown to estimate.json."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from core.identification.augmented_state.joint_problems import OWNER, TRUTH, exact_run

from pkm_identification.cli import main
from pkm_identification.errors import PkmError
from pkm_identification.identification.augmented_state import identify as augmented_state
from pkm_identification.identification.augmented_state.identify import estimate_from_the_rest
from pkm_identification.identification.augmented_state.iterated import (
    NOISE_STILL,
    DualEstimate,
    Rounds,
    dual_estimate,
    iterate,
)
from pkm_identification.identification.augmented_state.samples import JointSamples
from pkm_identification.identification.experiment import Experiment
from pkm_identification.identification.identify import identify, validate
from pkm_identification.identification.result import Identification
from pkm_identification.identification.settings import Settings
from pkm_identification.identification.validation import predict_held
from pkm_identification.machines.load import as_machine
from pkm_identification.mechanisms.hexapod.parameters.sets import list_hexapod_parameters
from pkm_identification.parameters.assumptions import Assumptions, Fix
from pkm_identification.records.log import read_log, write_log
from pkm_identification.report.sentences import verdicts
from pkm_identification.simulation.simulator import Simulator
from pkm_identification.simulation.trajectories import trajectory

pytestmark = pytest.mark.slow

BAND = 40.0  # Hz

FIXED = [
    "m_b", "m_e", "Ixx_p", "Iyy_p", "Izz_p", "It_b+It_e", "Ia_b+Ia_e",
    *(f"{kind}_{i}" for kind in ("viscous", "coulomb") for i in (2, 3, 5, 6)),
]  # fmt: skip


@pytest.fixture(scope="module")
def logged(tmp_path_factory):
    """A simulated log with real sensors, and the owner's file."""
    folder = tmp_path_factory.mktemp("dual")
    record = Simulator(TRUTH, trajectory("rich", OWNER, 3.0), nominal=OWNER, seed=2).run()
    write_log(folder / "log.csv", record.log())
    import yaml

    (folder / "owner.yaml").write_text(yaml.safe_dump(OWNER.document))
    return folder, record


class DualRun(NamedTuple):
    """What the command wrote, the identification behind it, the estimate with its states, and the rest's samples."""

    document: dict[str, Any]
    result: Identification
    whole: DualEstimate
    rest: tuple[JointSamples, Rounds]


@pytest.fixture(scope="module")
def command_with(logged):
    """The command with one form or the other, once each.

    A wide band, because a narrow one's filters are longer than the end of 3 s.
    """
    return cache(lambda form: identified(logged[0], form))


def identified(folder: Path, form: str) -> DualRun:
    arguments = ["identify", str(folder / "log.csv"), "--machine", str(folder / "owner.yaml")]
    arguments += ["--estimator", form, "--band", str(BAND), "--json", str(folder / f"{form}.json")]
    for name in FIXED:
        arguments += ["--fix", name]
    results: dict[str, Any] = {}

    def kept(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def calling(*given: Any, **named: Any) -> Any:
            assert name not in results
            results[name] = given, function(*given, **named)
            return results[name][1]

        return calling

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pkm_identification.identification.identify.identify", kept("identification", identify))
        patch.setattr(augmented_state, "dual_estimate", kept("whole", dual_estimate))
        patch.setattr(augmented_state, "iterate", kept("rest", iterate))
        assert main(arguments) == 0
    (_, _, samples, *_), rest = results["rest"]
    document = json.loads((folder / f"{form}.json").read_text())
    return DualRun(document, results["identification"][1], results["whole"][1], (samples, rest))


@pytest.fixture(params=["joint", "dual"])
def told(request, command_with):
    return command_with(request.param)


def test_command_finds_the_truth(logged, told):
    document = told.document
    assert document["estimator"] == told.result.settings.estimator.name
    truth = list_hexapod_parameters(TRUTH)
    found = [entry for entry in document["parameters"] if entry["name"] not in FIXED]
    assert len(found) == 5
    for entry in found:
        expected = truth.nominal[truth.names.index(entry["name"])]
        assert entry["status"] == "identifiable"
        assert abs(entry["value"] - expected) < 4.5 * entry["std"]
        assert entry["std"] < 0.02 * expected
    # in the band: noise of 1 % of the force, averaged over a dozen samples, and what is left of the kinks
    log = read_log(logged[0] / "log.csv")
    assert validate(told.result, log).validation.rms_percent_total < 1.0


def test_force_noise_and_states_are_found(logged, command_with):
    """The noise of each drive, and rates better than differentiating and filtering gives them."""
    from pkm_identification.signals.zero_phase import filter_log

    _, record = logged
    validated = Experiment.of([record.log()], OWNER).logs[0]
    found = command_with("joint").whole.rounds
    assert not found.nonconvergence
    states = found.states
    # lengths show a share of the force noise; so many independent samples tell its size
    share = np.mean(states.force_noise**2, axis=0) / found.noise.force**2
    sure = 1.0 / np.sqrt(2.0 * share * len(record))
    actual = np.std(record.force - record.truth.force, axis=0)
    assert np.all(np.abs(found.noise.force / actual - 1.0) < np.minimum(NOISE_STILL + 4.0 * sure, 0.15))
    struts = filter_log(validated, 150.0, 4)
    first = int(np.argmin(np.abs(validated.time - struts.time[0])))
    part = slice(first, first + len(struts.time))
    rate = record.truth.rate[part]
    by_filter = np.sqrt(np.mean((struts.rate - rate) ** 2, axis=0))
    by_model = np.sqrt(np.mean((states.rate[part] - rate) ** 2, axis=0))
    # as good as stated, errors being remembered for some 20 ms: a share of 1 / 20 of the samples is independent
    stated = np.sqrt(np.mean(states.rate_std[part] ** 2, axis=0))
    chance = 4.0 / np.sqrt(2.0 * len(rate) / 20.0)
    assert np.all(by_model < (1.0 + chance) * stated)
    assert np.all(by_model < by_filter)


KNOWN = Assumptions(fixed=tuple(Fix.parse(name) for name in (*FIXED, "viscous_1", "viscous_4", "coulomb_4")))


def test_end_of_the_log_is_predicted_by_an_estimate_from_the_rest(logged, told, monkeypatch):
    log = read_log(logged[0] / "log.csv")
    held = told.result.validation
    assert held.held_out.startswith("last 20 % of ")
    assert "other samples" in held.predicted_by
    assert held.time[0] > log.time[0] + 2.4
    assert held.rms_percent_total < 2.0
    assert told.document["validation"]["rms_percent"]["total"] == held.rms_percent_total
    lines = [
        line for _, line in verdicts(told.result) if line.startswith("Held out: forces of the last 20 % of ")
    ]
    assert len(lines) == 1
    form = told.document["estimator"]
    # forces that change in the held-out part alone change the prediction's error, not what it is predicted from
    force = log.force.copy()
    force[2410:] *= 1.1
    fixed = Assumptions(fixed=tuple(Fix.parse(name) for name in FIXED))
    settings = Settings.of(estimator=form, assumptions=fixed, band_cutoff=BAND)
    experiment = Experiment.of([replace(log, force=force)], OWNER, settings)
    parts = [JointSamples.of(one, as_machine(OWNER)).without_readings() for one in experiment.logs]
    samples, rounds = told.rest
    used = []
    monkeypatch.setattr(augmented_state, "iterate", lambda *given: used.append(given) or rounds)
    rest = estimate_from_the_rest(parts, experiment, settings.parameter_set(OWNER))
    ((_, parameters, taken, _),) = used
    assert parameters.names == told.result.estimate.names
    for field in fields(samples):
        np.testing.assert_array_equal(getattr(taken, field.name), getattr(samples, field.name))
    other = predict_held(experiment, rest.mean[: len(told.result.estimate.names)])
    np.testing.assert_array_equal(other.predicted, held.predicted)
    assert other.rms_percent_total > 5.0


def test_the_command_predicts_the_log_of_validate(logged, told, tmp_path, monkeypatch):
    """What the command made before is validated: what is checked is which log is predicted, and by what."""
    folder, record = logged
    write_log(tmp_path / "other.csv", record.log())
    form, written = told.document["estimator"], tmp_path / "estimate.json"
    arguments = ["identify", folder / "log.csv", "--machine", folder / "owner.yaml", "--estimator", form]
    arguments += ["--band", BAND, "--validate", tmp_path / "other.csv", "--json", written]
    asked = []
    monkeypatch.setattr(
        "pkm_identification.identification.identify.identify",
        lambda *given, **_: asked.append(given) or told.result,
    )
    assert main([str(argument) for argument in arguments]) == 0
    assert asked[0][2].hold_out == 0.0
    validation = json.loads(written.read_text())["validation"]
    assert validation["held_out"].endswith("other.csv")
    by_hand = validate(told.result, read_log(tmp_path / "other.csv")).validation
    assert validation["rms_percent"]["total"] == by_hand.rms_percent_total < 1.0


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"model": "energy"}, "needs the force model"), ({"causal": True}, "needs the whole log")],
)
@pytest.mark.parametrize("form", ["joint", "dual"])
def test_what_they_cannot_do_is_refused(form, settings, message):
    with pytest.raises(PkmError, match=message):
        Settings.of(estimator=form, **settings)


def test_a_log_too_short_is_refused():
    log = exact_run().log()[:300]
    with pytest.raises(PkmError, match=r"0\.30 s are too short"):
        identify([log], OWNER, Settings.of(estimator="joint"))


def test_sensors_the_file_does_not_describe_are_named(logged):
    from pkm_identification.identification.augmented_state.identify import identify_states_and_parameters

    _, record = logged
    log = replace(record.log(), imu=np.zeros((len(record), 6)))[:1200]
    assumptions = Assumptions(fixed=tuple(Fix.parse(name) for name in FIXED))
    settings = Settings.of(estimator="joint", assumptions=assumptions)
    result = identify_states_and_parameters([log], as_machine(OWNER), settings)
    assert any("imu" in line and "has no sensors.imu" in line for line in result.warnings)
    # 1.2 s of which half a second is rest: nothing can be told of whether that has settled
    assert not result.converged
    assert "too short" in result.nonconvergence


def test_a_log_too_short_for_the_force_equations_is_not_judged_by_them(logged):
    """A second is enough for the states; equations in the band are then too few to say whether the model fits."""
    _, record = logged
    log = record.log()
    short = replace(log, time=log.time[:1100], coordinate=log.length[:1100], force=log.force[:1100])
    settings = Settings.of(estimator="joint", assumptions=KNOWN, band_cutoff=3.0)
    assert identify([short], OWNER, settings).fit is None
