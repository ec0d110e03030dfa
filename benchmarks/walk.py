# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The walk of a new user, timed: `python -m benchmarks.walk` goes it and writes docs/walk.md.

From a clone of this repository to a first report of a machine of one's own, in an empty folder and a new environment,
with kernels not compiled. Whatever a command prints is on the page.
"""

from __future__ import annotations

import os
import platform
import re
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "walk.md"
REPOSITORY = "REPOSITORY"
# Those of pkm are the tutorial's; `identify` without a log to validate with is the shortest that makes a report.
COMMANDS = (
    f"git clone --quiet {REPOSITORY} pkm_identification",
    "python3 -m venv env",
    "PKM_WITH_ROS=0 env/bin/pip install --quiet './pkm_identification[report]'",
    "cp pkm_identification/examples/data/log.csv.gz .",
    "pkm init my_hexapod.yaml --unit mm --radius-base 350 --radius-platform 220 --angles-base 25 --angles-platform 30 "
    "--height 500 --mass 12 --size 480,20 --strut-mass 2.5 --rate 250",
    "pkm check log.csv.gz --machine my_hexapod.yaml",
    "pkm identify log.csv.gz --machine my_hexapod.yaml --out result",
    "pkm identifiability log.csv.gz --machine my_hexapod.yaml",
    "pkm export --machine my_hexapod.yaml --estimate result/estimate.json --out identified.yaml",
)
# What pip says of the places it is told to look at here
OF_THIS_COMPUTER = re.compile(r"WARNING: Location .file:")
MOST_COMMANDS, MOST_SECONDS = 12, 600.0


@dataclass(frozen=True)
class Step:
    """A command that was run: seconds on the clock and of the processors, exit code, everything it printed."""

    command: str
    seconds: float
    processor: float
    code: int
    printed: str


def walk(folder: Path) -> list[Step]:
    """Run the commands one after the other in an empty folder; ends at the first that fails with code 2 or more."""
    surroundings = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    surroundings |= {"PATH": f"{folder / 'env' / 'bin'}:{os.environ['PATH']}"}
    surroundings |= {"NUMBA_CACHE_DIR": str(folder / "kernels"), "OPENBLAS_NUM_THREADS": "1"}
    steps = []
    for command in COMMANDS:
        before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        done = subprocess.run(
            ["bash", "-c", command.replace(REPOSITORY, str(ROOT))],
            cwd=folder,
            env=surroundings,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        seconds, after = time.monotonic() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
        processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        steps.append(Step(command, seconds, processor, done.returncode, _plain(done.stdout, folder)))
        print(f"{seconds:6.1f} s  {processor:6.1f} s of processor  {command[:80]}", flush=True)
        if done.returncode > 1:
            break
    return steps


def _plain(text: str, folder: Path) -> str:
    """What was printed, without places of this computer."""
    text = re.sub(r"\r", "\n", text).replace(str(folder), ".").replace(str(ROOT), REPOSITORY)
    lines = [line.rstrip() for line in text.splitlines() if not OF_THIS_COMPUTER.match(line)]
    return "\n".join(lines).strip()


def page(steps: list[Step]) -> str:
    """The page."""
    clock, processor = sum(step.seconds for step in steps), sum(step.processor for step in steps)
    lines = [
        "# The walk of a new user",
        "",
        "Written by `python -m benchmarks.walk`: from a clone to a first report of a machine of one's own, in an",
        "empty folder, with nothing installed and no kernel compiled. Below each command is all it printed. The",
        "tutorial ([tutorial.md](tutorial.md)) explains the commands. A code of 1 is an answer that is not to be",
        "trusted, and the last line says why.",
        "",
        f"{len(steps)} commands; {clock:.0f} s on the clock, {processor:.0f} s of processor. Python "
        f"{platform.python_version()}, {os.cpu_count()} cores, load {os.getloadavg()[1]:.0f} by other work.",
        "",
        "| | command | clock s | processor s | code |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| {number} | `{' '.join(step.command.split()[:2])}` | {step.seconds:.1f} | {step.processor:.1f} "
        f"| {step.code} |"
        for number, step in enumerate(steps, 1)
    ]
    for number, step in enumerate(steps, 1):
        lines += ["", f"## {number}", "```", step.command, "```"]
        if step.printed:
            lines += ["```text", step.printed, "```"]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Go the walk in a temporary folder and write the page."""
    with tempfile.TemporaryDirectory(prefix="walk") as name:
        steps = walk(Path(name))
    if len(steps) < len(COMMANDS) or steps[-1].code > 1:
        print(steps[-1].printed, file=sys.stderr)
        return 1
    PAGE.write_text(page(steps), encoding="utf-8")
    return 0 if sum(step.seconds for step in steps) < MOST_SECONDS else 1


if __name__ == "__main__":
    sys.exit(main())
