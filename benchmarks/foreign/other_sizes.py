# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`python -m benchmarks.foreign.other_sizes [--machines delta rss] [--seeds N ...]`: the file of a sister machine.

A machine is drawn anew; the log is of one all of whose lengths are FACTORS times those of its file. Its masses are
either 1 / l^2 of them, so that turning drives need the same forces in gravity l times as large, or as in the file.
Wanted: no value that may be used is off by WRONG deviations at exit code 0. With `--forces` the sizes are right, and
a constant force acts on the platform, so many parts of what all bodies weigh: along gravity, or any way.
"""

from __future__ import annotations

import argparse
import copy
import sys
from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.errors import PkmError
from pkm_identification.identification.answer_file import answer_document
from pkm_identification.identification.identify import identify
from pkm_identification.identification.model_errors.platform.outside_forces import AXES, list_axes
from pkm_identification.identification.settings import FULL, Settings
from pkm_identification.machines.contract import Machine
from pkm_identification.machines.load import read_machine
from pkm_identification.motion import DriveLog
from pkm_identification.numerics.arrays import FloatArray

from ..field.drawn_kinds import KINDS as MACHINES
from ..field.drawn_kinds import draw_machine, draw_truth, scale_mechanism
from ..field.drawn_machines import Document
from ..field.truth import find_errors
from .run import Run, build_run

FACTORS = (0.9, 0.93, 1.07, 1.1)  # of all lengths
FORCES = (-0.2, -0.07, 0.03, 0.07, 0.2)  # of the weight of all bodies, in the direction of gravity
DURATION = 12.0  # s
WRONG = 4.0  # deviations
MATCHING, SAME = "masses match", "masses as in the file"


@dataclass(frozen=True)
class Found:
    """What is said of a log, and the largest error of what may be used, of how many values."""

    grade: str
    sentence: str
    effects: tuple[str, ...]
    z: float
    worst: str
    used: int
    values: int

    def __str__(self) -> str:
        mark = "MISLEADS" if self.misleads else ""
        return (
            f"{self.grade} | {self.used} of {self.values} used, z {self.z:+.1f} {self.worst} | {mark} | "
            f"{', '.join(self.effects[:3])} | {self.sentence[:400]}"
        )

    @property
    def misleads(self) -> bool:
        return self.grade in ("fits", "usable") and abs(self.z) > WRONG


def scale_machine(document: Document, length: float, mass: float) -> Document:
    """Return a machine similar to another in all lengths and masses."""
    if "bodies" in document:
        return scale_mechanism(document, length, mass)
    made = copy.deepcopy(document)
    geometry = made["geometry"]
    for key in ("base_joints", "platform_joints", "length_limits"):
        geometry[key] = (length * np.array(geometry[key], dtype=float)).tolist()
    geometry["home"]["position"] = [length * float(x) for x in geometry["home"]["position"]]
    for body in (made["platform"], made["strut"]["body_b"], made["strut"]["body_e"]):
        body["mass"] *= mass
        for key, factor in (("center_of_mass", length), ("inertia", mass * length**2)):
            body[key] = (factor * np.array(body[key], dtype=float)).tolist()
    return made


def find_weight(run: Run) -> FloatArray:
    """Return the weight (w,) of all bodies along the coordinates of `Run.push`."""
    machine = run.machine
    names, weight = list_axes(machine)[0], sum(one.mass.value for one in machine.knowledge.bodies)
    names = AXES[:3] if run.places[0].shape[1] == len(AXES[:3]) and names[0] in AXES else names
    axes = {name[-1]: k for k, name in enumerate(names) if name[-1] in "xyz" and "torque" not in name}
    found = np.zeros(run.places[0].shape[1])
    for k, axis in enumerate("xyz"):
        if axis in axes:
            found[axes[axis]] = weight * machine.gravity[k]
    return found


def find(log: DriveLog, file: Machine, truth: Machine) -> Found:
    """Return what is said of a log of a machine."""
    result = identify([log], file, Settings.of(estimator=FULL))
    assert result.answer is not None
    made = result.answer
    errors = find_errors(answer_document(made), file, truth)
    worst = max(errors, key=lambda name: abs(errors[name]), default="")
    effects = tuple(f"{one.name} {one.value:.3g}" for one in made.effects)
    return Found(
        made.verdict.grade,
        f"{made.verdict.sentence} {made.verdict.note}",
        effects,
        errors.get(worst, 0.0),
        worst,
        len(errors),
        len(made.values),
    )


def main(arguments: list[str]) -> int:
    """Print a line for each log; return how many mislead."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.foreign.other_sizes", description=__doc__)
    kinds = ("five-bar", "delta", "rss", "mast", "rrr", "serial_arm")
    parser.add_argument("--machines", nargs="+", choices=tuple(MACHINES), default=list(kinds))
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--factors", type=float, nargs="+", default=list(FACTORS))
    parser.add_argument("--forces", type=float, nargs="*", help="of the weight, in place of other sizes")
    parser.add_argument("--duration", type=float, default=DURATION)
    options = parser.parse_args(arguments)
    counts: Counter[str] = Counter()
    for kind in options.machines:
        for seed in options.seeds:
            random = np.random.default_rng([seed, list(MACHINES).index(kind), 29])
            document = draw_machine(random, kind)
            document.pop("known", None)
            if random.random() < 0.5:
                document["known"] = "cad"
            off = (0.0, 0.03) if "known" in document else (0.02, 0.1)
            truth, file = draw_truth(random, document, *off), read_machine(document)
            trials: list[tuple[str, float]] = [
                (masses, factor) for factor in options.factors for masses in (MATCHING, SAME)
            ]
            if options.forces is not None:
                trials = [
                    (way, force) for force in options.forces or FORCES for way in ("along gravity", "any way")
                ]
            for what, size in trials:
                where = f"{kind} {seed} ({document.get('known', '-')}) | {what} | {size:g}"
                try:
                    if options.forces is None:
                        own = read_machine(scale_machine(truth, size, size**-2 if what == MATCHING else 1.0))
                        run = build_run(own, own, options.duration, seed)
                    else:
                        own = read_machine(truth)
                        run = build_run(own, file, options.duration, seed)
                        force = size * find_weight(run)
                        if what == "any way":
                            way = random.standard_normal(force.shape)
                            force = np.linalg.norm(force) * way / np.linalg.norm(way)
                        run = replace(
                            run, added=run.push(np.broadcast_to(force, (len(run.time), len(force))))
                        )
                    found = find(run.measure(), file, own)
                except (RuntimeError, PkmError) as error:
                    counts["refused or not made"] += 1
                    print(f"{where} | refused or not made: {str(error)[:150]}", flush=True)
                    continue
                counts[found.grade] += 1
                counts["MISLEADS"] += int(found.misleads)
                print(f"{where} | {found}", flush=True)
    print(dict(counts))
    return counts["MISLEADS"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
