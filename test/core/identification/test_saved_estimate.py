# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""An estimate.json read again: the same numbers, or one line that says why not."""

import json
from dataclasses import replace

import numpy as np
import pytest
from core.report.made_identification import made_identification

from pkm_identification.errors import DocumentError
from pkm_identification.estimation.filters.recursive import RecursiveEstimator
from pkm_identification.identification.estimate_file import write_estimate_json
from pkm_identification.identification.saved_estimate import read_saved_estimate
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.sets import list_hexapod_parameters
from pkm_identification.parameters.assumptions import Assumptions, Fix

MACHINE = Machine.load("uf")


@pytest.fixture
def path(tmp_path):
    write_estimate_json(tmp_path / "estimate.json", made_identification())
    return tmp_path / "estimate.json"


def edit(path, change):
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))


def test_what_was_written_comes_back_bit_for_bit(path):
    estimate = made_identification().estimate
    saved = read_saved_estimate(path)
    saved.check(MACHINE, list_hexapod_parameters(MACHINE))
    assert (saved.machine, saved.names, saved.count, saved.time) == ("uf", estimate.names, 1500, 30.0)
    np.testing.assert_array_equal(saved.mean, estimate.values)
    np.testing.assert_array_equal(saved.covariance, estimate.covariance)


def test_a_state_of_other_numbers_is_refused_and_one_laid_out_anew_is_not(path):
    edit(path, lambda document: None)
    count = read_saved_estimate(path).count
    edit(path, lambda document: document["state"].__setitem__("count", count + 1))
    with pytest.raises(DocumentError, match=r"does not match its checksum.*take state_sha256 out"):
        read_saved_estimate(path)
    edit(path, lambda document: document.pop("state_sha256"))
    assert read_saved_estimate(path).count == count + 1


def test_a_combination_in_doubt_comes_back_in_doubt(tmp_path):
    result = made_identification()
    doubtful = result.estimate.mark_doubtful()
    write_estimate_json(tmp_path / "estimate.json", replace(result, estimate=doubtful))
    saved = read_saved_estimate(tmp_path / "estimate.json")
    assert [one.status for one in saved.combinations] == ["in_doubt"]
    np.testing.assert_allclose(saved.combinations[0].weights, doubtful.combinations[0].weights)


def test_combinations_come_back_with_their_weights(path):
    (written,), (read,) = made_identification().estimate.combinations, read_saved_estimate(path).combinations
    assert replace(read, weights=()) == replace(written, weights=())
    np.testing.assert_array_equal(read.weights, written.weights)


@pytest.mark.parametrize(
    "change",
    [
        lambda entry: entry.pop("weights"),
        lambda entry: entry.pop("name"),
        lambda entry: entry.__setitem__("weights", {}),
        lambda entry: entry["weights"].__setitem__("m_9", 1.0),
        lambda entry: entry["weights"].__setitem__("m_e", None),
        lambda entry: entry["weights"].__setitem__("m_e", 10**400),
        lambda entry: entry.__setitem__("std", None),
    ],
)
def test_combinations_that_do_not_say_what_they_are_are_left_out(path, change):
    edit(path, lambda document: change(document["parameters"][-1]))
    assert read_saved_estimate(path).combinations == ()


def test_what_was_estimated_besides_comes_back(path):
    assert read_saved_estimate(path).also == ()
    edit(path, lambda d: d.__setitem__("also", ["force_delay"]))
    assert read_saved_estimate(path).also == ("force_delay",)


def test_an_estimator_goes_on_from_it(path):
    saved = read_saved_estimate(path)
    recursive = RecursiveEstimator(list_hexapod_parameters(MACHINE))
    recursive.resume(saved.mean, saved.covariance, saved.count, saved.time)
    found = recursive.estimate()
    assert (found.count, found.time) == (1500, 30.0)
    # scaled by the prior and back, and 1e-15 of the mean variance added before the factorisation
    np.testing.assert_allclose(found.values, saved.mean, rtol=1e-14)
    np.testing.assert_allclose(found.std, np.sqrt(np.diag(saved.covariance)), rtol=1e-9)


def test_a_list_of_numbers_is_one_line_of_the_file(path):
    lines = path.read_text().splitlines()
    assert len(lines) < 300
    assert sum(line.count(",") >= 19 for line in lines) == 21  # mean and rows of the covariance


def negative(state):
    state["covariance"][2][2] *= -1


def indefinite(state):
    covariance = state["covariance"]
    covariance[0][1] = covariance[1][0] = 2 * np.sqrt(covariance[0][0] * covariance[1][1])


def lopsided(state):
    state["covariance"][0][1] = 0.5 * state["covariance"][0][0]


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda d: d.pop("state"), "holds no 'state' to start from"),
        (lambda d: d.__setitem__("schema", 2), "no estimate.json of schema 1"),
        (lambda d: d.__setitem__("stated", 5), "stated = 5: must be a text"),
        (lambda d: d.__setitem__("parameter_set", None), "parameter_set = None: must be a text"),
        (lambda d: d["state"]["mean"].pop(), "state.mean"),
        (lambda d: d["state"]["mean"].__setitem__(0, None), "must be 20 finite numbers"),
        (lambda d: d["state"].__setitem__("mean", "x"), "must be 20 finite numbers"),
        (lambda d: d["state"]["covariance"].pop(), "must be 20 x 20 finite numbers"),
        (lambda d: d["state"].__setitem__("names", []), ": state.names = []: must be a list"),
        (lambda d: d.__setitem__("also", {}), ": also = {}: must be a list"),
        (lambda d: d.__setitem__("also", ["force_delay", 1]), ": also = ['force_delay', 1]: must be"),
        (lambda d: d["state"].__setitem__("count", -1), "must be a whole number"),
        (lambda d: d["state"].__setitem__("time", [1]), "must be a finite number"),
        (lambda d: negative(d["state"]), "variance that is not positive"),
        (lambda d: indefinite(d["state"]), "is not positive definite"),
        (lambda d: lopsided(d["state"]), "is not symmetric"),
    ],
)
def test_what_cannot_be_used_is_refused_with_file_and_place(path, change, text):
    edit(path, change)
    with pytest.raises(DocumentError) as caught:
        read_saved_estimate(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert text in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe", b"[" * 100_000, b'{"schema": 1}'])
def test_what_is_no_estimate_is_refused(tmp_path, content):
    path = tmp_path / "estimate.json"
    path.write_bytes(content)
    with pytest.raises(DocumentError, match=r"estimate\.json"):
        read_saved_estimate(path)
    with pytest.raises(DocumentError, match="No such file"):
        read_saved_estimate(tmp_path / "none.json")


def test_another_machine_or_other_parameters_are_refused(path):
    saved = read_saved_estimate(path)
    hexel = Machine.load("hexel")
    with pytest.raises(
        DocumentError, match=rf"belongs to machine 'uf' .* expected 'hexel' \(hash {hexel.hash}\)"
    ):
        saved.check(hexel, list_hexapod_parameters(hexel))
    document = MACHINE.document
    changed = Machine.from_document({**document, "gravity": [0.0, 0.0, -9.8]})
    with pytest.raises(DocumentError, match="belongs to machine 'uf' with another description"):
        saved.check(changed, list_hexapod_parameters(changed))
    with pytest.raises(DocumentError, match="holds 20 parameters, the set 'oh24' has 24"):
        saved.check(MACHINE, list_hexapod_parameters(MACHINE, "oh24"))
    renamed = replace(list_hexapod_parameters(MACHINE), name="other")
    with pytest.raises(DocumentError, match="holds the parameter set 'identifiable', expected 'other'"):
        saved.check(MACHINE, renamed)


def test_other_statements_about_the_parameters_are_refused(tmp_path):
    def assumptions(value):
        return Assumptions(fixed=(Fix("m_p", value),))

    path = tmp_path / "estimate.json"
    result = made_identification()
    estimator = replace(result.settings.estimator, assumptions=assumptions(5.0))
    settings = replace(result.settings, estimator=estimator)
    write_estimate_json(path, replace(result, settings=settings))
    saved, parameters = read_saved_estimate(path), list_hexapod_parameters(MACHINE)
    assert saved.assumptions == "m_p = 5"
    saved.check(MACHINE, parameters, assumptions(5.0).described())
    saved.check(MACHINE, parameters)
    with pytest.raises(DocumentError, match=r"was made with 'm_p = 5', expected 'm_p = 4'"):
        saved.check(MACHINE, parameters, assumptions(4.0).described())
    with pytest.raises(DocumentError, match=r"'m_p = 5', expected nothing fixed, tied or stated"):
        saved.check(MACHINE, parameters, "")


def test_an_older_file_that_does_not_say_is_accepted(path):
    edit(path, lambda d: (d.pop("parameter_set"), d.pop("stated")))
    saved = read_saved_estimate(path)
    assert (saved.parameter_set, saved.assumptions) == (None, None)
    saved.check(MACHINE, list_hexapod_parameters(MACHINE), "m_p = 4")
