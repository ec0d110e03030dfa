# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Tables and sentences: aligned, rounded as measurements are, and never a prior shown as an estimate."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from core.report.made_identification import PRIOR_VALUE, made_estimate, made_identification, without
from hypothesis import given
from hypothesis import strategies as st

from pkm_identification.machines.hexapod import Hexapod
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.report.listing import (
    Listing,
    number,
    percent,
    relative,
    with_deviation,
)
from pkm_identification.report.sentences import verdicts
from pkm_identification.report.tables import (
    REASONS,
    dropped_table,
    estimate_table,
    list_combination_sums,
    machine_table,
    settings_table,
    validation_table,
)
from pkm_identification.signals.input_validation.sample_checks import NEW_SEGMENT, REJECTIONS

texts = st.text(st.characters(codec="ascii", categories=["L", "N", "P"]), max_size=12)


@pytest.mark.slow
@given(rows=st.lists(st.tuples(texts, texts, texts), max_size=6))
def test_columns_of_a_listing_are_aligned(rows):
    listing = Listing(("name", "value", "last"), tuple(rows), frozenset({"value"}))
    lines = str(listing).split("\n")
    assert len(lines) == len(rows) + 2
    widths = [len(rule) for rule in lines[1].split("  ")]
    assert widths == [max(map(len, column)) for column in zip(listing.header, *rows, strict=True)]
    for row, line in zip(rows, lines[2:], strict=True):
        expected = row[0].ljust(widths[0]) + "  " + row[1].rjust(widths[1]) + "  " + row[2]
        assert line == expected.rstrip()


@given(
    value=st.floats(-1e6, 1e6),
    std=st.floats(1e-9, 1e6),
)
def test_values_are_rounded_to_two_digits_of_their_deviation(value, std):
    value_text, std_text = with_deviation(value, std)
    assert abs(float(value_text) - value) <= 0.06 * std or float(value_text) == pytest.approx(value, rel=0.05)
    # above ten units the deviation itself is given to the unit
    assert abs(float(std_text) - std) <= max(0.051 * std, 0)
    digits = std_text.replace(".", "").split("e")[0].lstrip("0")
    assert len(digits) in (2, 3) or std >= 100


def test_numbers_that_are_not_finite_are_a_dash():
    assert with_deviation(math.nan, 1.0) == ("-", "1")
    assert [number(None), number(math.inf), percent(math.nan), percent(None)] == ["-"] * 4
    assert relative(1.0, 0.0) is None
    assert relative(-1.1, -1.0) == pytest.approx(-10)
    assert with_deviation(3.0, 0.0) == ("3", "0")


@pytest.mark.parametrize("with_truth", [False, True])
def test_what_is_not_identifiable_has_no_value(with_truth):
    estimate = made_estimate()
    truth = estimate.nominal * 1.1 if with_truth else None
    listing = estimate_table(estimate, truth)
    rows = {row[0]: dict(zip(listing.header, row, strict=True)) for row in listing.rows}
    assert len(rows) == len(estimate.names) + 1
    for name, status in zip(estimate.names, estimate.status, strict=True):
        assert (rows[name]["estimate"] == "-") == (status != "identifiable")
        assert (rows[name]["std"] == "-") == (status != "identifiable")
    assert str(PRIOR_VALUE)[:6] not in str(listing)
    assert rows["Izz_p"]["status"] == "not identifiable"
    assert rows["m_p"]["status"] == "only in a combination"
    assert rows["m_p + 6 m_e"]["estimate"] == "15.250"
    assert rows["m_p + 6 m_e"]["std"] == "0.040"
    if with_truth:
        i = estimate.names.index("m_b")
        expected = 100 * (estimate.values[i] / truth[i] - 1)
        assert float(rows["m_b"]["error %"]) == pytest.approx(expected, abs=0.006)
        assert rows["Izz_p"]["error %"] == "-"
        assert float(rows["m_p + 6 m_e"]["true"]) == pytest.approx(1.1 * (4.82 + 6 * 1.79), rel=1e-4)


def test_a_long_combination_stands_under_its_first_term_and_its_terms_elsewhere():
    estimate = made_estimate()
    long = replace(estimate.combinations[0], name="m_p + 6 m_e - 0.25 Izz_p")
    changed = replace(estimate, combinations=(long,))
    assert estimate_table(changed).rows[-1][0] == "m_p + ... (1)"
    assert estimate_table(changed).rows[-1][-1] == "identified combination"
    assert list_combination_sums(changed) == [("m_p + ... (1)", "m_p + 6 m_e - 0.25 Izz_p")]


def test_validation_table_has_six_struts_and_the_total():
    result = made_identification(error=0.3)
    listing = validation_table(result.validation, result.machine.drives)
    assert [row[0] for row in listing.rows] == ["1", "2", "3", "4", "5", "6", "all"]
    rms = np.sqrt(np.mean(result.validation.measured**2, axis=0))
    assert [float(row[1]) for row in listing.rows[:6]] == pytest.approx(rms, rel=1e-3)
    assert [float(row[2]) for row in listing.rows[:6]] == pytest.approx(0.003 * rms, rel=5e-3)
    assert {row[3:] for row in listing.rows} == {("0.30", "7.00")}


def test_every_reason_of_the_guard_and_of_the_readers_is_explained():
    reasons = {*REJECTIONS.values(), *NEW_SEGMENT.values()} - {"start"}
    reasons |= {
        "missing_name",
        "repeated_name",
        "unequal_lengths",
        "zero_stamp",
        "bad_stamp",
        "repeated_header",
    }
    reasons |= {"filled", "gated", "resting", "no_pose", "no_force", "stepping", "wrong_rate"}
    assert reasons <= set(REASONS)
    listing = dropped_table({"spike": 3, "gap": 0, "unheard_of": 2})
    assert [row[:2] for row in listing.rows] == [("spike", "3"), ("unheard_of", "2")]


@pytest.mark.parametrize("name", ["uf", "hexel", "ford"])
def test_machine_and_settings_are_listed(name):
    machine = Machine.load(name)
    assert dict(machine_table(Hexapod(machine)).rows)["digest"] == machine.hash
    rows = dict(settings_table(made_identification()).rows)
    assert rows["kinematic filter"] == "150 Hz, order 4"
    assert rows["direction"] == "zero phase"
    causal = made_identification()
    causal = replace(causal, settings=replace(causal.settings, causal=True), delay=0.0123)
    assert dict(settings_table(causal).rows)["direction"] == "causal, delay 12.3 ms"


def test_verdicts_tell_good_from_bad_news():
    news = {text: good for good, text in verdicts(made_identification(error=0.3))}
    assert news["The estimator converged."]
    (counted,) = (text for text in news if text.startswith("17 of 20 "))
    assert news[counted] is False
    assert re.search("m_p, m_e and Izz_p are not identifiable", counted)
    assert news["Identified in combination: m_p + 6 m_e = 15.250 ± 0.040 kg."]
    (prediction,) = (text for text in news if text.startswith("Forces of held_out.csv"))
    assert "predicted to 0.3 % rms" in prediction
    assert news[prediction]

    bad = replace(made_identification(error=40.0), converged=False, warnings=("rate is off",))
    bad = replace(bad, validation=replace(bad.validation, nominal_percent=30.0))
    news = {text: good for good, text in verdicts(bad)}
    assert news["Do not use these values: the estimator did not converge."] is False
    assert news["Rate is off"] is False
    (prediction,) = (text for text in news if text.startswith("Forces of"))
    assert news[prediction] is False
    assert "does not hold" in prediction
    assert not any("Forces" in text for _, text in verdicts(without(bad, "validation")))


def test_one_parameter_that_is_not_identifiable_and_none():
    estimate = made_estimate()
    status = tuple("unidentifiable" if name == "Izz_p" else "identifiable" for name in estimate.names)
    result = made_identification()
    one = replace(result, estimate=replace(estimate, status=status, combinations=()))
    texts = [text for _, text in verdicts(one)]
    assert any(re.match("19 of 20 .*; Izz_p is not identifiable", text) for text in texts)
    all_of_them = replace(one, estimate=replace(one.estimate, status=("identifiable",) * 20))
    assert (True, "All 20 parameters are identified.") in verdicts(all_of_them)
