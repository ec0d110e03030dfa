# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""docs/walk.md is what the walk wrote, and its commands are still ones that the package has."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from benchmarks.walk import COMMANDS, MOST_COMMANDS, MOST_SECONDS, REPOSITORY, Step, page
from pkm_identification.cli import parser_for

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "walk.md").read_text(encoding="utf-8")


def test_the_page_has_the_commands_of_the_walk_and_they_are_few():
    shown = re.findall(r"^## \d+\n```\n(.*)\n```$", PAGE, re.MULTILINE)
    assert tuple(shown) == COMMANDS, "go it again: python -m benchmarks.walk"
    assert len(COMMANDS) <= MOST_COMMANDS


def test_the_walk_took_less_than_ten_minutes_of_machine_time():
    commands, clock, processor = re.search(
        r"^(\d+) commands; (\d+) s on the clock, (\d+) s of processor", PAGE, re.MULTILINE
    ).groups()
    assert int(commands) == len(COMMANDS)
    assert 0 < float(processor) < MOST_SECONDS
    assert float(clock) > 0


def test_every_command_of_the_walk_ended_well():
    codes = re.findall(r"^\| \d+ \| .* \| (\d+) \|$", PAGE, re.MULTILINE)
    assert codes == ["0"] * len(COMMANDS)
    assert "Traceback" not in PAGE


@pytest.mark.parametrize("command", [one for one in COMMANDS if one.startswith("pkm ")])
def test_its_commands_and_options_are_there(command):
    words = shlex.split(command)[1:]
    assert callable(parser_for(words[0]).parse_args(words).run)
    # the tutorial says the same, and its own test types it
    tutorial = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
    options = [word for word in words if word.startswith("--")]
    assert any(
        all(option in line for option in options)
        for line in tutorial.splitlines()
        if line.startswith(f"pkm {words[0]} ")
    )


def test_what_is_copied_is_in_the_repository():
    (copied,) = [shlex.split(one)[1] for one in COMMANDS if one.startswith("cp ")]
    assert (ROOT / copied.removeprefix("pkm_identification/")).is_file()


def test_no_place_of_the_computer_is_on_the_page():
    assert not re.search(r"(?<![\w.])/(tmp|home|root|work|var)/", PAGE)
    steps = [Step(f"git clone {REPOSITORY} x", 1.26, 0.5, 0, "done"), Step("pkm check log", 2.0, 1.0, 1, "")]
    text = page(steps)
    assert "2 commands; 3 s on the clock, 2 s of processor" in text
    assert "| 2 | `pkm check` | 2.0 | 1.0 | 1 |" in text
    assert "## 1\n```\ngit clone REPOSITORY x\n```\n```text\ndone\n```\n" in text
