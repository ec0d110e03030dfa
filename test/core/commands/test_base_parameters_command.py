# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm base-parameters: text, JSON and exit codes."""

from __future__ import annotations

import json

import pytest

from pkm_identification.cli import main
from pkm_identification.mechanisms.multibody.mechanism import builtin_mechanisms


def ask(*arguments):
    return main(["base-parameters", *arguments])


@pytest.mark.slow
def test_all_routes_of_the_trap_in_text_and_json(tmp_path, capsys):
    path = tmp_path / "base.json"
    arguments = ("--machine", "four-bar-low-mobility", "--eliminate", "m_coupler,J_coupler", "--homogenized")
    assert ask(*arguments, "--route", "all", "--json", str(path)) == 0
    out = capsys.readouterr().out
    assert "8 base parameters (the motion of its description)" in out
    assert "NO CLEAR RIDGE" in out
    assert "8 kept, 4 null, 0 undecided" in out
    assert "without effect: m_crank, m_rocker" in out
    found = json.loads(path.read_text())
    assert found["schema"] == 1
    assert (found["machine"], found["parameters"], found["base"]) == ("four-bar-low-mobility", 12, 8)
    assert found["vanishing"] == ["m_crank", "m_rocker"]
    assert found["routes"]["double"]["numpy_rank"] == 6
    assert found["routes"]["double"]["clear"] is False
    assert found["routes"]["double"]["forced"]["error"] > 1e-3
    precise = found["routes"]["precise"]
    assert (precise["kept"], precise["null"], precise["undecided"], precise["digits"]) == (8, 4, 0, [30, 60])
    assert found["homogenized"]["clear"] is False
    first = found["expressions"][0]
    assert first["name"] == "mx_crank"
    assert first["terms"][0] == {"parameter": "mx_crank", "factor": "1", "value": 1.0}
    assert first["terms"][1] == {"parameter": "m_coupler", "factor": "3/10", "value": 0.3}
    assert found["routes"]["exact"] == {"rank": 8, "primes": [11, 19]}
    assert found["routes"]["symbolic"] == {"base": 8, "vanish": 2, "transfer": 2}
    # eliminated by what joins the coupler to the crank and to the rocker
    assert [(one["joint"], one["condition"], one["parameter"]) for one in found["transferred"]] == [
        ("crank_tip", 1, "m_coupler"),
        ("rocker_tip", 1, "J_coupler"),
    ]


@pytest.mark.slow
def test_transfers_of_the_suspension_in_text_and_json(tmp_path, capsys):
    path = tmp_path / "base.json"
    assert ask("--machine", "suspension", "--route", "symbolic", "--json", str(path)) == 0
    out = capsys.readouterr().out
    assert "13 vanish, 16 transferred: 41 base parameters" in out
    assert "lower_arm: condition 2, dipole along (0, 1, 0) at (0, 0, 0): my_lower_arm" in out
    assert (
        "lower_pivot: condition 1, monopole at (0, 0, 0) of lower_arm lent by the ground: Iyy_lower_arm"
        in out
    )
    assert "damper_foot: condition 1, monopole at (0, 0, 0) of damper_rod to lower_arm: m_damper_rod" in out
    found = json.loads(path.read_text())
    assert found["routes"] == {"symbolic": {"base": 41, "vanish": 13, "transfer": 16}}
    assert (found["base"], len(found["vanishing"]), len(found["transferred"])) == (41, 13, 16)
    assert [one["joint"] for one in found["transferred"][:4]] == [
        "damper_foot",
        "lower_pivot",
        "upper_pivot",
        "rack",
    ]
    assert len(found["expressions"]) == 41
    assert found["expressions"][0]["terms"][1]["factor"] == "-20/7"


@pytest.mark.slow
def test_formulas_of_named_constants(tmp_path, capsys):
    pytest.importorskip("sympy")
    tex, path = tmp_path / "base.tex", tmp_path / "base.json"
    arguments = ("--machine", "four-bar", "--route", "symbolic", "--latex", str(tex), "--json", str(path))
    assert ask(*arguments, "--digits", "30,40") == 0
    assert "  J_rocker + (l3**2/l2**2) J_coupler" in capsys.readouterr().out
    terms = json.loads(path.read_text())["expressions"][0]["terms"]
    assert terms[1] == {"parameter": "m_coupler", "factor": "l1", "value": 0.3, "decimal": "0.3"}
    assert terms[2]["factor"] == "-l1/l2**2"
    # forty digits of -30/49
    assert terms[2]["decimal"] == "-0.6122448979591836734693877551020408163265"
    text = tex.read_text()
    assert text.count(r"\beta_") == 8
    assert r"\frac{l_{3}^{2}}{l_{2}^{2}}\, \mathrm{J}_{\mathrm{coupler}}" in text


def test_formulas_without_sympy(monkeypatch, tmp_path, capsys):
    """Without it numbers stand for the constants, and LaTeX is refused before anything is worked out."""
    monkeypatch.setattr(
        "pkm_identification.mechanisms.multibody.analysis.symbolic.formulas.find_spec", lambda _: None
    )
    assert ask("--machine", "four-bar", "--route", "symbolic") == 0
    out = capsys.readouterr().out
    assert "pkm_identification[symbolic]" in out
    assert "J_rocker + 0.510204081633 J_coupler" in out
    assert ask("--machine", "four-bar", "--route", "symbolic", "--latex", str(tmp_path / "a.tex")) == 2
    assert "--latex: needs sympy: pip install 'pkm_identification[symbolic]'" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_factors_are_numbers(tmp_path):
    path = tmp_path / "base.json"
    assert ask("--machine", "four-bar", "--route", "double", "--json", str(path)) == 0
    terms = [term for one in json.loads(path.read_text())["expressions"] for term in one["terms"]]
    assert len(terms) > 8
    for term in terms:
        assert float(term["factor"]) == term["value"]


def test_a_hexapod_without_units(tmp_path):
    path = tmp_path / "base.json"
    assert ask("--machine", "uf", "--homogenized", "--json", str(path)) == 0
    found = json.loads(path.read_text())
    assert (found["parameters"], found["base"]) == (130, 82)
    assert list(found["routes"]) == ["double"]
    assert found["routes"]["double"]["clear"] is True
    assert found["homogenized"]["ranks"] == [6, 39, 42]
    assert found["homogenized"]["rank"] == 82
    assert found["homogenized"]["raw_condition"] == pytest.approx(499.6, abs=0.05)
    shares = [entry["share"] for entry in found["homogenized"]["contributions"]]
    assert sum(shares) == pytest.approx(1.0, abs=1e-10)
    assert "m_b_1" in found["homogenized"]["without_influence"]


def test_friction_of_the_drives_is_a_group_of_its_own(tmp_path):
    path = tmp_path / "base.json"
    assert ask("--machine", "uf", "--friction", "--homogenized", "--json", str(path)) == 0
    found = json.loads(path.read_text())
    assert (found["parameters"], found["base"]) == (142, 94)
    assert found["homogenized"]["ranks"] == [6, 39, 42, 6, 6]
    assert {
        "name": "viscous_length_1",
        "terms": [{"parameter": "viscous_length_1", "factor": "1", "value": 1.0}],
    } in found["expressions"]


def test_forces_and_moments_need_a_length(capsys):
    assert ask("--machine", "epaas", "--homogenized", "--length", "0.3") == 0
    assert "29 base parameters (random states around home)" in capsys.readouterr().out
    assert ask("--machine", "epaas", "--homogenized") == 2
    assert "rows in N and N m cannot be added up" in capsys.readouterr().err


@pytest.mark.slow
def test_digits_that_do_not_do_end_with_one_after_the_results(tmp_path, capsys):
    """Moved by a hundred-thousandth, the four-bar's last values are 1e-30 of the first: thirty digits cannot tell."""
    text = builtin_mechanisms()["four-bar-low-mobility"].read_text(encoding="utf-8")
    path = tmp_path / "little.yaml"
    path.write_text(text.replace("A: 0.02", "A: 2e-6"), encoding="utf-8")
    assert ask("--machine", str(path), "--route", "precise", "--digits", "30,40,50") == 1
    captured = capsys.readouterr()
    assert "in doubt" in captured.out
    assert "undecided with 40 digits" in captured.err
    assert len(captured.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--machine", "four-bar", "--digits", "15,30"), "15,30: must be two rising"),
        (("--machine", "four-bar", "--digits", "60,30"), "60,30: must be two rising numbers"),
        (("--machine", "four-bar", "--digits", "many"), "--digits many: must be whole numbers"),
        (("--machine", "four-bar", "--eliminate", "m_9"), "parameter 'm_9' is none of four-bar"),
        (("--machine", "four-bar", "--symmetry", "alike"), "only a hexapod has struts"),
        (("--machine", "four-bar", "--length", "1"), "--length: belongs to --homogenized"),
        (("--machine", "epaas", "--homogenized", "--length", "-1"), "--length -1: must be more than 0, in m"),
        (("--machine", "four-bar", "--latex", "a.tex"), "--latex: belongs to --route symbolic or all"),
        (("--machine", "nothing"), "nothing"),
    ],
)
def test_bad_input_is_one_line_and_two(arguments, reason, capsys):
    assert ask(*arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 1
    assert reason in captured.err


@pytest.mark.parametrize(
    ("old", "new", "arguments", "reason"),
    [
        ("l4: 0.80", "l4: 8.0", (), "home: the loop at joint 'rocker_tip' cannot close"),
        ("[coupler, rocker]", "[coupler, lever]", (), "names the body 'lever', which is not there"),
        (
            "sine: [A], cosine: [0, 0.6*A]",
            "sine: [0]",
            (),
            "gravity: 1 combinations",
        ),
        (
            "sine: [A], cosine: [0, 0.6*A]",
            "sine: [0]",
            ("--route", "precise"),
            "gravity: 1 combinations",
        ),
        (
            "l4: 0.80",
            "l4: pi/4",
            ("--route", "exact"),
            "constant with pi",
        ),
        ("drives:", "", (), "x.yaml"),
    ],
)
def test_descriptions_that_do_not_do_are_one_line(tmp_path, old, new, arguments, reason, capsys):
    text = builtin_mechanisms()["four-bar"].read_text(encoding="utf-8")
    assert old in text
    path, out = tmp_path / "x.yaml", tmp_path / "found.json"
    path.write_text(text.replace(old, new), encoding="utf-8")
    assert ask("--machine", str(path), "--json", str(out), *arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 1
    assert reason in captured.err
    assert not out.exists()
