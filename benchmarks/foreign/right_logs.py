# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`python -m benchmarks.foreign.right_logs [--machines uf delta] [--seeds 1 2]`: errors and alarms of right logs.

A machine is drawn anew, and the log is of one whose bodies and common gain of the forces are off the file as far as
it says: masses, centres of mass, moments and products are drawn with their stated widths. With `--sensors`, gravity and
each gain, offset, delay and zero of the sensors are, too; offline runs alone are to fit then, since no recursion
estimates that. Joints and friction are as in the file, bodies of one section alike. Each log is identified offline,
with `--causal` and sample by sample.

Wanted: a squared error per parameter (the mean of ((estimate - truth) / std)^2 over values that may be used) between
WANTED, and at most 1 % of false alarms: a verdict that is not *fits*, or a file that is contradicted. An effect may be
named: sensors are off.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pkm_identification.errors import PkmError
from pkm_identification.estimation.posterior.verdict import FITS, USABLE
from pkm_identification.identification.answer_file import answer_document
from pkm_identification.identification.identify import identify
from pkm_identification.identification.online.pipeline import OnlinePipeline, build_stream_settings
from pkm_identification.identification.settings import FULL, Settings
from pkm_identification.machines.contract import Machine
from pkm_identification.machines.knowledge import KnownBody
from pkm_identification.machines.load import read_machine
from pkm_identification.motion import DriveLog

from ..field.drawn_kinds import KINDS as MACHINES
from ..field.drawn_kinds import draw_machine
from ..field.truth import find_errors
from .run import build_run
from .wrong_numbers import spoil_log

WAYS = ("offline", "causal", "online")
WANTED = 0.6, 1.5
SENSORS = (
    "common_force_gain", "force_gain", "force_offset", "drive_delay", "force_delay", "coordinate_offset", "time_base",
)  # fmt: skip
GRAVITY = ("gravity_size", "gravity_direction")
WRONG = 4.0  # deviations
TRIES = 20  # drawings of a body until it can be


@dataclass(frozen=True)
class Right:
    """A right log.

    Attributes
    ----------
    file, truth : Machine
    log : DriveLog
    """

    file: Machine
    truth: Machine
    log: DriveLog


@dataclass(frozen=True)
class Found:
    """What is found of a right log.

    Attributes
    ----------
    grade, sentence : str
    effects : tuple of str
    errors : mapping of str to float
        In deviations, of values that may be used.
    """

    grade: str
    sentence: str
    effects: tuple[str, ...]
    errors: Mapping[str, float]


def draw_truth(file: Machine, random: np.random.Generator, gravity: bool) -> Machine:
    """Return a machine that is off its file by as much as the file says; numbers that are 0 there stay."""
    truth = file
    sections = {body.section: body for body in file.knowledge.bodies}
    for body in sections.values():
        for alone in [True] * TRIES + [False]:  # else moments by one factor: slender bodies have no others
            try:
                truth = truth.with_changes(_draw_body(body, random, alone))
            except PkmError:
                continue
            break
    for kind in GRAVITY if gravity else ():
        for number in file.knowledge.of_kind(kind):
            change = float(number.width * random.standard_normal())
            truth = truth.with_changes({path: change * factor for path, factor in number.paths.items()})
    return truth


def _draw_body(body: KnownBody, random: np.random.Generator, alone: bool) -> dict[str, float]:
    """Return changes of a body's numbers, of each moment alone or of all by one factor."""
    changes: dict[str, float] = defaultdict(float)
    of_mass, of_moments = random.standard_normal(2)
    for number in body.numbers:
        off = random.standard_normal()
        if number.kind == "mass":
            off = of_mass
        elif not alone:
            off = 0.0 if number.kind == "product" else of_moments if number.kind == "moment" else off
        grown = (number.log_width or 0.0) * off
        if number.kind == "moment":  # its width is that at its mass
            grown += (body.mass.log_width or 0.0) * of_mass
        change = number.value * np.expm1(grown) if number.log_width is not None else number.width * off
        if number.log_width is None and number.kind in ("mass", "moment"):
            continue
        for path, factor in number.paths.items():
            changes[path] += float(change * factor)
    return changes


def draw_right_log(kind: str, seed: int, duration: float, sensors: bool) -> Right:
    """Return a right log of a machine drawn anew; raises RuntimeError or PkmError where the machine cannot move."""
    random = np.random.default_rng([seed, list(MACHINES).index(kind), 23])
    document = draw_machine(random, kind)
    document.pop("known", None)
    if random.random() < 0.5:
        document["known"] = "cad"
    file = read_machine(document)
    truth = draw_truth(file, random, sensors)
    run = build_run(truth, file, duration, seed)
    log = run.measure()
    for number in file.knowledge.numbers:
        if number.kind in (SENSORS if sensors else SENSORS[:1]):
            log = spoil_log(log, number, float(random.standard_normal()), run.friction)
    return Right(file, truth, log)


def find(right: Right, way: str) -> Found:
    """Return what is found of a right log; raises PkmError where it is refused."""
    file, log = right.file, right.log
    if way == "online":
        assert log.force is not None
        step = float(np.median(np.diff(log.time)))
        pipeline = OnlinePipeline(file, build_stream_settings(file, None, step))
        for row in zip(log.time.tolist(), log.coordinate, log.force, strict=True):
            pipeline.step(*row)
        pipeline.estimator.finish()
        if pipeline.estimator.verdict is None:
            raise PkmError("not judged")
        made, estimate = pipeline.estimator.verdict.answer, pipeline.estimator.estimate
    else:
        settings = Settings.of(causal=True) if way == "causal" else Settings.of(estimator=FULL)
        result = identify([log], file, settings)
        assert result.answer is not None
        made, estimate = result.answer, result.estimate
    document = answer_document(made)
    for one in document["values"]:  # what is published
        if one["name"] in estimate.names:
            k = estimate.names.index(one["name"])
            one["value"], one["std"] = float(estimate.values[k]), float(estimate.std[k])
    verdict = made.verdict
    effects = tuple(one.name for one in made.effects)
    return Found(verdict.grade, verdict.sentence, effects, find_errors(document, file, right.truth))


def list_alarms(found: Found) -> list[str]:
    """Return what is said against a right log."""
    said = [] if found.grade == FITS else [found.sentence]
    if found.grade == FITS and "contradict" in found.sentence:
        said.append(found.sentence)
    return said


def main(arguments: list[str]) -> int:
    """Print a line for each log, then what is asked of all; return how many ways are not as wanted."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.foreign.right_logs", description=__doc__)
    parser.add_argument("--machines", nargs="+", choices=tuple(MACHINES), default=["uf", "five-bar", "mast"])
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--duration", type=float, default=20.0, help="of a log, s")
    parser.add_argument("--sensors", action="store_true", help="gravity and sensors are off, too")
    options = parser.parse_args(arguments)
    errors: dict[str, list[float]] = defaultdict(list)
    counts: Counter[str] = Counter()
    for seed in options.seeds:
        for kind in options.machines:
            try:
                right = draw_right_log(kind, seed, options.duration, options.sensors)
            except (RuntimeError, PkmError) as error:
                print(f"{kind} {seed} | not made: {error}", flush=True)
                continue
            for way in options.ways:
                try:
                    found = find(right, way)
                except PkmError as error:
                    found = Found("refused", str(error), (), {})
                alarms = list_alarms(found)
                counts[f"{way} logs"] += 1
                counts[f"{way} alarms"] += bool(alarms)
                if found.grade in (FITS, USABLE):
                    errors[way] += found.errors.values()
                squares = np.square(list(found.errors.values()))
                worst = max(found.errors, key=lambda name: abs(found.errors[name]), default="")
                print(
                    f"{kind} {seed} | {way} | {found.grade} | {len(squares)} values, mean square "
                    f"{np.mean(squares) if len(squares) else 0.0:.2f} | {found.errors.get(worst, 0.0):+.1f} {worst} | "
                    f"{', '.join(found.effects)} | {' '.join(alarms)}",
                    flush=True,
                )
    missed = 0
    for way in options.ways:
        every = np.array(errors[way])
        if len(every):
            mean = float(np.mean(every**2))
            missed += not WANTED[0] <= mean <= WANTED[1]
            print(
                f"{way}: {len(every)} values, squared error {mean:.2f}, largest {np.abs(every).max():.1f}, "
                f"{np.count_nonzero(np.abs(every) > WRONG)} beyond {WRONG:g}; {counts[f'{way} alarms']} alarms in "
                f"{counts[f'{way} logs']} logs"
            )
    return missed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
