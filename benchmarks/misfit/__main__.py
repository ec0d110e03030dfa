"""`python -m benchmarks.misfit [--quick] [--out DIR]`: faults simulated and diagnosed, right logs left alone.

In full: every row of the table of causes in five machines, three sizes and both directions, and 1000 right logs; that
is most of a day. `--quick` takes one case of every row and some right logs. Logs and diagnoses are kept in the folder:
a run that is cut off goes on where it stood, and one after a change of the diagnosis begins with `--again`.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path
from typing import Any

from .cases import Case, cases_of, quick
from .judge import Verdict, judge
from .machines import NAMES, nominal
from .page import page
from .right_logs import RightLog
from .runs import Runs

PAGE = Path(__file__).resolve().parents[2] / "docs" / "misfit_benchmark.md"
RIGHT, RIGHT_QUICK = 1000, 24


def line(one: Verdict) -> str:
    """A verdict for the terminal."""
    alarm = "alarm" if one.alarm else "no alarm"
    first = one.first.splitlines()[0] if one.first else "-"
    numbers = f"moves {one.moves:.3g}, score {one.score:.3g}, cured {one.cured:.3g}"
    return f"{one.case.key}: {numbers}, {alarm}, {first}, rank {one.rank}, {one.seconds:.1f} s"


def main() -> int:
    """Run what is not there yet, write the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.misfit", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one case of every row, and some right logs")
    parser.add_argument(
        "--out", type=Path, default=Path("misfit_benchmark"), help="logs and diagnoses (default: %(default)s)"
    )
    parser.add_argument(
        "--page", type=Path, default=PAGE, help="where the tables go (default: docs/misfit_benchmark.md)"
    )
    parser.add_argument(
        "--right", type=int, help=f"how many right logs (default: {RIGHT}, {RIGHT_QUICK} with --quick)"
    )
    parser.add_argument("--rows", nargs="+", metavar="NAME", help="only these rows of the table")
    parser.add_argument("--machines", nargs="+", choices=NAMES, default=list(NAMES))
    parser.add_argument("--again", action="store_true", help="diagnose logs again that were diagnosed before")
    options = parser.parse_args()
    if options.again:
        shutil.rmtree(options.out / "diagnoses", ignore_errors=True)
    runs = Runs(options.out)
    cases: list[Case] = [case for name in options.machines for case in cases_of(name, nominal(name))]
    if options.rows:
        cases = [case for case in cases if case.row in options.rows]
    if options.quick:
        cases = quick(cases)
    command = "python -m benchmarks.misfit" + (" --quick" if options.quick else "")
    count = options.right if options.right is not None else (RIGHT_QUICK if options.quick else RIGHT)
    verdicts: list[Verdict] = []
    right: list[tuple[RightLog, dict[str, Any]]] = []

    def write() -> None:
        """What is there so far: whoever cuts a run off has a page."""
        options.page.write_text(page(verdicts, right, command, (len(cases), count)), encoding="utf-8")

    for number, case in enumerate(cases, 1):
        one = judge(runs, case)
        verdicts.append(one)
        write()
        print(f"{number}/{len(cases)} {line(one)}", flush=True)
    for log in map(RightLog.of, range(count)):
        found = runs.right_log(log)
        right.append((log, found))
        write()
        print(f"{log.key}: exit {found['code']} {found['said'][:100]}", flush=True)
    print(f"tables: {options.page}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
