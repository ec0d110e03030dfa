# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""One row on one machine: its commands, run as a user runs them, and what came of them."""

from __future__ import annotations

import json
import os
import time
import traceback
from collections.abc import Callable, Iterable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import asdict, dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

from pkm_identification.cli import main as run_command
from pkm_identification.errors import PkmError
from pkm_identification.machines.contract import Machine
from pkm_identification.machines.load import read_machine

Document = dict[str, Any]
OK, LACKS, FAILED = "ok", "lacks", "FAILED"


@dataclass
class Bench:
    """A machine, the folder its files are in, and what rows leave for later ones.

    Attributes
    ----------
    name : str
    document : dict
        Its file, which is `machine.yaml` in the folder.
    machine : Machine
    folder : Path
    truth : Machine | None
        What the log of the row "a perturbed machine" is of.
    """

    name: str
    document: Document
    machine: Machine
    folder: Path
    truth: Machine | None = None
    notes: list[str] = field(default_factory=list)

    def __getitem__(self, name: str) -> Path:
        return self.folder / name

    def note(self, text: str) -> None:
        """Keep what a row has measured for its cell."""
        self.notes.append(text)


class Failure(Exception):
    """A row did not do what it should: why, in a line."""


@dataclass(frozen=True)
class Row:
    """What every machine should do.

    Attributes
    ----------
    group, name : str
    commands : callable
        Return the lines of a bench's commands, one at a time; raise Failure where what they made is wrong.
    codes : tuple of int
        Exit codes that are right; of the last command, all before must end with 0.
    lacks : callable
        Return what the machine has not, in words, without which a refusal (exit code 2, one line) is right; else empty.
    """

    group: str
    name: str
    commands: Callable[[Bench], Iterable[list[Any]]]
    codes: tuple[int, ...] = (0,)
    lacks: Callable[[Machine], str] = lambda machine: ""


@dataclass(frozen=True)
class Outcome:
    """What came of a row: `ok`, `lacks` or `FAILED`; the line that was said; processor time, s."""

    group: str
    row: str
    state: str
    line: str
    seconds: float


def run_row(row: Row, bench: Bench) -> Outcome:
    """Return what came of a row on a machine."""
    started = time.process_time()
    bench.notes.clear()
    state, line = OK, ""
    try:
        for command in row.commands(bench):
            code, said = run(command)
            last = said.strip().splitlines()[-1] if said.strip() else ""
            if "Traceback" in said:
                raise Failure(f"traceback: {last}")
            if code in row.codes or code == 0:
                line = last if code else line
                continue
            words = row.lacks(bench.machine)
            if code == 2 and words:
                state, line = LACKS, last
                break
            raise Failure(f"exit {code}: {last}")
    except Failure as failure:
        state, line = FAILED, str(failure)
    except (PkmError, OSError, LookupError, AttributeError, TypeError, ValueError) as error:
        state, line = FAILED, f"not made: {type(error).__name__}: {error}"
    if bench.notes:
        line = "; ".join([*bench.notes, *([line] if line else [])])
    plain = line.replace(f"{bench.folder}/", "")
    return Outcome(row.group, row.name, state, shorten(plain), time.process_time() - started)


def run(command: list[Any]) -> tuple[int, str]:
    """Return the exit code of a `pkm` command and what it said; a traceback is said, too."""
    said, problem = StringIO(), StringIO()
    here = os.getcwd()
    with redirect_stdout(said), redirect_stderr(problem):
        try:
            code = run_command([str(word) for word in command])
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 2
        except Exception:
            traceback.print_exc()
            code = -1
    os.chdir(here)
    return code, said.getvalue() + problem.getvalue()


def shorten(line: str, most: int = 260) -> str:
    return line if len(line) <= most else line[: most - 3] + "..."


def open_bench(name: str, document: Document, folder: Path) -> Bench:
    """Return the bench of a machine, its file written into an empty folder."""
    bench = Bench(name, document, read_machine(document), folder)
    write_machine(bench["machine.yaml"], document)
    return bench


def write_machine(path: Path, document: Document) -> None:
    """Write a machine file; JSON is YAML, and texts of numbers stay texts."""
    path.write_text(json.dumps(document), encoding="utf-8")


def keep(outcomes: list[Outcome], path: Path) -> None:
    """Write outcomes of a machine."""
    path.write_text(json.dumps([asdict(one) for one in outcomes], indent=1), encoding="utf-8")


def read_kept(path: Path) -> list[Outcome]:
    """Return outcomes that were written."""
    return [Outcome(**one) for one in json.loads(path.read_text(encoding="utf-8"))]
