# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The first two steps of the README's tour, typed as they stand there, end with what the README prints."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from pkm_identification.cli import main

README = Path(__file__).resolve().parents[3] / "README.md"
SHOWN = (
    r"^(\S+)\s+(?:kg|kg m\^2|N s/m|N)\s+[\d.]+\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)\s+[+-][\d.]+\s+identified$"
)


def tour() -> list[list[str]]:
    """Arguments of the `pkm` lines of the section."""
    section = (
        README.read_text(encoding="utf-8").partition("## A short tour")[2].partition("## From Python")[0]
    )
    typed = [line for line in section.splitlines() if line.startswith("pkm ")]
    return [shlex.split(line, comments=True)[1:] for line in typed]


@pytest.mark.slow
def test_the_tour_ends_with_the_table_that_is_printed(tmp_path, monkeypatch, capsys):
    text = README.read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    simulated = [arguments for arguments in tour() if arguments[0] == "simulate"]
    identified = next(arguments for arguments in tour() if arguments[:2] == ["identify", "rich.csv.gz"])
    # both logs have the noise that the text above the table names
    stated = re.search(r"([\d.]+) % current noise", text)
    assert stated is not None
    assert [arguments[arguments.index("--noise") + 1] for arguments in simulated] == [stated[1]] * 2
    assert main(simulated[0]) == 0
    only_the_first = identified[: identified.index("--validate")]
    # the table is of a fit of few parameters, as the demo makes it
    assert (
        main(
            [*only_the_first, "--parameters", "identifiable", "--estimator", "ls", "--json", "estimate.json"]
        )
        == 0
    )
    printed = " ".join(capsys.readouterr().out.split())
    assert "The estimator converged." in text
    assert "The estimator converged." in printed
    found = {one["name"]: one for one in json.loads(Path("estimate.json").read_text())["parameters"]}
    shown = re.findall(SHOWN, text, re.MULTILINE)
    assert len(shown) >= 6
    # another run of the same machine with the same noise: alike within what both say of themselves
    for name, true, value, std in shown:
        one = found[name]
        assert one["status"] == "identifiable"
        assert abs(one["value"] - float(true)) < 4 * one["std"]
        assert abs(one["value"] - float(value)) < 4 * (one["std"] + float(std))
        assert 0.3 < one["std"] / float(std) < 3
