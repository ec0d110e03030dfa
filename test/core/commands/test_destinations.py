# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What cannot be written, or drawn, is refused before anything is worked out: one line, exit 2, nothing left behind."""

from __future__ import annotations

import re

import pytest

from pkm_identification.cli import main

NO_LOG = "there_is_none.csv"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["identify", NO_LOG, "--machine", "uf", "--json", "{folder}"], "is a folder"),
        (["identify", NO_LOG, "--machine", "uf", "--json", "{folder}/none/x.json"], "there is no folder"),
        (
            ["identify", NO_LOG, NO_LOG, "--machine", "uf", "--payload", "1,0,0,0", "--json", "{folder}"],
            "is a folder",
        ),
        (["diagnose", NO_LOG, "--machine", "uf", "--json", "{folder}/none/x.json"], "there is no folder"),
        (
            ["simulate", "--machine", "uf", "--trajectory", "rest", "--out", "{folder}/none/a.csv"],
            "there is no folder",
        ),
        (["simulate", "--machine", "mast", "--out", "{folder}/none/a.csv"], "there is no folder"),
        (["simulate", "--machine", "uf", "--trajectory", "rest", "--out", "{folder}"], "exists; a bag needs"),
        (
            [
                "simulate",
                "--machine",
                "uf",
                "--trajectory",
                "rest",
                "--seed",
                "-3",
                "--out",
                "{folder}/a.csv",
            ],
            "--seed -3: must be at least 0",
        ),
        (
            ["simulate", "--machine", "mast", "--seed", "-3", "--out", "{folder}/a.csv"],
            "--seed -3: must be at least 0",
        ),
        (
            [
                "identify",
                NO_LOG,
                "--machine",
                "uf",
                "--report",
                "{folder}/a.html",
                "--json",
                "{folder}/./a.html",
            ],
            "a.html: is the file of --report",
        ),
        (["simulate", "--machine", "mast", "--si", "--out", "{folder}/a.csv"], "give one of rich"),
        (
            ["export", "--machine", "mast", "--format", "linuxcnc", "--out", "{folder}/a"],
            "needs a hexapod",
        ),
        (["base-parameters", "--machine", "mast", "--homogenized", "--length", "0"], "must be more than 0"),
        (["base-parameters", "--machine", "mast", "--homogenized", "--length", "1"], "nothing to scale"),
        (["inverse", "--machine", "nope", "--in", NO_LOG, "--out", "{folder}/b.csv"], "epaas"),
    ],
)
def test_it_is_refused_at_once(arguments, said, tmp_path, capsys):
    assert main([text.format(folder=tmp_path) for text in arguments]) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.err.count("\n") == 1
    assert captured.out == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["identify", NO_LOG, "--machine", "uf", "--out", "{long}"],
        ["identify", NO_LOG, "--machine", "uf", "--report", "{long}.html"],
        ["identify", NO_LOG, "--machine", "uf", "--json", "{long}"],
        ["identify", "{long}.csv", "--machine", "uf"],
        ["identify", NO_LOG, "--machine", "{long}.yaml"],
    ],
    ids=lambda arguments: arguments[-2],
)
def test_a_name_that_is_too_long_for_the_system_is_one_line(arguments, capsys):
    assert main([text.format(long="a" * 300) for text in arguments]) == 2
    err = capsys.readouterr().err
    assert err.startswith("pkm identify: ")
    assert "File name too long" in err
    assert err.count("\n") == 1


def test_a_bad_log_leaves_no_folder(tmp_path, capsys):
    out = tmp_path / "new"
    assert main(["diagnose", NO_LOG, "--machine", "uf", "--out", str(out)]) == 2
    assert NO_LOG in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize("command", ["identify", "demo"])
def test_a_file_is_no_folder_for_a_report(command, tmp_path, capsys):
    if command == "demo":
        pytest.importorskip("rclpy")
    file = tmp_path / "notes.txt"
    file.write_text("mine")
    log = [NO_LOG, "--machine", "uf"] if command == "identify" else []
    assert main([command, *log, "--out", str(file)]) == 2
    assert re.fullmatch(rf"pkm {command}: {re.escape(str(file))}: .*folder\n", capsys.readouterr().err)
    assert file.read_text() == "mine"
    assert main([command, *log, "--out", str(file / "inside")]) == 2
    assert capsys.readouterr().err == f"pkm {command}: {file}/inside: cannot be made: Not a directory\n"


def test_a_folder_that_cannot_be_written_is_named_before_the_work(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("os.access", lambda place, mode: False)
    assert main(["identify", NO_LOG, "--machine", "uf", "--out", str(tmp_path / "new")]) == 2
    assert capsys.readouterr().err == f"pkm identify: {tmp_path}/new: cannot be written: Permission denied\n"
