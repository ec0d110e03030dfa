# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`python -m benchmarks.judgement --logs LOG... --machine M`: what judging the fit adds to an identification.

Processor time of whole commands `pkm identify`, each in a process of its own (start and imports included), and of the
judgement in it: lack of fit and its causes.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any

ESTIMATORS = ("ls", "ukf")


def timed(log: str, machine: str, estimator: str) -> tuple[float, float]:
    """Processor time in s of this process with one identification, and of the judgement in it."""
    from pkm_identification.cli import main as pkm

    module: Any = importlib.import_module("pkm_identification.identification.identify")
    judged, spent = module._judged, []

    def clocked(*given: Any) -> Any:
        before = time.process_time()
        result = judged(*given)
        spent.append(time.process_time() - before)
        return result

    module._judged = clocked
    with contextlib.redirect_stdout(io.StringIO()):
        pkm(["identify", log, "--machine", machine, "--estimator", estimator])
    return time.process_time(), sum(spent)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for each log, estimator and round."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.judgement", description=__doc__)
    parser.add_argument("--logs", nargs="+", required=True)
    parser.add_argument("--machine", required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--estimator", choices=ESTIMATORS, help="once, in this process")
    asked = parser.parse_args(arguments)
    if asked.estimator:
        whole, own = timed(asked.logs[0], asked.machine, asked.estimator)
        rest = whole - own
        print(
            f"{asked.estimator}: {whole:.2f} s, judgement {own:.2f} s, {100 * own / rest:.0f} % of the rest"
        )
        return 0
    for _ in range(asked.rounds):
        for log in asked.logs:
            for estimator in ESTIMATORS:
                command = [sys.executable, "-m", "benchmarks.judgement", "--logs", log]
                command += ["--machine", asked.machine, "--estimator", estimator]
                subprocess.run(command, env=os.environ | {"OPENBLAS_NUM_THREADS": "1"}, check=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
