# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Every study: its verdicts are those of the page, a wrong number turns each, and what it says is fit for others."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from core.reproduction.computed import MODULES, compute_study

from pkm_identification.reproduction import STUDIES
from pkm_identification.reproduction.number import AGREES, IN_KIND, IN_PART, NOT_IN_TEXT, UNJUDGED
from pkm_identification.reproduction.page import page
from pkm_identification.reproduction.study_file import assess_study, list_alternatives, read_file

pytestmark = pytest.mark.slow
PAGE = Path(__file__).resolve().parents[3] / "docs" / "reproduction.md"
# a quarter of a minute each: their own tests do them in short, and `pkm reproduce all --page` writes them
LONG = ("oh2003-staged", "iriarte2017-base-parameters")
NAMES = [name for name in STUDIES if name not in LONG]


@cache
def outcome(name):
    return assess_study(MODULES[name], compute_study(name))


def verdicts_of(text):
    """By study the verdicts of the page's numbers and findings, in their order."""
    found = {}
    for section in re.split(r"^## ", text, flags=re.M)[1:]:
        numbers = re.findall(r"^\|.*\| ([a-z ]+) \|[^|]*\|$", section, re.M)[1:]
        findings = re.findall(r"^- .*\*\*([A-Z][a-z ]+)\.\*\*$", section, re.M)
        found[section.split(":")[0]] = numbers, findings
    return found


@pytest.mark.parametrize("name", NAMES)
def test_verdicts_are_those_of_the_page(name):
    made = outcome(name)
    json.dumps(made.document, allow_nan=False)
    assert verdicts_of(page([made.document]))[name] == verdicts_of(PAGE.read_text(encoding="utf-8"))[name]
    assert set(made.figures()) == set(made.document["figures"])


@pytest.mark.parametrize("name", NAMES)
def test_every_number_of_a_text_says_where_it_stands(name):
    for one in outcome(name).document["numbers"]:
        if one["verdict"] != NOT_IN_TEXT:
            assert one["line"], one["name"]
        # a number is one in the document, not a text
        assert not (isinstance(one["ours"], str) and re.fullmatch(r"[-\d. e+]+", one["ours"])), one["name"]


class Wrong:
    def __init__(self, values):
        self.values = values


def spoil(value, text):
    """A value that agrees with nothing that the right one agrees with; beyond a bound, if the text gives one."""
    if isinstance(value, (bool, np.bool_)):
        return not value
    if isinstance(value, (list, tuple, np.ndarray)):
        return [spoil(one, text) for one in value]
    if not isinstance(value, (int, float)):
        return value
    return abs(7.0 * value) + 1.0 if isinstance(text, dict) and "at_most" in text else -7.0 * value - 1.0


@pytest.mark.parametrize("name", NAMES)
def test_the_opposite_turns_each_verdict(name):
    declared, right = read_file(MODULES[name]), compute_study(name)
    before = {one["name"]: one["verdict"] for one in assess_study(MODULES[name], right).document["numbers"]}
    rows = [one for finding in declared["findings"] for one in finding["numbers"]]
    judged = [one for one in rows if before[one["name"]] in (AGREES, IN_PART, IN_KIND)]
    for row in judged:
        keys = {row["ours"], *list_alternatives(row)}
        wrong = Wrong({**right.values, **{key: spoil(right.values[key], row.get("text")) for key in keys}})
        after = {
            one["name"]: one["verdict"] for one in assess_study(MODULES[name], wrong).document["numbers"]
        }
        assert after[row["name"]] not in (AGREES, IN_PART, IN_KIND, UNJUDGED), row["name"]
