# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The study of units: what our reconstruction gives, and verdicts that turn with what was found."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from pkm_identification.reproduction import STUDIES
from pkm_identification.reproduction.ebrahimi2009.findings import findings
from pkm_identification.reproduction.ebrahimi2009.runs import run_study
from pkm_identification.reproduction.ebrahimi2009.study import NAME, outcome
from pkm_identification.reproduction.number import AGREES, IN_PART, JUDGED


@pytest.fixture(scope="module")
def study():
    return run_study()


def verdicts(study):
    return {one.name: one.verdict for finding in findings(study) for one in finding.numbers}


def test_the_toy_is_that_by_hand(study):
    np.testing.assert_allclose(study.toy.singular_values, np.sqrt([1 + 4 / 13, 1 - 4 / 13]), atol=1e-12)
    assert study.toy_raw == pytest.approx(2.77664755, abs=1e-8)
    assert study.toy_raw_small == pytest.approx(404226.04, rel=1e-7)


def test_units_change_the_columns_and_not_what_is_made_of_them(study):
    for one in study.machines:
        assert one.change < 1e-10
        assert one.raw_small > 1e3 * one.raw
        assert one.shares == pytest.approx(1.0, abs=1e-10)


def test_every_verdict_turns_with_what_was_found(study):
    found = {name: verdict for name, verdict in verdicts(study).items() if verdict in JUDGED}
    assert len(found) == 3
    assert set(found.values()) == {AGREES}
    first = replace(study.machines[0], change=1e-9, raw_small=study.machines[0].raw, sizes=(1, 3, 6))
    wrong = verdicts(replace(study, machines=(first, *study.machines[1:])))
    assert {wrong[name] for name in found} == {IN_PART}


def test_no_figure_of_ours_is_called_the_sources(study):
    made = outcome(study)
    document = json.loads(json.dumps(made.document, allow_nan=False))
    assert NAME in STUDIES
    for one in document["numbers"]:
        if one["verdict"] == "not in the text":
            assert one["source"] is None
    assert "reconstruction" in made.text
    assert list(made.figures()) == document["figures"]
