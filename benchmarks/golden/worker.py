# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Run cases with the package that PYTHONPATH names: `python worker.py CASES.json FOLDER`.

A script by itself, so that a revision without it can be run. Each case gets a folder with what its commands wrote and
`outcome.json`: their exit codes and what they printed last.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path


def delay_columns(source: str, target: str, rows: str, *names: str) -> int:
    """Write a log whose named columns come so many rows late; return an exit code."""
    with open(source, newline="", encoding="utf-8") as file:
        header, *body = list(csv.reader(file))
    shift = int(rows)
    late = [header.index(name) for name in names]
    moved = [
        [body[n - shift][k] if k in late else cell for k, cell in enumerate(body[n])]
        for n in range(shift, len(body))
    ]
    with open(target, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *moved])
    return 0


def run_stream(name: str, source: str, target: str) -> int:
    """Write the state of the live stages after a log of a machine with six struts; return an exit code."""
    from pkm_identification.api.logs import read_logs
    from pkm_identification.identification.online.pipeline import OnlinePipeline
    from pkm_identification.mechanisms.hexapod.machine import Machine

    pipeline = OnlinePipeline(Machine.load(name))
    log = read_logs(source, name)[0]
    assert log.force is not None
    for row in zip(log.time.tolist(), log.length, log.force, strict=True):
        pipeline.step(*row)
    pipeline.estimator.finish()
    stages = vars(pipeline).values()
    estimator = pipeline.estimator
    # revisions before 544d0b6b call it otherwise
    estimate, _ = getattr(estimator, "assess" if hasattr(estimator, "assess") else "judged")()
    fit = estimator.fit
    outcome = {
        "estimate": [
            {"name": n, "value": v, "std": s}
            for n, v, s in zip(estimate.names, estimate.values, estimate.std, strict=True)
        ],
        "status": list(estimate.status),
        "counts": [stage.counts for stage in stages if hasattr(stage, "counts")],
        "equations": estimator.counts,
        "suspicions": estimator.suspicions,
        "fit": [] if fit is None else [fit.adequate, fit.ratio],
    }
    Path(target).write_text(json.dumps(outcome, default=float), encoding="utf-8")
    return 0


def run_case(commands: list[list[str]]) -> dict:
    """Return exit codes and printed lines of commands, run in the working folder."""
    from pkm_identification.cli import main

    outcome: dict = {"exit": [], "printed": []}
    for name, *rest in commands:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            try:
                code = OWN[name](*rest) if name in OWN else main([name, *rest])
            except SystemExit as leaving:
                code = leaving.code if isinstance(leaving.code, int) else 2
        outcome["exit"].append(code)
        outcome["printed"].append(printed.getvalue().splitlines()[-1:])
    return outcome


OWN: dict[str, Callable[..., int]] = {"late": delay_columns, "stream": run_stream}

if __name__ == "__main__":
    folder = Path(sys.argv[2]).resolve()
    for label, commands in json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")).items():
        place = folder / label
        place.mkdir(parents=True, exist_ok=True)
        os.chdir(place)
        begin = time.perf_counter()
        outcome = run_case(commands)
        (place / "outcome.json").write_text(json.dumps(outcome), encoding="utf-8")
        print(
            f"  {label}: {time.perf_counter() - begin:.1f} s, exit {outcome['exit']}",
            file=sys.stderr,
            flush=True,
        )
