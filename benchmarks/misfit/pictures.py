# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`python -m benchmarks.misfit.pictures [--out DIR]`: every cause as a log shows it, with one picture each.

Writes docs/causes.md, docs/causes_of_machines.md and docs/images/causes:
of every row of the table one log of the machine `uf`, with the largest
size of the fault, what `pkm diagnose` says of it, and the picture that `pkm diagnose --out DIR` writes.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from pkm_identification.errors import PkmError
from pkm_identification.identification.diagnosis.findings import Diagnosis
from pkm_identification.identification.of_logs import diagnose_identification
from pkm_identification.identification.settings import FULL, Settings
from pkm_identification.machines.hexapod import Hexapod
from pkm_identification.records.log import read_logs
from pkm_identification.report.figures.misfit import draw_misfit_figure
from pkm_identification.report.figures.style import png
from pkm_identification.report.sentences import format_verdict_lines

from .cases import Case, cases_of
from .machines import nominal
from .runs import Runs

MACHINE = "uf"
DURATION = 20.0  # s
DOCS = Path(__file__).resolve().parents[2] / "docs"
SENSORS = """# What each cause looks like: sensors and logs
Written by `python -m benchmarks.misfit.pictures`: simulated logs of `uf` (`pkm simulate --fault`; masses, moments and
friction up to 15 % off the file; 20 s of `rich` at 1 kHz, 1 % noise), each with one fault, and the output of
`pkm diagnose`. The pictures are those of `pkm diagnose --out DIR`: the residual below the cutoff over the
noise floor, without and with the causes, of the worst strut and of all. [How it works](diagnosis.md). Faults of the
machine are on [another page](causes_of_machines.md).
"""
MACHINE_PAGE = """# What each cause looks like: the machine
Written with [the page of sensors and logs](causes.md), which says how, by `python -m benchmarks.misfit.pictures`.
"""
FIRST_OF_MACHINE = "gravity_direction"  # of the cases, in their order


def shown(cases: list[Case]) -> list[Case]:
    """The largest case of every row."""
    rows = {case.row: case for case in sorted(cases, key=lambda case: (case.size, not case.down))}
    return [rows[name] for name in dict.fromkeys(case.row for case in cases)]


def section(case: Case, log: Path, images: Path) -> str:
    """A case: its picture written, its part of the page returned."""
    machine = nominal(case.machine)
    lines = [f"\n## {re.sub(r'_[0-9]+$', '', case.row)}", f"`--fault {case.fault}`", ""]
    try:
        logs = read_logs([str(log)], machine, None)
        result = diagnose_identification(logs, machine, Settings.of(estimator=FULL, hold_out=0.0))
    except PkmError as error:
        return "\n".join([*lines, f"> {str(error).replace(str(log), log.name)}", ""])
    lines += [f"> {line}  " for _, line in format_verdict_lines(result)]
    fit = result.fit
    if fit is not None and fit.residuals:
        lines += ["", _picture(case, fit, images)]
    return "\n".join([*lines, ""])


def _picture(case: Case, fit: Diagnosis, images: Path) -> str:
    name = f"{case.row}.png"
    (images / name).write_bytes(png(draw_misfit_figure(fit, Hexapod(nominal(case.machine)).drives)))
    return f"![{case.row}](images/causes/{name})"


def main() -> int:
    """Write page and pictures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.misfit.pictures", description=__doc__)
    parser.add_argument(
        "--out", type=Path, default=Path("misfit_pictures"), help="logs (default: %(default)s)"
    )
    options = parser.parse_args()
    images = DOCS / "images" / "causes"
    images.mkdir(parents=True, exist_ok=True)
    runs = Runs(options.out, duration=DURATION)
    pages = {"causes.md": [SENSORS], "causes_of_machines.md": [MACHINE_PAGE]}
    page = "causes.md"
    for case in shown(list(cases_of(MACHINE, nominal(MACHINE)))):
        try:
            log = runs.log(case)
        except PkmError as error:
            print(f"{case.key}: not simulated: {error}", file=sys.stderr)
            continue
        if case.row.startswith(FIRST_OF_MACHINE):
            page = "causes_of_machines.md"
        pages[page].append(section(case, log, images))
        print(case.key, flush=True)
        (DOCS / page).write_text("".join(pages[page]), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
