# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`python -m benchmarks.foreign.wrong_numbers [--machines uf mast] [--seed N]`: files that are off by so many widths.

A machine is drawn anew and moves; the log is right. Then one number of its file after the other is off by SIZES times
its stated width (of a number that cannot be negative: by as many widths of its logarithm), either way. Of what no file
has a number for (gains, zeros, delays of the sensors) the log is off instead. Wanted: no value that may be used is off
by BEYOND deviations unless the file is contradicted or not to be used, and none by WRONG at exit code 0.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from pkm_identification.errors import PkmError
from pkm_identification.identification.answer_file import answer_document
from pkm_identification.identification.identify import identify
from pkm_identification.identification.settings import FULL, EstimatorSettings, Settings
from pkm_identification.machines.contract import Machine
from pkm_identification.machines.knowledge.records import KnownNumber
from pkm_identification.machines.load import read_machine
from pkm_identification.motion import DriveLog
from pkm_identification.numerics.arrays import FloatArray

from ..field.drawn_kinds import KINDS as MACHINES
from ..field.drawn_kinds import draw_machine
from ..field.truth import find_errors
from .run import build_run

SIZES = (1.0, 3.0, 10.0)  # widths
BEYOND, WRONG = 3.0, 4.0  # deviations
PER_KIND = 3  # numbers of a kind and body that are tried, drawn of all
DURATION = 20.0  # s
MADE_OF_LOG = (
    "force_gain", "common_force_gain", "force_offset", "drive_delay", "force_delay", "coordinate_offset",
    "coordinate_scale", "time_base", "asymmetry",
)  # fmt: skip
FRICTION = ("viscous", "coulomb")
POSITIVE = ("mass", "moment")


def spoil_file(file: Machine, number: KnownNumber, widths: float) -> Machine:
    """Return a machine whose file has a number that is so many widths too large."""
    change = number.width * widths
    if number.log_width is not None:
        change = number.value * float(np.expm1(number.log_width * widths))
    return file.with_changes({path: change * factor for path, factor in number.paths.items()})


def spoil_log(
    log: DriveLog, number: KnownNumber, widths: float, file: Machine, friction: FloatArray
) -> DriveLog:
    """Return a log whose sensors are off by so many widths of what the file says of them."""
    assert log.force is not None
    off = widths * number.width
    drives = list(number.drives) or list(range(log.force.shape[1]))
    force, coordinate, time = log.force.copy(), log.coordinate.copy(), log.time
    if number.kind in ("force_gain", "common_force_gain"):
        force[:, drives] *= 1.0 + off
    elif number.kind == "force_offset":
        force[:, drives] += off
    elif number.kind == "asymmetry":
        force[:, drives] += off * np.abs(friction[:, drives])
    elif number.kind in ("force_delay", "drive_delay"):
        for drive in drives:
            force[:, drive] = np.interp(time - off, time, log.force[:, drive])
    elif number.kind == "coordinate_offset":
        coordinate[:, drives] += off
    elif number.kind == "coordinate_scale":
        zero = np.array([drive.zero for drive in file.drives])
        coordinate[:, drives] += off * (coordinate - zero)[:, drives]
    else:
        time = time * (1.0 + off)
    return replace(log, time=time, coordinate=coordinate, force=force)


def draw_numbers(machine: Machine, random: np.random.Generator) -> Iterator[KnownNumber]:
    """Yield some numbers of each kind of each body and of the drives."""
    kinds: dict[tuple[str, str], list[KnownNumber]] = defaultdict(list)
    for body in machine.knowledge.bodies:
        for number in body.numbers:
            if number.value == 0.0 and number.kind in POSITIVE:  # no number of widths makes it another one
                continue
            if number not in kinds[body.section, number.kind]:
                kinds[body.section, number.kind].append(number)
    for number in machine.knowledge.numbers:
        if number.paths or number.kind in MADE_OF_LOG:
            kinds["", number.kind].append(number)
    for numbers in kinds.values():
        chosen = random.permutation(len(numbers))[:PER_KIND]
        yield from (numbers[k] for k in sorted(chosen))


def judge(log: DriveLog, file: Machine, truth: Machine, estimator: str) -> tuple[str, float, str]:
    """Return the grade of an answer, its largest error in deviations, and the value that has it."""
    result = identify([log], file, Settings(estimator=EstimatorSettings(name=estimator)))
    assert result.answer is not None
    errors = find_errors(answer_document(result.answer), file, truth)
    worst = max(errors, key=lambda name: abs(errors[name]), default="")
    verdict = result.answer.verdict
    grade = verdict.grade if verdict.good or verdict.conflicts else f"{verdict.grade}: exit 1"
    return grade, errors.get(worst, 0.0), worst


def main(arguments: list[str]) -> int:
    """Print a line for each wrong number; return how many mislead."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.foreign.wrong_numbers", description=__doc__)
    parser.add_argument("--machines", nargs="+", choices=tuple(MACHINES), default=["uf", "hexapod", "mast"])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sizes", type=float, nargs="+", default=list(SIZES))
    parser.add_argument("--kinds", nargs="+", help="numbers of these kinds alone")
    parser.add_argument("--estimator", default=FULL, help="that of pkm identify if none is given")
    options = parser.parse_args(arguments)
    counts: Counter[str] = Counter()
    for kind in options.machines:
        random = np.random.default_rng([options.seed, list(MACHINES).index(kind), 11])
        document = draw_machine(random, kind)
        document["known"] = "cad" if random.random() < 0.5 else "guessed"
        truth = read_machine(document)
        run = build_run(truth, truth, DURATION, options.seed)
        log = run.measure()
        for number in draw_numbers(truth, random):
            for size in options.sizes:
                # friction coefficients cannot be negative
                widths = float(size * (1.0 if number.kind in FRICTION else random.choice([-1.0, 1.0])))
                if options.kinds and number.kind not in options.kinds:
                    continue
                counts["numbers"] += 1
                where = f"{kind} ({document['known']}) | {number.kind} | {number.key} | {widths:+g}"
                try:
                    if number.paths:
                        file, spoilt = spoil_file(truth, number, widths), log
                    else:
                        file, spoilt = truth, spoil_log(log, number, widths, truth, run.friction)
                    grade, z, worst = judge(spoilt, file, truth, options.estimator)
                except PkmError as error:
                    counts["refused"] += 1
                    print(f"{where} | refused | {str(error)[:120]}", flush=True)
                    continue
                used = grade in ("fits", "usable")
                mark = "MISLEADS" if used and abs(z) > WRONG else "beyond" if used and abs(z) > BEYOND else ""
                counts[grade] += 1
                counts[mark or "good"] += 1
                print(f"{where} | {grade} | z {z:+.1f} {worst} | {mark}", flush=True)
    print(dict(counts))
    return counts["MISLEADS"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
