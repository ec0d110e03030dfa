# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`python -m benchmarks.rows [--machines uf my.yaml] [--page docs/every_machine.md]`: every command on every machine.

A row is right if its commands end with the exit code that they should, or if the machine lacks what the row needs and
one line says so. Exit code 1: some row of some machine is neither.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from .page import build_page
from .rows import ROWS
from .run import FAILED, Outcome, keep, open_bench, read_kept, run_row
from .subjects import MACHINES, read_subject


def main(arguments: list[str]) -> int:
    """Run the rows, print each, write the page; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rows", description=__doc__)
    parser.add_argument("--machines", nargs="+", default=list(MACHINES), help="of the table, or files")
    parser.add_argument(
        "--rows", nargs="+", default=[], help="those with one of these words alone, in place of kept ones"
    )
    parser.add_argument(
        "--keep", type=Path, help="folder of outcomes: machines that are there are not run again"
    )
    parser.add_argument("--folder", type=Path, help="for logs and results, kept (default: a temporary one)")
    parser.add_argument("--page", type=Path, help="where the table goes, as docs/every_machine.md")
    options = parser.parse_args(arguments)
    outcomes: dict[str, list[Outcome]] = {}
    with tempfile.TemporaryDirectory(prefix="rows") as temporary:
        for machine in options.machines:
            name = Path(machine).stem if machine not in MACHINES else machine
            kept = options.keep / f"{name}.json" if options.keep else None
            before = read_kept(kept) if kept and kept.exists() else []
            if before and not options.rows:
                outcomes[name] = before
                continue
            folder = (options.folder or Path(temporary)) / name
            folder.mkdir(parents=True, exist_ok=True)
            made = {one.row: one for one in before}
            for one in _run_machine(name, machine, folder, options.rows):
                made[one.row] = one
                outcomes[name] = [made[row.name] for row in ROWS if row.name in made]
                if kept:
                    kept.parent.mkdir(parents=True, exist_ok=True)
                    keep(outcomes[name], kept)
    page = build_page(outcomes)
    if options.page:
        options.page.write_text(page, encoding="utf-8")
    return int(any(one.state == FAILED for made in outcomes.values() for one in made))


def _run_machine(name: str, machine: str, folder: Path, words: list[str]) -> Iterator[Outcome]:
    """Yield the outcomes of a machine's rows; later ones use the logs of earlier ones."""
    bench = open_bench(name, read_subject(machine), folder)
    for row in ROWS:
        if words and not any(word in f"{row.group}: {row.name}" for word in words):
            continue
        one = run_row(row, bench)
        print(
            f"{name} | {row.group}: {row.name} | {one.state} | {one.seconds:.1f} s | {one.line}", flush=True
        )
        yield one


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
