# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Verdicts follow from the numbers by their rules."""

from __future__ import annotations

import json

import pytest

from pkm_identification.reproduction.finding import Finding, build_common_document
from pkm_identification.reproduction.number import (
    AGREES,
    IN_KIND,
    IN_PART,
    NOT_IN_TEXT,
    NOT_REPRODUCED,
    UNJUDGED,
    at_most,
    beyond,
    format_number,
    interval,
    mark_undecided,
    series,
    statement,
    together,
    value,
)
from pkm_identification.reproduction.page import page


@pytest.mark.parametrize(
    ("ours", "verdict"), [(5.3, AGREES), (4.8, AGREES), (9.9, IN_KIND), (2.6, IN_KIND), (10.1, NOT_REPRODUCED),
                          (-5.0, NOT_REPRODUCED)]
)  # fmt: skip
def test_a_value(ours, verdict):
    assert value("n", 5.0, ours, "%", "S", "1", near=0.5).verdict == verdict


@pytest.mark.parametrize(("ours", "verdict"), [(4.0, AGREES), (8.0, IN_KIND), (8.1, NOT_REPRODUCED)])
def test_a_bound(ours, verdict):
    assert at_most("n", 4.0, ours, "%", "S", "1").verdict == verdict


@pytest.mark.parametrize(
    ("ours", "verdict"),
    [
        ((12.0, 250.0), AGREES),
        ((-30.0, 290.0), IN_KIND),  # the low end is more than a quarter of 300 away
        ((60.0, 580.0), IN_KIND),
        ((60.0, 610.0), NOT_REPRODUCED),
        ((-29.0, -21.0), NOT_REPRODUCED),
        ((0.0, 0.5), NOT_REPRODUCED),
    ],
)
def test_a_range(ours, verdict):
    source = (15.0, 300.0) if ours[0] != -30.0 else (115.0, 291.0)
    assert interval("n", source, ours, "%", "S", "1").verdict == verdict


@pytest.mark.parametrize(
    ("held", "verdict"), [(6, AGREES), (4, IN_PART), (3, NOT_REPRODUCED), (0, NOT_REPRODUCED)]
)
def test_a_statement(held, verdict):
    assert statement("n", "s", [k < held for k in range(6)], "S", "1").verdict == verdict


def test_what_the_text_does_not_say_is_not_judged():
    assert value("n", 5.0, 5.0, "%", "G", "1", near=0.5).verdict == UNJUDGED
    assert value("n", 5.0, 5.0, "%", "G+", "1", near=0.5).verdict == UNJUDGED
    assert value("n", 5.0, 5.0, "%", "S/P", "1", near=0.5).verdict == AGREES
    assert value("n", None, 5.0, "%", "", "1", near=0.5).verdict == UNJUDGED
    assert mark_undecided("n", 1.0, 1.0, "", "S", None, because="x").verdict == UNJUDGED
    assert beyond("n", 1.0, "").verdict == NOT_IN_TEXT


def test_all_numbers_of_a_finding_count():
    good = value("a", 1.0, 1.0, "", "S", None, near=0.1)
    kind = value("b", 1.0, 1.5, "", "S", None, near=0.1)
    bad = value("c", 1.0, 9.0, "", "S", None, near=0.1)
    lost = value("d", None, 9.0, "", "S", None, near=0.1)
    assert together([good, kind]) == IN_KIND
    assert together([good, kind, bad, lost]) == IN_PART
    assert together([good, lost]) == together([good, bad]) == together([kind, lost]) == IN_PART
    assert together([bad, lost]) == together([bad]) == NOT_REPRODUCED
    assert together([good, beyond("e", 1.0, "")]) == AGREES
    assert together([lost]) == UNJUDGED
    assert together([]) == NOT_IN_TEXT
    assert Finding("s", "o", "w", (good, kind)).verdict == IN_KIND


def test_documents_and_page_have_every_number():
    found = Finding(
        "it *is* so", "5", "why_not", (interval("a | b", (1.0, 2.0), (1.0, 2.0), "%", "S", "12"),)
    )
    document = build_common_document("name", "title", ["assumed"], (found,), ["figure"])
    number = json.loads(json.dumps(document, allow_nan=False))["numbers"][0]
    assert set(number) == {"name", "source", "ours", "unit", "mark", "verdict", "line", "rule"}
    assert number["source"] == {"from": 1.0, "to": 2.0}
    text = page([document])
    assert "| a \\| b | 1 to 2 | 1 to 2 | % | S | agrees | 12 |" in text
    assert "1 numbers: agrees 1." in text
    assert "**Agrees.**" in text


def test_numbers_are_shown_as_people_write_them():
    assert [format_number(x) for x in (None, "text", (1.0, 2.5), 0.03, 1225.0, 97.13)] == [
        "-", "text", "1 to 2.5", "0.03", "1225", "97.1"
    ]  # fmt: skip


def test_a_row_of_a_table_is_judged_entry_by_entry():
    printed = (1.0, 2.0, None, 4.0)
    assert series("n", printed, [1.05, 1.95, 99.0, 4.0], "N", "S", None, near=0.1).verdict == AGREES
    assert series("n", printed, [1.05, 1.95, 99.0, 5.0], "N", "S", None, near=0.1).verdict == IN_PART
    assert series("n", printed, [2.05, 2.95, 3.0, 4.0], "N", "S", None, near=0.1).verdict == NOT_REPRODUCED
    assert series("n", printed, [1e-6, 1.95, 99.0, 5.0], "N", "S", None, near=0.1).ours == [
        0.0,
        1.95,
        99.0,
        5.0,
    ]
