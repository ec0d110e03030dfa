# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm contributions, sensitivity, reproduce: tables, files, and one clear line for each mistake."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from core.mechanisms.hexapod.machine_variants import changed
from PIL import Image

from pkm_identification.cli import main


def run(capsys, *arguments):
    capsys.readouterr()
    code = main([str(a) for a in arguments])
    return code, *capsys.readouterr()


def test_contributions_of_a_named_trajectory_at_rest(capsys, tmp_path):
    code, out, err = run(capsys, "contributions", "--machine", "uf", "--trajectory", "rest",
                         "--json", tmp_path / "c.json", "--out", tmp_path / "made")  # fmt: skip
    assert (code, err) == (0, "")
    norms, per_strut, _ = out.split("\n\n")
    for table in (norms, per_strut):
        assert [line.split()[0] for line in table.splitlines()[2:]] == ["grp", "grs", "F"]
    document = json.loads((tmp_path / "c.json").read_text())
    percent = {g["name"]: g["mean_norm_percent"] for g in document["groups"]}
    # norms of what is not parallel add up to a little more
    assert 100.0 < percent["grp"] + percent["grs"] < 102.0
    assert document["total_variation_norm_percent"] == 0.0
    with Image.open(tmp_path / "made" / "contributions_rest.png") as image:
        assert image.width > 500


def test_friction_can_be_left_out(capsys):
    shares = []
    for option in ([], ["--no-friction"]):
        code, out, _ = run(
            capsys, "contributions", "--machine", "uf", "--trajectory", "x-high", "--json", "-", *option
        )
        assert code == 0
        document = json.loads(out)
        shares.append({g["name"]: g["mean_norm_percent"] for g in document["groups"]}["frict"])
        assert document["friction"] is not bool(option)
    assert shares[0] > 50.0
    assert shares[1] == 0.0


def test_sensitivity(capsys, tmp_path):
    arguments = ("sensitivity", "--machine", "hexel", "--trajectory", "rotation-offset-high")
    code, out, _ = run(capsys, *arguments, "--out", tmp_path)
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()[2:9]] == ["x", "y", "z", "xy", "xz", "yz", "xyz"]
    assert (tmp_path / "sensitivity_rotation-offset-high.png").exists()
    code, out, _ = run(capsys, *arguments, "--travel", "0.1", "--json", "-")
    assert code == 0
    assert json.loads(out)["travel"] == 0.1


@pytest.mark.slow
def test_reproduce(capsys, tmp_path):
    code, out, err = run(
        capsys, "reproduce", "mast-dynamics", "--out", tmp_path, "--page", tmp_path / "page.md"
    )
    assert (code, err) == (0, "")
    document = json.loads((tmp_path / "mast-dynamics.json").read_text())
    verdicts = [finding["verdict"] for finding in document["findings"]]
    assert [line.split(": ")[1] for line in out.splitlines() if "verdict:" in line] == verdicts
    for number in document["numbers"]:
        assert set(number) == {"name", "source", "ours", "unit", "mark", "verdict", "line", "rule"}
        assert number["name"] in out
    assert sorted(path.name for path in tmp_path.glob("*.png")) == sorted(
        f"{name}.png" for name in document["figures"]
    )
    # the page in the documentation is this study's, word for word
    section = (tmp_path / "page.md").read_text().partition("## mast-dynamics")[2].strip()
    documented = Path(__file__).parents[3] / "docs" / "reproduction.md"
    assert section in documented.read_text()


@pytest.mark.slow
def test_reproduce_prints_the_document_instead(capsys):
    code, out, _ = run(capsys, "reproduce", "epaas-servo", "--json", "-")
    assert code == 0
    assert json.loads(out)["study"] == "epaas-servo"


@pytest.mark.parametrize(
    ("arguments", "mentions"),
    [
        (["contributions", "--machine", "uf", "--trajectory", "nope"], "trajectory 'nope'"),
        (["contributions", "--machine", "uf", "--trajectory", "free"], "drives off"),
        (["contributions", "--machine", "nope", "--trajectory", "x"], "machine 'nope'"),
        (
            ["contributions", "--machine", "uf", "--trajectory", "x-low", "--json", "/no/such/c.json"],
            "/no/such",
        ),
        (
            ["contributions", "--machine", "uf", "--trajectory", "x-low", "--out", "/dev/null/x"],
            "/dev/null/x",
        ),
        (["sensitivity", "--machine", "uf", "--trajectory", "rest"], "travel 0 m"),
        (["sensitivity", "--machine", "uf", "--trajectory", "x-low", "--travel", "nan"], "travel nan m"),
        (["reproduce", "nope"], "'nope': not a study; there are oh2003-contributions"),
        (["reproduce", "oh2003-contributions", "--out", "/dev/null/x"], "/dev/null/x"),
    ],
)
def test_mistakes_are_one_line(capsys, arguments, mentions):
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert len(err.strip().splitlines()) == 1
    assert mentions in err


def test_table_2_2_needs_room(capsys, tmp_path):
    short = changed("uf", geometry__length_limits=[0.37, 0.462])
    (tmp_path / "short.yaml").write_text(yaml.safe_dump(short))
    code, out, err = run(
        capsys, "contributions", "--machine", tmp_path / "short.yaml", "--trajectory", "x-low"
    )
    assert (code, out) == (2, "")
    assert "needs strut 1 from" in err
