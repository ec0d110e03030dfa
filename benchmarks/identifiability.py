# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What can be known: base parameters on four routes beside exact and plain ranks, and the report of a log.

Times are those of the processor, so that what else runs on a machine changes them less. Counts are held to the true
ones before anything is timed: a route that is sure of itself and wrong ends the run.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import TypeVar

import numpy as np

from pkm_identification.estimation.identifiability import base_parameters
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.multibody.analysis.routes import (
    EXACT,
    PRECISE,
    SYMBOLIC,
    find_base_parameters,
)
from pkm_identification.mechanisms.multibody.analysis.subject import Subject
from pkm_identification.records.drive_csv import write_raw_csv
from pkm_identification.simulation.simulator import simulate

from .base_parameter_peers import figaroh_rank, open_tree_columns, parallelogram_rows, sympy_rank
from .programs import run
from .results import Effort, Findings, Item, Peer
from .timing import Case, Timing, interleaved

FEW, MANY = 3, 20  # rounds of what takes a second, and of what is quick
TREE_STATES = 20
LONG = 1.0  # s; what takes longer is run once
TRUE = {
    "hexapod, 130": 82,
    "hexapod's open tree, 130": 88,
    "uf": 82,
    "mast": 19,
    "four-bar": 8,
    "four-bar-low-mobility": 8,
    "parallelogram": 3,
    "suspension": 41,
}
Result = TypeVar("Result")
RANKS = ("mast", "four-bar", "four-bar-low-mobility", "suspension")  # two clear ones, two in doubt
SYMPY_ROWS = 14
EXACT_ROUTE = (("four-bar", 0.05), ("parallelogram", None), ("uf", 10.0))
SECONDS = 60.0


def measure(machine: Machine, effort: Effort, findings: Findings) -> None:
    _double(machine, effort, findings)
    _slow_routes(effort, findings)
    _exact(effort, findings)
    _report(machine, effort, findings)


def _double(machine: Machine, effort: Effort, findings: Findings) -> None:
    """Columns made beforehand: of the hexapod's thirteen bodies, of its cut tree by pinocchio, of mechanisms."""
    uf = Subject.load("uf")
    tree = open_tree_columns(machine, TREE_STATES)
    _double_item("hexapod, 130", np.asarray(uf.columns(), dtype=float), uf.names, 0.05, effort, findings)
    _double_item("hexapod's open tree, 130", tree, uf.names, 0.05, effort, findings)
    for name in RANKS:
        subject = Subject.load(name)
        columns = np.asarray(subject.columns(), dtype=float)
        _double_item(name, columns, subject.names, None, effort, findings)


def _double_item(
    name: str,
    columns: np.ndarray,
    names: tuple[str, ...],
    budget: float | None,
    effort: Effort,
    findings: Findings,
) -> None:
    rows = columns.reshape(-1, columns.shape[-1])
    found = base_parameters(columns, names)
    if found.clear:
        _check(name, "double", found.count)
    ranks = {"numpy.linalg.matrix_rank": lambda: int(np.linalg.matrix_rank(rows))}
    by_figaroh = figaroh_rank()
    if by_figaroh is not None:
        ranks["FIGAROH's QR, its own tolerance"] = lambda: by_figaroh(rows)
    cases = [Case("ours", lambda: base_parameters(columns, names))]
    cases += [Case(peer, run) for peer, run in ranks.items()]
    timings = interleaved(cases, max(effort.rounds // 10, FEW), process_time)
    doubt = "" if found.clear else ", in doubt"
    agreement = f"rank {found.count}{doubt}; " + ", ".join(f"{peer} {run()}" for peer, run in ranks.items())
    peers = tuple(Peer(peer, timings[peer]) for peer in ranks)
    findings.items.append(Item(f"base parameters, double: {name}", timings["ours"], budget, peers, agreement))


def _slow_routes(effort: Effort, findings: Findings) -> None:
    precise = [("four-bar", (30, 60), 3.0)]
    if effort.programs > 1:
        precise.append(("suspension", (60, 120), 60.0))
    for name, digits, budget in precise:
        subject = Subject.load(name)
        found, timing = _measured(
            lambda subject=subject, digits=digits: (
                find_base_parameters(replace(subject), PRECISE, digits).best
            )
        )
        _check(name, PRECISE, found.rank)
        note = f"digits {digits[0]} and {digits[1]}; the source: over an hour for the suspension"
        text = f"{found.rank} kept"
        findings.items.append(Item(f"base parameters, precise: {name}", timing, budget, (), text, note))
    for name in ("four-bar", "suspension"):
        subject = Subject.load(name)
        found, timing = _measured(
            lambda subject=subject: find_base_parameters(replace(subject), SYMBOLIC).best
        )
        _check(name, SYMBOLIC, found.rank)
        text = f"{found.rank} left"
        findings.items.append(Item(f"base parameters, symbolic: {name}", timing, 2.0, (), text))


def _exact(effort: Effort, findings: Findings) -> None:
    for name, budget in EXACT_ROUTE if effort.programs > 1 else EXACT_ROUTE[:2]:
        subject = Subject.load(name)
        # a subject keeps what it found: each time a new one
        found, timing = _measured(lambda subject=subject: find_base_parameters(replace(subject), EXACT).best)
        _check(name, EXACT, found.rank)
        peers: tuple[Peer, ...] = ()
        agreement = f"rank {found.rank}"
        by_sympy = sympy_rank(parallelogram_rows(SYMPY_ROWS)) if name == "parallelogram" else None
        if by_sympy is not None:
            rank, taken = _measured(by_sympy)
            _check(name, "sympy", rank)
            peers = (Peer("sympy, rank of as many rows of fractions by hand", taken),)
            agreement += f"; sympy {rank}"
        note = "with finding its branch"
        findings.items.append(Item(f"base parameters, exact: {name}", timing, budget, peers, agreement, note))


def _report(machine: Machine, effort: Effort, findings: Findings) -> None:
    """The whole program on a log of a minute, its import too."""
    seconds = SECONDS if effort.programs > 1 else 10.0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rich.csv.gz"
        record = simulate(machine, "rich", seconds)
        write_raw_csv(path, record.time, record.counts, record.current, record.imu, record.sensor)
        command = ("-m", "pkm_identification.cli", "identifiability", str(path), "--machine", machine.name)
        run(*command)  # kernels are in their cache from now on
        times = [run(*command) for _ in range(max(effort.programs, 1))]
    findings.items.append(
        Item(
            f"pkm identifiability, {seconds:g} s log",
            Timing.of(times),
            5.0,
            note="processor time of the program",
        )
    )


def _check(name: str, route: str, rank: int) -> None:
    """Refuse to time a route that does not find what is there."""
    if rank != TRUE[name]:
        raise AssertionError(f"{name}, {route}: {rank} base parameters, there are {TRUE[name]}")


def _measured(work: Callable[[], Result]) -> tuple[Result, Timing]:
    """What work has for a result, and the processor time of runs after that one, or of that one if it is long."""
    started = process_time()
    found = work()
    first = process_time() - started
    if first > LONG:
        return found, Timing.of([first])
    rounds = min(MANY, max(FEW, round(LONG / first)))
    return found, interleaved([Case("ours", work)], rounds, process_time)["ours"]
