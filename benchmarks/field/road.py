# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`python -m benchmarks.field.road [--seed N]`: machines that are no hexapods, drawn anew, by the road of a log.

Sizes, masses, friction law and motion are drawn; the file is 5 to 20 % off; forces have 1 % noise; and one thing is
wrong with the log. Wanted: the model fits, and values are as far off the truth as their deviations say.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pkm_identification.errors import PkmError
from pkm_identification.identification.identify import identify
from pkm_identification.identification.settings import Settings
from pkm_identification.machines.multibody import Multibody
from pkm_identification.mechanisms.builtin import list_builtin_files
from pkm_identification.mechanisms.multibody import dynamics
from pkm_identification.mechanisms.multibody.description.reader import parse_text
from pkm_identification.mechanisms.multibody.kinematics import motion_of_drives
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.motion import DriveLog
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.simulation.multibody.motions import generate_motion

from . import parallel_machines

PERIOD, DURATION = 1e-3, 20.0
FORCE_NOISE, PLACE_NOISE = 0.01, 1e-6  # of the rms force; of a large change of the coordinate
MOST, RMS = 4.5, 1.6  # deviations: the largest and the rms error of an answer that is as sure as it says
LAWS: dict[str, dict[str, Any]] = {
    "coulomb": {}, "smooth": {}, "asymmetric": {"asymmetry": 0.1},
    "stribeck": {"static_ratio": 1.5, "stribeck_rate": 0.1},
}  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A log of a machine whose truth is known.

    Attributes
    ----------
    name : str
    file : Mechanism
        What its owner knows.
    truth : Mechanism
    log : DriveLog
    """

    name: str
    file: Mechanism
    truth: Mechanism
    log: DriveLog


def cases(seed: int) -> Iterator[Case]:
    """Draw a case of each kind of machine, each with another fault of the log."""
    random = np.random.default_rng(seed)
    faults = list(FAULTS)
    for number, kind in enumerate(KINDS):
        document = KINDS[kind](random)
        law = list(LAWS)[int(random.integers(len(LAWS)))]
        fault = faults[(number + seed) % len(faults)]
        count = len(document["drives"])
        own = {name: [value] * count if name == "asymmetry" else value for name, value in LAWS[law].items()}
        friction = {
            "law": law, "transition_rate": 0.01, **own, "viscous": random.uniform(0.5, 2.0, count).tolist(),
            "coulomb": random.uniform(0.3, 1.5, count).tolist(),
        }  # fmt: skip
        truth = document | {"friction": parallel_machines.as_text(friction)}
        file = {**truth, "bodies": throw_off(truth["bodies"], random)}
        pair = Mechanism.from_document(file), Mechanism.from_document(truth)
        yield Case(f"{kind}, {law}, {fault}", *pair, _log(pair[1], fault, random))


def _sized(build: Callable[..., dict[str, Any]], **sizes: float) -> Callable[..., dict[str, Any]]:
    return lambda random: build(**{name: size * random.uniform(0.9, 1.1) for name, size in sizes.items()})


def _builtin(name: str) -> Callable[..., dict[str, Any]]:
    return lambda random: parse_text(list_builtin_files("mechanisms")[name])


KINDS: dict[str, Callable[..., dict[str, Any]]] = {
    "delta": _sized(parallel_machines.delta, base=0.24, plate=0.06, arm=0.22, reach=0.55),
    "five-bar": _sized(parallel_machines.five_bar, base=0.30, arm=0.25, reach=0.35),
    "6-RSS": lambda random: parallel_machines.rss(),
    "6-PUS": lambda random: parallel_machines.pus(),
    "serial arm": lambda random: parallel_machines.serial_arm(tuple(random.uniform(0.2, 0.5, 3).tolist())),
    "mast": _builtin("mast"),
    "epaas": _builtin("epaas"),
    "four-bar": _builtin("four-bar"),
}


def throw_off(bodies: dict[str, Any], random: np.random.Generator) -> dict[str, Any]:
    """Return bodies whose masses and inertias are 5 to 20 % off."""
    changed = {}
    for name, body in bodies.items():
        factor = 1.0 + random.choice([-1.0, 1.0]) * random.uniform(0.05, 0.2)
        own = dict(body)
        if "mass" in own:
            own["mass"] = f"({own['mass']})*{factor:.6f}"
        if "inertia" in own:
            own["inertia"] = [f"({one})*{factor:.6f}" for one in own["inertia"]]
        if "parameters" in own:
            own["parameters"] = [f"({one})*{factor:.6f}" for one in own["parameters"]]
        changed[name] = own
    return changed


def _log(truth: Mechanism, fault: str, random: np.random.Generator) -> DriveLog:
    machine, made = Multibody(truth), generate_motion("rich", truth, DURATION)
    even = np.arange(0.0, DURATION, PERIOD)
    late = PERIOD * random.uniform(0.0, 0.2, len(even)) if fault == "samples come unevenly" else 0.0
    drives = made.drives(even + late)
    force = dynamics.forces(truth, motion_of_drives(truth, *drives))
    size = FORCE_NOISE * np.sqrt(np.mean(force**2, axis=0))
    place = PLACE_NOISE * np.array([drive.size for drive in machine.drives])
    log = DriveLog(
        even + late,
        drives[0] + place * random.standard_normal(force.shape),
        force + size * random.standard_normal(force.shape),
        fault,
    )
    return FAULTS[fault](log, random)


def _rows(log: DriveLog, rows: Any) -> DriveLog:
    assert log.force is not None
    return replace(log, time=log.time[rows], coordinate=log.coordinate[rows], force=log.force[rows])


def _lose(log: DriveLog, random: np.random.Generator) -> DriveLog:
    return _rows(log, np.sort(random.permutation(len(log))[: round(0.99 * len(log))]))


def _spike(log: DriveLog, random: np.random.Generator) -> DriveLog:
    drive = log.coordinate.copy()
    rows = random.choice(np.arange(100, len(log) - 100, 50), 20, replace=False)
    drive[rows, random.integers(drive.shape[1], size=20)] += 0.05 * np.ptp(drive, axis=0).max()
    return replace(log, coordinate=drive)


def _blank(log: DriveLog, random: np.random.Generator) -> DriveLog:
    assert log.force is not None
    force = log.force.copy()
    force[random.choice(len(log), 30, replace=False), random.integers(force.shape[1])] = np.nan
    return replace(log, force=force)


def _rest(log: DriveLog, random: np.random.Generator) -> DriveLog:
    """At its end the machine stands for 4 s, its brakes or its friction hold: forces drift to nothing."""
    assert log.force is not None
    count = round(4.0 / PERIOD)
    noise = np.std(np.diff(log.coordinate, n=3, axis=0), axis=0) / np.sqrt(20.0)
    drive = log.coordinate[-1] + noise * random.standard_normal((count, log.coordinate.shape[1]))
    fading = np.exp(-np.arange(count)[:, None] * PERIOD / 0.5)
    force = log.force[-1] * fading + 0.01 * np.std(log.force, axis=0) * random.standard_normal(drive.shape)
    time = log.time[-1] + PERIOD * np.arange(1, count + 1)
    return replace(
        log,
        time=np.r_[log.time, time],
        coordinate=np.vstack([log.coordinate, drive]),
        force=np.vstack([log.force, force]),
    )


FAULTS: dict[str, Callable[[DriveLog, np.random.Generator], DriveLog]] = {
    "nothing": lambda log, random: log,
    "1 % of the rows lost": _lose,
    "samples come unevenly": lambda log, random: log,
    "stamps jitter": lambda log, random: replace(
        log, time=log.time + PERIOD * random.uniform(0.0, 0.2, len(log))
    ),
    "20 spikes": _spike,
    "forces missing": _blank,
    "a gap": lambda log, random: _rows(log, np.r_[: len(log) // 2, len(log) // 2 + 40 : len(log)]),
    "rest at the end": _rest,
}


def judge(case: Case) -> tuple[str, bool]:
    """Return what came of a case, and whether it is as sure as it says."""
    try:
        found = identify([case.log], case.file, Settings.of(estimator="ls"))
    except PkmError as error:
        return f"refused: {error}", False
    truth: FloatArray = Multibody(case.truth).build_parameter_set().nominal
    off = (found.estimate.values - truth) / np.sqrt(np.diag(found.estimate.covariance))
    rms, most = float(np.sqrt(np.mean(off**2))), float(np.abs(off).max())
    text = f"{rms:.2f}, {most:.1f}; {found.fit.ratio:.2f} times the floor; {found.dropped}"
    return text, rms < RMS and most < MOST and found.trusted


def main(arguments: list[str] | None = None) -> int:
    """Print a table of cases; 1 if one is not as wanted."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.field.road", description=main.__doc__)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    failed = 0
    print(f"{'case':52} wanted: rms error below {RMS}, largest {MOST} deviations, fits; got")
    for case in cases(options.seed):
        got, good = judge(case)
        failed += not good
        print(f"{'ok  ' if good else 'FAIL'} {case.name:47} {got[:150]}", flush=True)
    print(f"{failed} not as wanted")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
