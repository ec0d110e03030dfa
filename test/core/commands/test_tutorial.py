# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The tutorial of the documentation, typed as it stands there, with the log that the repository has."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

from pkm_identification.cli import main

ROOT = Path(__file__).resolve().parents[3]
TEXT = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
CENTER = 0.012  # m, of the simulated machine


def typed(command: str) -> list[str]:
    """Arguments of the tutorial's line that starts with `pkm COMMAND` and names the tutorial's own files."""
    lines = re.findall(rf"^pkm ({command} .*my_hexapod.*)$", TEXT, re.MULTILINE)
    return shlex.split(next(line for line in lines if "drive.csv" not in line))


@pytest.mark.slow
def test_the_tutorial_says_what_its_commands_print(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for path in (ROOT / "examples" / "data").glob("*.csv.gz"):
        shutil.copy(path, tmp_path)
    assert main(typed("init")) == 0
    assert Path("my_hexapod.yaml").read_text() == (ROOT / "examples/data/my_hexapod.yaml").read_text()
    assert main(typed("check")) == 0
    assert main(typed("identify")) == 0
    printed = " ".join(capsys.readouterr().out.split())
    # every line that is no row of a table: the page leaves columns out
    shown = " \n".join(re.findall(r"```text\n(.*?)```", TEXT, re.DOTALL)).replace("[...]", "").splitlines()
    lines = [" ".join(line.split()) for line in shown if not re.search(r"\S  +\S|---", line)]
    assert sum(map(len, lines)) > 700
    for line in lines:
        assert line in printed
    found = json.loads(Path("result/estimate.json").read_text(encoding="utf-8"))["parameters"]
    value = {one["name"]: one["value"] for one in found}
    std = {one["name"]: one["std"] for one in found}
    assert abs(value["mz_p"] / value["m_p"] - CENTER) < 4 * std["mz_p"] / value["m_p"]
    assert Path("result/report.html").exists()
    assert main(typed("identifiability")) == 0
    # not as much as sums are rounded by
    assert re.search(r"^Ia_b\+Ia_e +never .* 0$", capsys.readouterr().out, re.MULTILINE)
    assert main(typed("export")) == 0
    assert Path("identified.yaml").exists()
