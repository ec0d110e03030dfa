# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Long runs show a bar with the time that is left, on a terminal and nowhere else."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios

import pytest

from pkm_identification.commands.terminal import ProgressBar
from pkm_identification.progress import announce, hide, listening, steps


class Listening:
    def __init__(self) -> None:
        self.events: list[tuple] = []

    def report_progress(self, what: str, part: float, whole: float) -> None:
        self.events.append((what, part, whole))

    def hide(self) -> None:
        self.events.append(("hidden",))


def test_steps_are_announced_to_the_end_also_where_the_rest_is_not_needed():
    listener = Listening()
    with listening(listener):
        assert list(steps("work", "ab")) == ["a", "b"]
        for item in steps("search", "abcd"):
            if item == "b":
                break
        hide()
    announce("afterwards", 1, 2)
    assert listener.events == [
        ("work", 0, 2), ("work", 1, 2), ("work", 2, 2),
        ("search", 0, 4), ("search", 1, 4), ("search", 4, 4), ("hidden",),
    ]  # fmt: skip


def test_without_a_listener_the_items_are_those_that_were_given():
    items = range(3)
    assert steps("work", items) is items


def test_a_bar_comes_after_two_seconds_and_only_for_the_outermost_work(capsys):
    pytest.importorskip("tqdm")
    clock = [100.0]
    bar = ProgressBar(lambda: clock[0])
    bar.report_progress("logs", 0, 10)
    bar.report_progress("identifying", 1, 6)
    assert capsys.readouterr().err == ""
    clock[0] += 3300.0
    bar.report_progress("identifying", 2, 6)
    assert capsys.readouterr().err == ""
    bar.report_progress("logs", 5, 10)
    shown = capsys.readouterr().err
    assert "logs:  50%" in shown
    # fifty-five minutes for five of ten, and what this computer makes of it meanwhile
    assert re.search(r"5[5-9]:\d\d, 5[5-9]:\d\d left", shown)
    bar.report_progress("logs", 10, 10)
    assert capsys.readouterr().err.endswith("\r")
    bar.report_progress("simulating", 1, 10)
    clock[0] += 1
    bar.report_progress("simulating", 10, 10)
    assert "simulating" not in capsys.readouterr().err


PROGRAM = """
import sys
import pkm_identification.commands.terminal as bar
from pkm_identification import cli
from pkm_identification.progress import steps
bar.PATIENCE = -1.0
class Parser:
    def parse_args(self, arguments):
        return self
    def run(self, options):
        for _ in steps("counting", range(50)):
            pass
        return 0
cli.parser_for = lambda command: Parser()
sys.exit(cli.main(["check"]))
"""


def run(on_terminal: bool) -> tuple[int, str]:
    if not on_terminal:
        done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
        return done.returncode, done.stderr
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 24, 80, 0, 0))
    os.set_blocking(ours, False)
    try:
        done = subprocess.run([sys.executable, "-c", PROGRAM], stderr=theirs, stdout=subprocess.DEVNULL)
        return done.returncode, os.read(ours, 1 << 16).decode()
    finally:
        os.close(theirs)
        os.close(ours)


@pytest.mark.slow
def test_a_terminal_shows_it_and_a_file_does_not():
    pytest.importorskip("tqdm")
    assert run(on_terminal=False) == (0, "")
    code, shown = run(on_terminal=True)
    assert code == 0
    assert "counting:" in shown
    assert " left" in shown
