"""`python -m benchmarks`: everything timed beside its peers, in one run."""

from __future__ import annotations

import argparse
from pathlib import Path
from time import perf_counter

from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.report.figures.style import png

from . import (
    charts,
    forward_dynamics,
    growth,
    inverse_dynamics,
    kinematics,
    online,
    programs,
    report,
    stream,
    unscented,
)
from .results import Effort, Findings
from .surroundings import load, surroundings

PARTS = {
    "kinematics": kinematics,
    "inverse_dynamics": inverse_dynamics,
    "forward_dynamics": forward_dynamics,
    "unscented": unscented,
    "online": online,
    "programs": programs,
    "growth": growth,
    "stream": stream,
}


def main() -> None:
    """Measure, print the table, write what is asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="fewer rounds and shorter series: under a minute"
    )
    parser.add_argument("--only", nargs="+", choices=PARTS, metavar="PART", help=f"of {', '.join(PARTS)}")
    parser.add_argument(
        "--out", metavar="DIR", help="write benchmarks.md, benchmarks.png and growth.png here"
    )
    parser.add_argument("--json", metavar="FILE", help="write all numbers here")
    parser.add_argument(
        "--minutes",
        type=float,
        default=0.0,
        help="with --only stream: one run of so many minutes; fails if memory grows",
    )
    options = parser.parse_args()
    start, before = perf_counter(), load()
    machine, effort, findings = Machine.load("uf"), Effort.of(options.quick, options.minutes), Findings()
    for name in options.only or PARTS:
        PARTS[name].measure(machine, effort, findings)
    about = {**surroundings(), "load": [before, load()], "seconds": perf_counter() - start}
    print(report.text(findings, about))
    if options.out:
        folder = Path(options.out)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "benchmarks.md").write_text(report.markdown(findings, about), encoding="utf-8")
        if findings.items:
            (folder / "benchmarks.png").write_bytes(png(charts.bars(findings)))
        if findings.growth or findings.memory:
            (folder / "growth.png").write_bytes(png(charts.growth(findings)))
    if options.json:
        Path(options.json).write_text(report.document(findings, about), encoding="utf-8")


if __name__ == "__main__":
    main()
