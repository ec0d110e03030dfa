# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The study of base parameters: counts of the text, and verdicts that turn with what was found."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from pkm_identification.reproduction import STUDIES
from pkm_identification.reproduction.iriarte2017.findings import TRANSFERS, VANISHING, findings
from pkm_identification.reproduction.iriarte2017.runs import run_study
from pkm_identification.reproduction.iriarte2017.study import NAME, outcome
from pkm_identification.reproduction.number import AGREES, IN_KIND, IN_PART, NOT_REPRODUCED

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def study():
    return run_study(many_digits=False)


def verdicts(study):
    return {one.name: one.verdict for finding in findings(study) for one in finding.numbers}


def test_the_rules_give_the_text_s_tables(study):
    assert study.vanishing == VANISHING
    assert study.transferred == TRANSFERS
    assert (sum(VANISHING.values()), sum(TRANSFERS.values())) == (13, 16)
    assert all(study.same_as_rules)


def test_every_verdict_turns_with_what_was_found(study):
    found = verdicts(study)
    judged = {name: verdict for name, verdict in found.items() if not verdict.startswith("not in the text")}
    assert set(judged.values()) == {AGREES}
    # another mechanism's rules are not the suspension's; one that is clear is not in doubt
    other = replace(study.suspension.symbolic, base=_without_a_transfer(study.suspension.symbolic.base))
    suspension = replace(study.suspension, symbolic=other, double=study.four_bar.double)
    wrong = verdicts(replace(study, suspension=suspension, low=study.four_bar, nearer=study.four_bar))
    assert wrong["suspension: transferred"] == IN_KIND
    assert wrong["suspension: transferred between each pair"] == IN_PART
    assert wrong["suspension: vanishing"] == AGREES
    assert wrong["suspension: double has no clear ridge"] == NOT_REPRODUCED
    assert wrong["four-bar, low mobility: double is in doubt"] == NOT_REPRODUCED
    assert wrong["forced rank: a coefficient out of range"] == NOT_REPRODUCED


def _without_a_transfer(base):
    last = next(one for one in reversed(base.applied) if not one.vanishes)
    return replace(
        base,
        applied=tuple(one for one in base.applied if one is not last),
        transferred=base.transferred[1:],
    )


def test_document_and_figure(study):
    assert NAME in STUDIES
    made = outcome(study)
    document = json.loads(json.dumps(made.document, allow_nan=False))
    assert document["transferred"]["3-5"] == 3
    assert {"name", "source", "ours", "unit", "mark", "verdict"} <= set(document["numbers"][0])
    assert list(made.figures()) == document["figures"]
    assert "41" in made.text
