# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm diagnose: exit codes, sentences and the document."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
import yaml
from core.synthetic import log, nominal, truth

from pkm_identification.cli import main
from pkm_identification.records.log import write_log

CAUSE = {"name", "value", "std", "unit", "explains", "cure", "detail"}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("diagnose")
    (folder / "machine.yaml").write_text(yaml.safe_dump(nominal().document))
    right = log(truth(), 20, real=True)
    write_log(str(folder / "right.csv"), right, "sqlite3")
    short = log(truth(), 8, real=True)
    write_log(str(folder / "reversed.csv"), replace(short, force=-short.force), "sqlite3")
    return folder


@pytest.mark.slow
def test_a_model_that_fits_exits_with_0(files, tmp_path, capsys):
    arguments = ["diagnose", str(files / "right.csv"), "--machine", str(files / "machine.yaml")]
    assert main([*arguments, "--out", str(tmp_path / "right")]) == 0
    assert json.loads((tmp_path / "right" / "diagnosis.json").read_text())["fit"]["adequate"] is True
    assert (tmp_path / "right" / "misfit.png").stat().st_size > 5000
    out = capsys.readouterr().out
    assert out.startswith("The model fits")
    assert "Smallest fault" in out


@pytest.mark.slow
@pytest.mark.parametrize("command", ["diagnose", "identify"])
def test_a_model_that_does_not_fit_exits_with_1_and_one_line_of_reason(files, tmp_path, capsys, command):
    path = tmp_path / "found.json"
    arguments = [
        command,
        str(files / "reversed.csv"),
        "--machine",
        str(files / "machine.yaml"),
        "--json",
        str(path),
    ]
    assert main(arguments + (["--estimator", "ls"] if command == "identify" else [])) == 1
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1
    assert "sign" in captured.err.lower()
    document = json.loads(path.read_text())
    fit = document["fit"]
    assert fit["adequate"] is False
    assert len(fit["per_strut"]) == len(fit["noise_std"]) == 6
    assert fit["causes"][0]["name"] == "force_sign"
    assert set(fit["causes"][0]) == CAUSE
    assert {entry["status"] for entry in document["parameters"]} & {
        "in_doubt",
        "affected by the misfit",
        "contradicts the file",
    }
    logs = document["provenance"]["logs"]
    assert [len(one["sha256"]) for one in logs] == [64]


def test_a_log_that_is_not_there_is_one_line_and_2(files, capsys):
    assert main(["diagnose", str(files / "none.csv"), "--machine", str(files / "machine.yaml")]) == 2
    assert capsys.readouterr().err.count("\n") == 1
