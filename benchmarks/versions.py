# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`python -m benchmarks.versions BEFORE [NOW]`: times of two checkouts of the package, in turns; NOW is this one.

Both run in processes of their own that stay; each round asks one and then the other for every item, so that what
disturbs one disturbs the other alike. Times are the processor's; the ratio is the median over the rounds, with its
quartiles.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from .surroundings import ROOT

WORKER = Path(__file__).with_name("version_worker.py")


class Version:
    """One checkout of the package, at work."""

    def __init__(self, folder: Path) -> None:
        environment = os.environ | {"PYTHONPATH": str(folder), "OPENBLAS_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            [sys.executable, str(WORKER)],
            cwd=folder, env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip

    def line(self) -> str:
        assert self._process.stdout is not None
        if not (text := self._process.stdout.readline()):
            raise SystemExit(f"the worker of another version ended with code {self._process.wait()}")
        return text.rstrip("\n")

    def seconds(self, item: str) -> float:
        """Processor time of one operation."""
        assert self._process.stdin is not None
        self._process.stdin.write(item + "\n")
        self._process.stdin.flush()
        return float(self.line())

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("before", type=Path, help="a checkout")
    parser.add_argument("now", type=Path, nargs="?", default=ROOT, help="another one; default: this")
    parser.add_argument("--rounds", type=int, default=60)
    options = parser.parse_args()
    other, ours = Version(options.before.resolve()), Version(options.now.resolve())
    before, now = (one.line().split("\t") for one in (other, ours))
    items = [name for name in before if name in now]
    taken = {name: np.empty((options.rounds, 2)) for name in items}
    for n in range(options.rounds):
        for name in items:
            # who is first changes from round to round
            for k in (0, 1) if n % 2 else (1, 0):
                taken[name][n, k] = (other, ours)[k].seconds(name)
    other.close()
    ours.close()
    print("| item | before, µs | now, µs | now / before (quartiles) |\n|---|---|---|---|")
    for name, seconds in taken.items():
        low, middle, high = np.percentile(seconds[:, 1] / seconds[:, 0], [25, 50, 75])
        before, now = 1e6 * np.median(seconds, axis=0)
        print(f"| {name} | {before:.3g} | {now:.3g} | {middle:.2f} ({low:.2f} to {high:.2f}) |")


if __name__ == "__main__":
    main()
