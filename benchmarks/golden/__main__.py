# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`python -m benchmarks.golden --before REV`: outputs of a revision and of this tree, case by case.

Each runs the same commands on its own sources; printed is the largest difference of estimates in their deviations, of
deviations and of other numbers by their size. Exit code 1: something differs that is not explained (`cases.EXPLAINED`).
Outputs of a revision are kept in build/golden: its kernels are compiled once.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from ..surroundings import ROOT
from .cases import Case, find_explanation, list_cases
from .compare import Comparison, compare_folders

WORKER = Path(__file__).with_name("worker.py")
KEPT = ROOT / "build" / "golden"
SHOWN = 5  # differences of a case that are printed one by one


def main() -> int:
    """Run, compare, print; return the exit code."""
    options = _parse_options()
    cases = list_cases(options.whole, options.shared)
    if options.only:
        cases = [case for case in cases if any(word in case.name for word in options.only)]
    commands = json.dumps({case.name: case.commands for case in cases})
    revision = _git("rev-parse", options.before)
    digest = hashlib.sha256((commands + WORKER.read_text(encoding="utf-8")).encode()).hexdigest()[:8]
    before = KEPT / f"{revision[:12]}-{digest}"
    if not (before / "complete").exists():
        _run_revision(revision, commands, before)
    now = KEPT / "now"
    shutil.rmtree(now, ignore_errors=True)
    _run_tree(ROOT, commands, now)
    return _print_comparison(cases, before, now)


def _parse_options() -> argparse.Namespace:
    summary, _, details = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(prog="python -m benchmarks.golden", description=summary, epilog=details)
    parser.add_argument(
        "--before", default="HEAD", metavar="REV", help="revision to compare with (default: HEAD)"
    )
    parser.add_argument("--whole", action="store_true", help="all built-in machines with all estimators")
    parser.add_argument(
        "--shared", type=Path, metavar="DIR", help="besides, the logs set_*/ and real/ of this folder"
    )
    parser.add_argument("--only", nargs="+", metavar="WORD", help="cases whose names contain one of these")
    return parser.parse_args()


def _run_revision(revision: str, commands: str, folder: Path) -> None:
    """Write the outputs of a revision, checked out into a work tree that is thrown away."""
    tree = KEPT / f"tree-{revision[:12]}"
    _git("worktree", "add", "--detach", "--force", str(tree), revision)
    try:
        _run_tree(tree, commands, folder)
        (folder / "complete").touch()
    finally:
        _git("worktree", "remove", "--force", str(tree))


def _run_tree(tree: Path, commands: str, folder: Path) -> None:
    """Write the outputs of the sources in a folder."""
    print(f"running {tree}", file=sys.stderr, flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    listed = folder / "commands"
    listed.write_text(commands, encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(tree), "OPENBLAS_NUM_THREADS": "1"}
    subprocess.run([sys.executable, str(WORKER), str(listed), str(folder)], env=environment, check=True)


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, text=True, capture_output=True)
    if done.returncode:
        raise SystemExit(f"git {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout.strip()


def _print_comparison(cases: list[Case], before: Path, now: Path) -> int:
    wrong = 0
    print(f"{'case':32} {'estimates':>10} {'deviations':>10} {'others':>10}")
    for case in cases:
        found = compare_folders(before / case.name, now / case.name)
        print(f"{case.name:32} {found.shift:10.1e} {found.deviation:10.1e} {found.change:10.1e}")
        wrong += _print_differences(case.name, found)
    print(f"{wrong} unexplained differences" if wrong else "equal, or explained")
    return 1 if wrong else 0


def _print_differences(case: str, found: Comparison) -> int:
    """Print the differences of a case; return how many nothing explains."""
    unexplained = 0
    for number, one in enumerate(found.differences):
        reason = find_explanation(case, one.place)
        unexplained += reason is None
        if number < SHOWN:
            print(f"    {one.place}: {one.what}" + (f" (explained: {reason})" if reason else ""))
    if len(found.differences) > SHOWN:
        print(f"    and {len(found.differences) - SHOWN} more")
    return unexplained


if __name__ == "__main__":
    raise SystemExit(main())
