# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The comparison of golden outputs finds what differs, in the deviations of estimates."""

from __future__ import annotations

import json

import pytest

from benchmarks.golden.cases import find_explanation
from benchmarks.golden.compare import compare_folders

ESTIMATE = {"name": "m_p", "value": 5.0, "std": 0.1, "status": "identifiable", "nominal": 4.8}


@pytest.fixture
def compared(tmp_path):
    def compare(**changes):
        for name, one in (("before", ESTIMATE), ("now", {**ESTIMATE, **changes})):
            (tmp_path / name).mkdir(exist_ok=True)
            document = {"parameters": [one], "provenance": {"date": name}, "ratio": [1.0, 1e-20]}
            (tmp_path / name / "estimate.json").write_text(json.dumps(document), encoding="utf-8")
        return compare_folders(tmp_path / "before", tmp_path / "now")

    return compare


def test_equal_outputs_have_no_difference_whatever_their_date(compared):
    found = compared()
    assert (found.shift, found.deviation, found.change, found.differences) == (0.0, 0.0, 0.0, ())


def test_a_shifted_estimate_is_told_in_deviations(compared):
    found = compared(value=5.02)
    assert found.shift == pytest.approx(0.2)
    assert [one.place for one in found.differences] == ["estimate.json.parameters.0.m_p.value"]
    assert compared(value=5.0 + 1e-12).differences == ()


@pytest.mark.parametrize(
    "change", [{"status": "combination"}, {"value": None}, {"std": 0.11}, {"nominal": 4.9}]
)
def test_other_statuses_and_numbers_are_differences(compared, change):
    assert len(compared(**change).differences) == 1


def test_a_file_that_one_alone_has_written_is_a_difference(compared, tmp_path):
    compared()
    (tmp_path / "now" / "more.yaml").write_text("a: 1", encoding="utf-8")
    found = compare_folders(tmp_path / "before", tmp_path / "now")
    assert [one.place for one in found.differences] == ["more.yaml"]


@pytest.mark.parametrize(
    ("name", "before", "now", "places"),
    [
        ("log.csv", "t,a\n" + 200 * "0,2\n", "t,a\n" + 199 * "0,2\n" + "0,2.5\n", ["log.csv.a"]),
        ("log.csv", "t,a\n" + 200 * "0,2\n", "t,a\n" + 200 * "0,2.0000000000002\n", []),
        (
            "machine.yaml",
            "a: {b: [1, 2]}",
            "a: {b: [1, 3]}\nknown: cad",
            ["machine.yaml.a.b.1", "machine.yaml.known"],
        ),
    ],
)
def test_columns_and_keys_of_other_files_are_places(tmp_path, name, before, now, places):
    for folder, text in (("before", before), ("now", now)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_text(text, encoding="utf-8")
    found = compare_folders(tmp_path / "before", tmp_path / "now")
    assert [one.place for one in found.differences] == places


@pytest.mark.parametrize(
    ("case", "place"),
    [
        ("identify-uf-ls", "estimate.json.fit.adequate"),
        ("identify-uf-ls", "estimate.json.fit.causes"),
        ("identify-uf-ls", "estimate.json.parameters.0.m_p.value"),
        ("identify-uf-ukf", "estimate.json.parameters.13.coulomb_1.std"),
        ("identify-uf-rls", "estimate.json.parameters.0.status"),
        ("identify-hexel-ls", "estimate.json.samples"),
        ("export-hexel", "machine.yaml.platform.mass"),
        ("check-uf", "check.json.usable"),
        ("stream-uf", "stream.json.estimate.0.name"),
    ],
)
def test_what_nobody_named_is_not_explained(case, place):
    assert find_explanation(case, place) is None
