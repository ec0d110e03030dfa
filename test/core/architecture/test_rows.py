# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the table of machines and commands calls right: wanted exit codes, or a refusal of what a machine lacks."""

from __future__ import annotations

import pytest

from benchmarks.rows import run as runner
from benchmarks.rows.page import build_page
from benchmarks.rows.run import FAILED, LACKS, OK, Failure, Outcome, Row, open_bench, run_row
from benchmarks.rows.subjects import MACHINES, read_subject


def _lack(words):
    return lambda machine: words


@pytest.mark.parametrize(
    ("said", "lacks", "state"),
    [
        ((0, "fine"), "", OK),
        ((1, "no answer"), "", FAILED),
        ((2, "pkm: no pose"), "", FAILED),
        ((2, "pkm: no pose"), "a pose", LACKS),
        ((1, "no answer"), "a pose", FAILED),
        ((-1, "Traceback (most recent call last):\nValueError: x"), "a pose", FAILED),
    ],
)
def test_a_refusal_is_right_where_the_machine_lacks_what_is_needed(monkeypatch, tmp_path, said, lacks, state):
    monkeypatch.setattr(runner, "run", lambda command: said)
    bench = open_bench("four-bar", read_subject("four-bar"), tmp_path)
    made = run_row(Row("group", "name", lambda _: [["check"]], lacks=_lack(lacks)), bench)
    assert made.state == state
    assert made.line.endswith("" if state == OK else said[1].splitlines()[-1])


def test_a_row_that_finds_a_wrong_number_has_failed(tmp_path):
    def compare(bench):
        raise Failure("another log")

    bench = open_bench("four-bar", read_subject("four-bar"), tmp_path)
    assert run_row(Row("group", "name", compare), bench).line == "another log"


def test_the_page_lists_what_was_said_once_for_all_machines_that_say_it():
    made = {
        name: [Outcome("machine", "`step`", LACKS, f"'{name}' lacks it", 0.1)] for name in ("mast", "epaas")
    }
    page = build_page(made)
    assert "2 cells: 0 passed, 2 n/a, 0 failed" in page
    assert "| `step` | mast, epaas | 'NAME' lacks it |" in page


@pytest.mark.slow
@pytest.mark.parametrize("name", list(MACHINES))
def test_every_machine_of_the_table_can_be_read(name, tmp_path):
    assert open_bench(name, read_subject(name), tmp_path).machine.drives
