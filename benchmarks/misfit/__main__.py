# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`python -m benchmarks.misfit [--quick] [--out DIR]`: faults simulated and diagnosed, right logs left alone.

In full: every row of the table of causes in five machines, three sizes and both directions, pairs of faults and 1000
right logs, in turns: the middle size of each row first, then by chance, so that a run that is cut off has seen every
row, though not as a sample of the whole (pairs bring middle and large sizes with them). Logs and diagnoses are kept in
the folder: the next run goes on where the last one stood. `--again` diagnoses the chosen rows again, after a change of
the diagnosis. `--quick` takes one case of every row and some right logs.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from .cases import Case, cases_of, quick
from .judge import PairVerdict, Verdict, judge, judge_pair
from .machines import NAMES, nominal
from .page import Done, page
from .pairs import Pair, pairs_of
from .right_logs import DRAWS, RightLog
from .runs import Runs

PAGE = Path(__file__).resolve().parents[2] / "docs" / "misfit_benchmark.md"
RIGHT, RIGHT_QUICK = 1000, 24
PAIRS, PAIRS_QUICK = 150, 0
KINDS = ("faults", "pairs", "right")
EVERY = 20  # runs between two pages


def line(one: Verdict) -> str:
    """A verdict for the terminal."""
    alarm = "alarm" if one.alarm else "no alarm"
    first = one.first.splitlines()[0] if one.first else "-"
    numbers = f"moves {one.moves:.3g}, score {one.score:.3g}, cured {one.cured:.3g}"
    return f"{one.case.key}: {numbers}, {alarm}, {first}, rank {one.rank}, {one.seconds:.1f} s"


def pair_line(one: PairVerdict) -> str:
    """The same of a pair."""
    asked = "" if one.asked else " (not asked for)"
    return f"{one.pair.key}: {sum(one.named)} of 2 named{asked}: {', '.join(one.causes)}"


def mixed(
    cases: Sequence[Case], pairs: Sequence[Pair], right: Sequence[RightLog]
) -> Iterator[Case | Pair | RightLog]:
    """All of them, evenly: cases of `--quick` first, then by chance; right logs with those of their motion."""
    rng = np.random.default_rng(46)
    started = quick(list(cases))
    others = [case for case in cases if case not in started]
    groups = [right[k : k + DRAWS] for k in range(0, len(right), DRAWS)]
    lists: list[list[list[Case | Pair | RightLog]]] = [
        [[case] for case in started] + [[others[k]] for k in rng.permutation(len(others))],
        [[pair] for pair in pairs],
        [list(group) for group in groups],
    ]
    places = [((k + 0.5) / len(each), n, k) for n, each in enumerate(lists) for k in range(len(each))]
    for _, n, k in sorted(places):
        yield from lists[n][k]


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
    parser.add_argument(
        "--pairs", type=int, help=f"how many pairs (default: {PAIRS}, {PAIRS_QUICK} with --quick)"
    )
    parser.add_argument("--rows", nargs="+", metavar="NAME", help="only these rows of the table")
    parser.add_argument("--machines", nargs="+", choices=NAMES, default=list(NAMES))
    parser.add_argument(
        "--minutes", type=float, default=np.inf, help="of processor time, after which this run ends"
    )
    parser.add_argument("--again", action="store_true", help="diagnose logs again that were diagnosed before")
    parser.add_argument("--only", choices=KINDS, help="only this part of the plan")
    parser.add_argument("--kept", action="store_true", help="only what is diagnosed already: the page of it")
    options = parser.parse_args()
    runs = Runs(options.out)
    cases: list[Case] = [case for name in options.machines for case in cases_of(name, nominal(name))]
    if options.rows:
        cases = [case for case in cases if case.row in options.rows]
    if options.quick:
        cases = quick(cases)
    count = options.right if options.right is not None else (RIGHT_QUICK if options.quick else RIGHT)
    right = [RightLog.of(number) for number in range(count)]
    pairs = pairs_of(
        cases, options.pairs if options.pairs is not None else PAIRS_QUICK if options.quick else PAIRS
    )
    plan = list(mixed(cases, pairs, right))
    if options.only:
        kind = (Case, Pair, RightLog)[KINDS.index(options.only)]
        plan = [one for one in plan if isinstance(one, kind)]
    done = Done(cases, len(pairs), len(right))
    command = "python -m benchmarks.misfit" + (" --quick" if options.quick else "")

    def write() -> None:
        """What is there so far: whoever cuts a run off has a page."""
        options.page.write_text(page(done, command), encoding="utf-8")

    def there(one: Case | Pair | RightLog) -> bool:
        """Whether it was run; of a pair that asks for no alarms at least the two alone."""
        if isinstance(one, Pair) and not runs.has(one.key):
            alone = (one.first, one.second)
            return all(runs.has(case.key) for case in alone) and not all(
                judge(runs, case).demanded for case in alone
            )
        return runs.has(one.key)

    begin = time.process_time()
    for number, one in enumerate(plan, 1):
        if time.process_time() - begin > 60.0 * options.minutes:
            break
        if options.kept and not there(one):
            continue
        if options.again:
            runs.forget(one.key)
        if isinstance(one, Case):
            done.verdicts.append(judge(runs, one))
            said = line(done.verdicts[-1])
        elif isinstance(one, Pair):
            done.pairs.append(judge_pair(runs, one))
            said = pair_line(done.pairs[-1])
        else:
            found = runs.right_log(one)
            done.right.append((one, found))
            said = f"{one.key}: exit {found['code']} {found['said'][:100]}"
        print(f"{number}/{len(plan)} {said}", flush=True)
        if number % EVERY == 0 and not options.kept:
            write()
    write()
    print(f"tables: {options.page}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
