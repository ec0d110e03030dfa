# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Whole programs as subprocesses: `pkm identify` and the first call of a fresh process."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.records.drive_csv import write_raw_csv
from pkm_identification.simulation.simulator import simulate

from .results import Effort, Findings, Item, Peer
from .timing import Case, interleaved

ROOT = Path(__file__).resolve().parents[1]
SECONDS = 60.0
BUDGET = {"ls": 2.0, "ukf": 10.0}
FIRST_CALL = """
import numpy as np
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.kinematics import forward_kinematics
machine = Machine.load("uf")
found = forward_kinematics(machine, np.full((1, 6), 0.43))
"""
FIRST_FSOLVE = """
import numpy as np
from scipy.optimize import fsolve
fsolve(lambda x: x**2 - 2.0, np.ones(6))
"""


def run(*arguments: str) -> float:
    """Run this Python as a program of its own; the processor time it took in s.

    Raises
    ------
    RuntimeError
        With what it wrote, if it fails.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(arguments)[:80]}: {done.stderr.strip()[-500:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(machine: Machine, effort: Effort, findings: Findings) -> None:
    _first_call(effort, findings)
    _identify(machine, effort, findings)


def _first_call(effort: Effort, findings: Findings) -> None:
    cases = [
        Case("ours", lambda: run("-c", FIRST_CALL)),
        Case("scipy", lambda: run("-c", FIRST_FSOLVE)),
        Case("pinocchio", lambda: run("-c", "import pinocchio")),
        Case("numpy", lambda: run("-c", "import numpy")),
    ]
    timings = interleaved(cases, effort.programs)
    peers = (
        Peer("import scipy.optimize, one fsolve", timings["scipy"]),
        Peer("import pinocchio", timings["pinocchio"]),
        Peer("import numpy", timings["numpy"], "the least a program with numbers costs here"),
    )
    findings.items.append(
        Item("first call of a fresh process", timings["ours"], 1.0, peers,
             note="interpreter, imports, machine file, one forward kinematics; kernels cached")
    )  # fmt: skip


def _identify(machine: Machine, effort: Effort, findings: Findings) -> None:
    with tempfile.TemporaryDirectory() as folder:
        log = str(Path(folder) / "rich.csv.gz")
        record = simulate(machine, "rich", SECONDS)
        write_raw_csv(log, record.time, record.counts, record.current)
        command = ["-m", "pkm_identification.cli", "identify", log, "--machine", machine.name, "--estimator"]
        processor: dict[str, list[float]] = {kind: [] for kind in BUDGET}
        cases = [Case(kind, lambda kind=kind: processor[kind].append(run(*command, kind))) for kind in BUDGET]
        timings = interleaved(cases, effort.programs)
    for kind, budget in BUDGET.items():
        findings.items.append(
            Item(f"pkm identify, 60 s at 1 kHz, {kind.upper()}", timings[kind], budget,
                 note=f"{len(record)} samples as .csv.gz of counts; start-up and reading included")
        )  # fmt: skip
    # the first run of each is the one that fills the caches
    busy = ", ".join(f"{kind.upper()} {np.median(taken[1:]):.1f} s" for kind, taken in processor.items())
    findings.remarks.append(f"Processor time of pkm identify, all threads, whoever else is busy: {busy}.")
