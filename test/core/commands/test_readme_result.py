# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The first identification of the README, typed as it stands there, ends with what the README prints."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from pkm_identification.cli import main

ROOT = Path(__file__).resolve().parents[3]
README = (ROOT / "README.md").read_text(encoding="utf-8")
# name, nominal, estimate, deviation and whether it is in %, status
ROW = re.compile(
    r"^(\w+)  +(?:kg|kg m|N s/m) +([\d.]+) +([\d.]+) +([\d.]+)( %)? +[\d.]+(?: %)? +[\d.]+(?: %)?  (\S.*?)(?:  |$)"
)


@pytest.mark.slow
def test_the_first_identification_prints_the_readmes_rows(monkeypatch, tmp_path, capsys):
    typed = next(line for line in README.splitlines() if line.startswith("pkm identify log.csv.gz"))
    words = shlex.split(typed, comments=True)[1:]
    monkeypatch.chdir(ROOT / "examples" / "data")
    assert main([*words[: words.index("--out")], "--json", str(tmp_path / "estimate.json")]) == 0
    printed = capsys.readouterr().out
    verdict = next(line for line in README.splitlines() if line.startswith("The model fits"))
    assert verdict in printed
    rows = {row[1]: row for row in map(ROW.match, README.splitlines()) if row}
    found = {row[1]: row for row in map(ROW.match, printed.splitlines()) if row}
    assert len(rows) == 4
    assert json.loads((tmp_path / "estimate.json").read_text())["parameters"]
    for name, row in rows.items():
        std = float(row[4]) * (float(row[3]) / 100.0 if row[5] else 1.0)
        # other versions of the libraries round otherwise
        assert float(found[name][3]) == pytest.approx(float(row[3]), abs=0.05 * std)
        assert float(found[name][4]) == pytest.approx(float(row[4]), rel=0.1)
        assert found[name][6] == row[6]
