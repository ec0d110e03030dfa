# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Verdicts have colours on a terminal that wants them, and nowhere else."""

from __future__ import annotations

import io

import pytest

from pkm_identification.commands.terminal import GOOD, paint, paint_rows

TABLE = """\
parameter  unit     status
---------  -------  --------------------------------
m_p        kg       identified
Ixx_p      kg m^2   not identifiable
It_b       kg m^2   only in a combination
viscous_1  N s/m    identified, not distinguishable from 0
coulomb_1  N        affected: the model does not fit

What is identified is identified
"""


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")


def test_rows_of_a_table_have_the_colour_of_their_status_and_prose_has_none():
    rows = paint_rows(TABLE, Terminal()).splitlines()
    assert rows[2].endswith("  \x1b[32midentified\x1b[0m")
    assert rows[3].endswith("\x1b[33mnot identifiable\x1b[0m")
    assert rows[4].endswith("\x1b[33monly in a combination\x1b[0m")
    assert rows[5].endswith("\x1b[32midentified\x1b[0m, not distinguishable from 0")
    assert rows[6].endswith("\x1b[31maffected\x1b[0m: the model does not fit")
    assert [row for row in rows if "\x1b" not in row] == [*rows[:2], "", "What is identified is identified"]


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_who_wants_no_colour_gets_none(monkeypatch, name, value):
    assert paint("x", GOOD, Terminal()) == "\x1b[32mx\x1b[0m"
    monkeypatch.setenv(name, value)
    assert paint("x", GOOD, Terminal()) == "x"
    assert paint_rows(TABLE, Terminal()) == TABLE


def test_a_file_gets_none():
    assert paint_rows(TABLE, io.StringIO()) == TABLE
