# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Logs as people really hand them in, with one thing wrong with the rows (`python -m benchmarks.field.logs`).

Each case is a simulated log of a machine drawn anew, spoilt where it happens in life: rows of something else among the
log's, values held over several samples, forces that are none. Wanted is what the log says without it, or a refusal that
names it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.errors import PkmError
from pkm_identification.identification.identify import identify
from pkm_identification.identification.result import Identification
from pkm_identification.identification.settings import Settings
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import DriveLog
from pkm_identification.simulation.perturbation import perturb_machine
from pkm_identification.simulation.sensors import SensorSettings
from pkm_identification.simulation.simulator import simulate

BASES = ("uf", "hexel", "ford")
DURATION = 12.0  # s
DIFFERENCE = 0.1  # of masses and moments of inertia from the file
SHARES = (0.01, 0.05, 0.2)  # of foreign rows
HOLDS = (2, 3, 4, 5, 8, 10)  # samples for which a value stays
AGREES = 0.3  # deviations by which an estimate may differ from that of the log without foreign rows
AGREES_HELD = 1e-9  # of the estimate: the same rows

Spoil = Callable[[DriveLog, np.random.Generator], DriveLog]


@dataclass(frozen=True)
class Case:
    """A log and what is wanted of it: the estimate of another log, or a refusal with certain words."""

    name: str
    machine: Machine
    log: DriveLog
    reference: DriveLog | None = None
    reference_machine: Machine | None = None
    within: float = AGREES
    words: str = ""


def insert_rows(log: DriveLog, share: float, rng: np.random.Generator, make: Spoil, late: float) -> DriveLog:
    """Return the log with rows of something else at random places, `late` periods behind the row before."""
    count = round(share * len(log))
    chosen = np.sort(rng.choice(np.arange(10, len(log) - 10), count, replace=False))
    period = float(np.median(np.diff(log.time)))
    foreign = make(log[chosen], rng)
    foreign = replace(foreign, time=log.time[chosen] + late * period)
    order = np.argsort(np.concatenate([np.arange(len(log)), chosen + 0.5]), kind="stable")
    assert log.force is not None
    assert foreign.force is not None
    return DriveLog(
        np.concatenate([log.time, foreign.time])[order],
        np.concatenate([log.length, foreign.length])[order],
        np.concatenate([log.force, foreign.force])[order],
        log.source,
    )


def _empty(rows: DriveLog, rng: np.random.Generator) -> DriveLog:
    return replace(
        rows, coordinate=np.full_like(rows.length, np.nan), force=np.full_like(rows.length, np.nan)
    )


def _zeros(rows: DriveLog, rng: np.random.Generator) -> DriveLog:
    return replace(rows, coordinate=np.zeros_like(rows.length), force=np.zeros_like(rows.length))


def _same(rows: DriveLog, rng: np.random.Generator) -> DriveLog:
    return rows


def _outside(rows: DriveLog, rng: np.random.Generator) -> DriveLog:
    return replace(rows, coordinate=rows.length * rng.uniform(1.5, 3.0, (len(rows), 1)))


FOREIGN: dict[str, tuple[Spoil, float]] = {
    "empty rows": (_empty, 0.4),
    "second publisher, zeros": (_zeros, 0.4),
    "second publisher, zeros at .7": (_zeros, 0.7),
    "rows twice": (_same, 0.0),
    "rows late": (_same, -2.0),
    "same values again at .4": (_same, 0.4),
    "lengths outside": (_outside, 0.5),
}


def hold_values(log: DriveLog, factor: int) -> DriveLog:
    """Return the log with lengths and forces of every so many samples, repeated until the next."""
    rows = np.arange(len(log)) // factor * factor
    assert log.force is not None
    return replace(log, coordinate=log.length[rows], force=log.force[rows])


def machine_log(
    base: str, seed: int, *, perfect: bool = False, motion: str = "rich"
) -> tuple[Machine, DriveLog]:
    """Return what the owner believes of a machine drawn anew, and a log of it."""
    nominal = Machine.load(base)
    truth = perturb_machine(nominal, seed, DIFFERENCE)
    sensors = (
        SensorSettings(current_bits=None, quantised_encoders=False)
        if perfect
        else SensorSettings(stamp_jitter=2e-5)
    )
    record = simulate(truth, motion, DURATION, nominal=nominal, sensors=sensors, seed=seed, motion_seed=seed)
    return nominal, DriveLog(record.time, record.length, record.force, f"{base}, seed {seed}")


def slower(machine: Machine, factor: float) -> Machine:
    """Return the machine whose drives report so many times fewer samples."""
    assert machine.drive is not None
    return replace(machine, drive=replace(machine.drive, sample_rate=machine.drive.sample_rate / factor))


def cases(seed: int) -> Iterator[Case]:
    """Yield all cases of this seed."""
    rng = np.random.default_rng(seed)
    for base in BASES:
        machine, log = machine_log(base, seed)
        for name, (make, late) in FOREIGN.items():
            for share in SHARES:
                spoilt = insert_rows(log, share, rng, make, late)
                yield Case(f"{base}: {100 * share:g} % {name}", machine, spoilt, log)
        for factor in HOLDS:
            yield Case(
                f"{base}: held {factor} samples", machine, hold_values(log, factor),
                log[::factor], slower(machine, factor), AGREES_HELD,
            )  # fmt: skip
        force = log.force
        assert force is not None
        yield Case(
            f"{base}: forces all zero", machine, replace(log, force=np.zeros_like(force)), words="are 0"
        )
        if np.any(
            force.max(axis=0) * force.min(axis=0) < 0.0
        ):  # else it is a sign that is wrong, not one that is lost
            yield Case(
                f"{base}: forces unsigned", machine, replace(log, force=np.abs(force)), words="unsigned"
            )
        moving = np.abs(np.gradient(log.length, axis=0)) > 2e-6
        at_rest = replace(log, force=np.where(moving, np.abs(force), 0.0))
        yield Case(f"{base}: forces unsigned, 0 at rest", machine, at_rest, words="unsigned")
        shuffled = log[rng.permutation(len(log))]
        yield Case(f"{base}: rows shuffled", machine, shuffled, words="order")


def judge(case: Case) -> tuple[str, str, bool]:
    """Return what was wanted of a case and what came, and whether they agree."""
    settings = Settings.of(estimator="ls", hold_out=0.0)
    try:
        got = identify([case.log], case.machine, settings)
    except PkmError as error:
        return case.words or "estimate", f"refused: {error}", case.words != "" and case.words in str(error)
    if case.reference is None:
        return case.words, "identified", False
    wanted = _reference(case, settings)
    if got.estimate.status != wanted.estimate.status:
        return "estimate", "other statuses", False
    known = np.array([status == "identifiable" for status in wanted.estimate.status])
    deviation = wanted.estimate.std if case.within == AGREES else np.abs(wanted.estimate.values)
    off = np.abs(got.estimate.values - wanted.estimate.values)[known] / deviation[known]
    largest = float(off.max(initial=0.0))
    return f"within {case.within:g}", f"{largest:.3g}", bool(known.any()) and largest <= case.within


_REFERENCES: dict[int, tuple[DriveLog, Identification]] = {}


def _reference(case: Case, settings: Settings) -> Identification:
    """Return the identification of a case's reference, which several cases share."""
    assert case.reference is not None
    key = id(case.reference)
    if key not in _REFERENCES:
        result = identify([case.reference], case.reference_machine or case.machine, settings)
        _REFERENCES[key] = case.reference, result
    return _REFERENCES[key][1]


def main(arguments: list[str] | None = None) -> int:
    """Print a table of cases; 1 if one is not as wanted."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.field.logs", description=main.__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="cases whose name contains this")
    options = parser.parse_args(arguments)
    failed = 0
    for case in cases(options.seed):
        if options.only not in case.name:
            continue
        wanted, got, good = judge(case)
        failed += not good
        print(f"{'ok  ' if good else 'FAIL'} {case.name:45} {wanted:14} {got[:150]}", flush=True)
    print(f"{failed} not as wanted")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
