# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`python -m benchmarks` (`make bench`): everything timed beside its peers, in one run.

A whole run writes docs/benchmarks.md and its charts. A part of it (--quick, --only, --minutes) prints its figures and
writes only where --out says, so that the page is never put together from several runs.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from time import perf_counter

from pkm_identification.mechanisms.hexapod.machine import Machine

from . import (
    forward_dynamics,
    growth,
    identifiability,
    inverse_dynamics,
    kinematics,
    mechanisms,
    mechatronics,
    online,
    page,
    programs,
    report,
    stream,
    threads,
    unscented,
)
from .results import Effort, Findings
from .surroundings import ROOT, load, surroundings

PARTS = {
    "kinematics": kinematics,
    "inverse_dynamics": inverse_dynamics,
    "forward_dynamics": forward_dynamics,
    "mechanisms": mechanisms,
    "mechatronics": mechatronics,
    "unscented": unscented,
    "online": online,
    "programs": programs,
    "identifiability": identifiability,
    "growth": growth,
    "threads": threads,
    "stream": stream,
}


def main() -> None:
    """Measure, print the table, write what is asked for."""
    options = _parser().parse_args()
    start, before = perf_counter(), load()
    about = surroundings()
    machine, effort, findings = Machine.load("uf"), Effort.of(options.quick, options.minutes), Findings()
    for name in options.only or PARTS:
        PARTS[name].measure(machine, effort, findings)
    about |= {"load": [before, load()], "seconds": perf_counter() - start, **_scope(options)}
    print(report.text(findings, about))
    folder = Path(options.out) if options.out else ROOT / "docs" if about["complete"] else None
    if folder:
        for path in page.write(folder, findings, about):
            print(f"written: {path}")
    if options.json:
        Path(options.json).write_text(report.document(findings, about), encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    summary, _, details = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=summary, epilog=details)
    parser.add_argument(
        "--quick", action="store_true", help="fewer rounds and shorter series: a few minutes, with streams"
    )
    parser.add_argument("--only", nargs="+", choices=PARTS, metavar="PART", help=f"of {', '.join(PARTS)}")
    parser.add_argument(
        "--out", metavar="DIR", help="write benchmarks.md and images/ here (default of a whole run: docs)"
    )
    parser.add_argument("--json", metavar="FILE", help="write all numbers here")
    parser.add_argument(
        "--minutes",
        type=float,
        default=0.0,
        help="with --only stream: one run of so many minutes; fails if memory grows",
    )
    return parser


def _scope(options: argparse.Namespace) -> dict[str, object]:
    """Whether a run is a whole one, and if not, what it is."""
    parts = [f"only {', '.join(options.only)}"] if options.only else []
    parts += ["fewer rounds (--quick)"] if options.quick else []
    parts += [f"streams for {options.minutes:g} minutes"] if options.minutes else []
    return {"complete": not parts, "scope": "; ".join(parts)}


if __name__ == "__main__":
    main()
