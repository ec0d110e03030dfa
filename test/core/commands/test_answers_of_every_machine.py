# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""identify, diagnose, check, compare, history and friction: the same commands, keys and files for every machine."""

from __future__ import annotations

import json

import pytest

from pkm_identification.cli import main

pytestmark = pytest.mark.slow
# A hexapod, and drives of two units
MACHINES = ("uf", "epaas")
SECONDS = "8"
# What only a hexapod's file has: sets, and effects or tolerances that are asked for
KEYS = {
    "schema", "machine", "machine_hash", "estimator", "model", "consistent", "converged", "samples", "equations",
    "dropped", "parameters", "validation", "fit", "provenance", "state", "state_sha256", "parameter_set", "stated",
    "near_zero", "warnings", "contradiction", "drives", "base", "answer",
}  # fmt: skip


@pytest.fixture(scope="module", params=MACHINES)
def logs(request, tmp_path_factory):
    """A machine, a folder with two logs of it, and their paths."""
    folder = tmp_path_factory.mktemp(request.param)
    made = []
    for seed in (1, 2):
        log = str(folder / f"2024-01-0{seed}.csv")
        command = ["simulate", "--machine", request.param, "--trajectory", "rich", "--duration", SECONDS]
        assert main([*command, "--seed", str(seed), "--out", log]) == 0
        made.append(log)
    return request.param, folder, made


def written(tmp_path, command, *names):
    assert main([*command, "--json", str(tmp_path / "out.json")]) == 0, names
    return json.loads((tmp_path / "out.json").read_text())


def identified(log, machine, path, *options):
    """The document that `pkm identify` writes."""
    command = ["identify", log, "--machine", machine, "--estimator", "ls", "--json", str(path)]
    assert main([*command, *options]) == 0
    return json.loads(path.read_text())


def test_identify_writes_one_report_and_files_that_compare(logs, tmp_path, capsys):
    machine, _, paths = logs
    files, out = [tmp_path / f"{k}.json" for k in range(2)], tmp_path / "report"
    document = identified(paths[0], machine, files[0], "--out", str(out))
    assert set(document) == KEYS
    count = len(document["drives"])
    for name in ("rms_percent", "rms_percent_raw"):
        assert set(document["validation"][name]) == {"per_drive", "per_strut", "total"}
        assert len(document["validation"][name]["per_drive"]) == count
    assert len(document["fit"]["per_drive"]) == len(document["fit"]["noise_std"]) == count
    assert document["fit"]["adequate"]
    assert document["validation"]["rms_percent"]["total"] < 1.0
    assert {"machine", "forces", "residual", "misfit"} <= {path.stem for path in out.glob("*.png")}
    page = (out / "report.html").read_text()
    assert page.count("<h3>Parameters</h3>") == page.count("<h3>Excitation</h3>") == 1
    text = capsys.readouterr().out
    # one key a row, however long the names of a file are
    assert max(len(line) for line in text.split("\n\n")[1].split("\n")) < 170
    assert "The model fits" in text
    identified(paths[1], machine, files[1])
    compared = written(tmp_path, ["compare", *map(str, files)])
    assert len(compared["parameters"]) > 4
    assert not any(one["changed"] for one in compared["parameters"])


@pytest.mark.parametrize("logs", ["epaas"], indirect=True)
def test_diagnose_and_check_agree(logs, tmp_path):
    machine, _, (log, _) = logs
    fit = written(tmp_path, ["diagnose", log, "--machine", machine])["fit"]
    assert fit["adequate"]
    checked = written(tmp_path, ["check", log, "--machine", machine])
    assert checked["usable"]
    assert checked["fit"]["ratio"] == pytest.approx(fit["ratio"], rel=0.2)
    assert len(checked["drives"]) == len(fit["per_drive"])


@pytest.mark.parametrize("logs", ["epaas"], indirect=True)
def test_the_history_has_all_logs_of_a_folder(logs, tmp_path):
    machine, folder, _ = logs
    pytest.importorskip("pyarrow")
    record = written(tmp_path, ["history", str(folder), "--machine", machine, "--workers", "0"])
    assert len(record["logs"]) == 2
    assert all(log["trusted"] for log in record["logs"])


@pytest.mark.parametrize("logs", ["epaas"], indirect=True)
def test_friction_is_tested_drive_by_drive(logs, tmp_path):
    machine, _, _ = logs
    log = str(tmp_path / "slow.csv")
    slow = ["simulate", "--machine", machine, "--trajectory", "slow", "--duration", "12", "--seed", "3"]
    assert main([*slow, "--out", log]) == 0
    test = written(tmp_path, ["friction", log, "--machine", machine, "--out", str(tmp_path)])
    assert test["struts"]
    assert all(one["coulomb"]["std"] > 0.0 and one["unit"] in ("m", "rad") for one in test["struts"])
    assert (tmp_path / "friction.png").exists()
