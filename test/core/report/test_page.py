# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The page's parts, by their numbers: verdict, bars, correlations, travel, next steps, glossary."""

import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from core.report.made_identification import made_estimate, made_fit, made_identification, without

from pkm_identification.estimation.identifiability.correlation import correlation
from pkm_identification.identification.diagnosis.findings import Cause
from pkm_identification.identification.review.review import Travel
from pkm_identification.machines.hexapod import Hexapod
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.sets import NAMES, list_hexapod_parameters
from pkm_identification.report.glossary import MEANINGS, build_glossary_page
from pkm_identification.report.page.material import Material
from pkm_identification.report.page.next_steps import next_steps
from pkm_identification.report.page.parameter_rows import WIDTH, parameter_rows
from pkm_identification.report.page.travel_rows import travel_rows
from pkm_identification.report.page.verdict_box import BAD, GOOD, UNKNOWN, checks, overall
from pkm_identification.report.sentences import format_warning_lines, verdicts

ROOT = Path(__file__).resolve().parents[3]


def states(result):
    return {check.question: check.state for check in checks(result)}


def test_the_verdict_is_that_of_the_worst_check():
    result = replace(made_identification(error=0.1), fit=made_fit())
    assert states(result)["Does the model fit?"] == GOOD
    assert states(without(result, "validation"))["Does it predict other motion?"] == UNKNOWN
    bad = replace(result, fit=replace(made_fit(), adequate=False, ratio=7.5))
    assert states(bad)["Does the model fit?"] == BAD
    verdict, text = overall(checks(bad), bad)
    assert verdict == BAD
    assert re.search("Do not use affected.*model", text)
    lost = replace(result, converged=False, nonconvergence="viscous_1 still drifts")
    assert states(lost)["Converged?"] == BAD
    assert overall(checks(lost), lost)[1].startswith("Do not use these values")
    assert any("viscous_1 still drifts" in check.detail for check in checks(lost))


def test_what_is_only_known_in_sums_keeps_the_verdict_from_being_good():
    result = replace(made_identification(error=0.1), fit=made_fit())
    (known,) = [check for check in checks(result) if check.question == "What is known?"]
    assert (known.state, known.answer) == (UNKNOWN, "17 of 20 parameters")
    assert known.detail == "2 only in a combination; 1 not determined by this motion"


def test_a_warning_is_one_sentence_everywhere_and_names_of_logs_keep_their_letters():
    said = ("samples come at 20 Hz", "raw.csv: samples come at 1040 Hz", "data/long log.csv: is short")
    result = replace(made_identification(), warnings=said)
    lines = format_warning_lines(result)
    assert lines == ["Samples come at 20 Hz", *said[1:]]
    assert [text for _, text in verdicts(result) if text in lines] == lines


def test_every_shown_parameter_and_combination_has_a_bar_on_its_own_scale():
    estimate = made_estimate()
    html = parameter_rows(estimate, None)
    assert ">kg m²<" in html
    assert html.count('<svg width="230"') == estimate.status.count("identifiable") + 1
    place = estimate.names.index("viscous_3")
    row = re.search(r"<tr><td>viscous_3.*?</tr>", html)[0]
    nominal = float(re.search(r'class="mark"><line x1="([\d.]+)"', row)[1])
    value = float(re.search(r'<circle cx="([\d.]+)"', row)[1])
    low, high = (
        float(x)
        for x in re.search(r'<line x1="([\d.]+)" x2="([\d.]+)" y1="11.0"[^>]*width="2"', row).groups()
    )
    # two standard deviations either side, in the same proportion to the change from nominal as the numbers have
    change = estimate.values[place] - estimate.nominal[place]
    assert (value - nominal) / (high - low) == pytest.approx(change / (4 * estimate.std[place]), rel=0.05)
    ends = sorted([nominal, low, high])
    assert ends[0] == 8.0
    assert ends[-1] == WIDTH - 8.0


def test_rows_of_any_numbers_are_drawn():
    estimate = replace(made_estimate(), nominal=np.zeros(20), std=np.zeros(20))
    assert "nan" not in parameter_rows(estimate, np.zeros(20))
    wild = replace(made_estimate(), values=np.full(20, np.nan))
    assert "nan" not in parameter_rows(wild, None)


def test_correlations_leave_out_what_is_not_shown_and_no_column_is_of_one_colour():
    estimate = made_estimate()
    std = estimate.std
    covariance = np.diag(std**2)
    i, j = (estimate.names.index(name) for name in ("m_p", "m_e"))
    covariance[i, j] = covariance[j, i] = -0.97 * std[i] * std[j]
    found = correlation(replace(estimate, covariance=covariance))
    assert "Izz_p" not in found.names
    assert found.strong == (("m_p", "m_e", pytest.approx(-0.97)),)
    np.testing.assert_allclose(np.diag(found.matrix), 1.0)
    assert np.all(np.ptp(found.matrix, axis=0) > 0.9)


def test_travel_is_drawn_inside_its_limits_and_said_to_be_outside():
    used = Travel(
        length=np.array([[0.35, 0.5]] * 5 + [[0.29, 0.5]]),
        length_limits=np.array([0.3, 0.55]),
        rate=np.full(6, 0.35),
        force=np.full(6, 600.0),
        rate_limit=np.full(6, 0.7),
        force_limit=np.full(6, np.inf),
        position=np.zeros((3, 2)),
        turning=np.zeros((3, 2)),
    )
    html = travel_rows(used, Hexapod(Machine.load("uf")).drives)
    assert html.count('class="used over"') == 1
    assert html.count(">60 %<") == 5
    assert html.count(">84 %<") == 1
    assert html.count(">50 %<") == 6
    assert html.count("no limit stated") == 6


def test_next_steps_follow_from_what_is_wrong():
    def said(result):
        return " ".join(next_steps(Material(result, {})))

    good = replace(made_identification(error=0.1), fit=made_fit())
    assert "pkm export" in said(good)
    assert "3 parameters are not identifiable" in said(good)
    assert "motions below" not in said(good)  # there is no list of them
    advised = Material(good, {}, review=SimpleNamespace(next_motions=("turning about z",)))
    assert "motions below" in " ".join(next_steps(advised))
    assert "--validate" not in said(good)
    assert "--validate" in said(without(good, "validation"))
    assert "has not converged" in said(replace(good, converged=False))
    bad = replace(good, fit=replace(made_fit(), adequate=False))
    assert "pkm export" not in said(bad)
    assert "No known cause" in said(bad)
    nearest = Cause("force_gain_4", 1.1, 0.01, "", 0.34, "")  # nobody is to act on it
    unknown = said(replace(bad, fit=replace(bad.fit, causes=(nearest,))))
    assert unknown == said(bad)


def test_values_that_no_body_has_are_to_be_identified_with_consistent():
    good = replace(made_identification(error=0.1), fit=made_fit())
    estimate, values = good.estimate, good.estimate.values.copy()
    values[estimate.names.index("viscous_1")] *= -1
    wrong = replace(good, estimate=replace(estimate, values=values))
    steps = {
        states(result)["Physically consistent?"]: " ".join(next_steps(Material(result, {})))
        for result in (good, wrong)
    }
    assert "--consistent" in steps[BAD]
    assert "--consistent" not in steps[GOOD]


def test_the_glossary_is_what_the_sets_say():
    assert (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8") == build_glossary_page(), (
        "write it again: python -m pkm_identification.report.glossary > docs/glossary.md"
    )


def test_every_parameter_of_every_set_has_a_meaning_of_its_own():
    machine = Machine.load("uf")
    entries = [entry for name in NAMES for entry in list_hexapod_parameters(machine, name).entries]
    found = {(entry.symbol, entry.body): MEANINGS[entry.symbol] for entry in entries}
    assert len({(text, body) for (_, body), text in found.items()}) == len(found) > 20


def test_the_picture_of_the_machine_names_every_parameter_of_the_first_set():
    picture = (ROOT / "docs" / "images" / "machine.svg").read_text(encoding="utf-8")
    entries = list_hexapod_parameters(Machine.load("uf")).entries
    names = {entry.name for entry in entries if entry.limb in (None, 0)}
    assert [name for name in sorted(names) if name not in picture] == []
