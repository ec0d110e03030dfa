# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`python -m benchmarks.deviations [--machines uf delta] [--seeds 1 2]`: right logs, their errors and false alarms.

A machine is drawn anew, and the log is of one whose bodies and common gain of the forces are off the file as far as
it says: masses, centres of mass, moments and products are drawn with their stated widths. Of every other seed gravity
and each gain, offset, delay and zero of the sensors are off as well; no recursion estimates that, so such logs are
judged offline alone. Joints and friction are as in the file, bodies of one section alike.

DRAWS logs are cut from one motion, each with its own length, rate, encoders and noise of the forces: white or
low-passed at 30 to 200 Hz, rounded, or held for some samples. Each is identified offline, with `--causal` and sample by
sample. Lines are kept in a file, so that a run that was cut off goes on; delete it when the code has changed.

Wanted: a squared error per parameter (the mean of ((estimate - truth) / std)^2 over values that may be used) between
WANTED, and at most 1 % of false alarms: a verdict that is not *fits*, or a file that is contradicted. An effect may be
named: sensors are off.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from scipy.signal import lfilter

from pkm_identification.errors import PkmError
from pkm_identification.estimation.posterior.verdict import FITS
from pkm_identification.identification.answer_file import answer_document
from pkm_identification.identification.identify import identify
from pkm_identification.identification.online.pipeline import OnlinePipeline, build_stream_settings
from pkm_identification.identification.settings import FULL, Settings
from pkm_identification.machines.contract import Machine
from pkm_identification.machines.knowledge import KnownBody
from pkm_identification.machines.load import read_machine
from pkm_identification.motion import DriveLog
from pkm_identification.numerics.arrays import FloatArray

from .field.drawn_kinds import KINDS as MACHINES
from .field.drawn_kinds import draw_machine
from .field.drawn_machines import Document
from .field.truth import find_errors
from .foreign.run import COUNTS, Run, build_run
from .foreign.wrong_numbers import spoil_log

DEFAULT = (
    "uf",
    "hexel",
    "hexapod",
    "mast",
    "delta",
    "five-bar",
    "four-bar",
    "pus",
    "rss",
    "epaas",
    "serial_arm",
)
WAYS = ("offline", "causal", "online")
WANTED = 0.6, 1.5
SENSORS = (
    "common_force_gain", "force_gain", "force_offset", "drive_delay", "force_delay", "coordinate_offset",
    "coordinate_scale", "time_base",
)  # fmt: skip
GRAVITY = ("gravity_size", "gravity_direction")
NOT_JUDGED = "not judged"
WRONG = 4.0  # deviations
TRIES = 20  # drawings of a body until it can be
DRAWS = 4  # logs of one motion
LONGEST, SHORTEST = 20.0, 8.0  # s
THINNED = (1, 1, 2, 4, 10)  # samples of the motion for one of the log: of 1 kHz, 100 Hz to 1 kHz
NOISE = 0.002, 0.05  # of the rms force
COLOUR = 30.0, 200.0  # Hz, low-pass of the noise
STEP = 0.0005, 0.02  # of the rms force: what forces are rounded to
HOLD = 0.002, 0.005  # s: how long a force is held
FINER, COARSER = 0.25, 16.0  # encoders that the file does not state, over those of `foreign.run`


@dataclass(frozen=True)
class Sensors:
    """How a log is measured.

    Attributes
    ----------
    begin, duration : float
        Of the motion, s.
    thinned : int
        Samples of the motion for one of the log.
    noise : float
        Of the rms force.
    colour : float
        Hz; 0: white.
    step : float
        Of the rms force; 0: not rounded.
    hold : float
        s; 0: not held.
    count : float
        Encoders that the file does not state, over those of `foreign.run`.
    """

    begin: float
    duration: float
    thinned: int
    noise: float
    colour: float
    step: float
    hold: float
    count: float

    @classmethod
    def draw(cls, random: np.random.Generator) -> Sensors:
        """Return how one log is measured."""

        def between(low: float, high: float) -> float:
            return float(np.exp(random.uniform(np.log(low), np.log(high))))

        kind = int(random.integers(5))  # two of five have white noise alone
        duration = between(SHORTEST, LONGEST)
        return cls(
            float(random.uniform(0.0, LONGEST - duration)), duration, int(random.choice(THINNED)), between(*NOISE),
            between(*COLOUR) if kind == 1 else 0.0, between(*STEP) if kind == 2 else 0.0,
            between(*HOLD) if kind == 3 else 0.0, between(FINER, COARSER),
        )  # fmt: skip

    @property
    def kind(self) -> str:
        """What its forces have besides white noise."""
        return "coloured" if self.colour else "rounded" if self.step else "held" if self.hold else "white"

    def measure(self, run: Run, force: FloatArray, random: np.random.Generator) -> DriveLog:
        """Return the log of a run whose force channels show such forces (N, n) without noise."""
        noise = random.standard_normal(force.shape)
        if self.colour:
            pole = float(np.exp(-2.0 * np.pi * self.colour * run.period))
            noise = lfilter([np.sqrt(1.0 - pole**2)], [1.0, -pole], noise, axis=0)
        force = force + self.noise * run.size * noise
        if self.hold:
            held = max(round(self.hold / run.period), 2)
            force = force[np.arange(len(force)) // held * held]
        if self.step:
            force = np.round(force / (self.step * run.size)) * (self.step * run.size)
        count = np.array([one.resolution or self.count * COUNTS * one.size for one in run.machine.drives])
        coordinate = np.round(run.motion.coordinate / count) * count
        first = round(self.begin / run.period)
        rows = np.arange(first, min(first + round(self.duration / run.period), len(force)), self.thinned)
        return DriveLog(run.time[rows] - run.time[first], coordinate[rows], force[rows])


@dataclass(frozen=True)
class Right:
    """A right log.

    Attributes
    ----------
    file, truth : Machine
    log : DriveLog
    sensors : Sensors
    """

    file: Machine
    truth: Machine
    log: DriveLog
    sensors: Sensors


@dataclass(frozen=True)
class Found:
    """What is found of a right log.

    Attributes
    ----------
    grade, sentence : str
    effects : sequence of str
    errors : mapping of str to float
        In deviations, of values that may be used.
    numbers : mapping of str to float
        n, h, q and the worst conflict.
    """

    grade: str
    sentence: str
    effects: Sequence[str] = ()
    errors: Mapping[str, float] | None = None
    numbers: Mapping[str, float] | None = None

    @property
    def alarm(self) -> str:
        """What is said against the log; empty: nothing."""
        right = self.grade == FITS and "contradict" not in self.sentence
        return "" if right or self.grade == NOT_JUDGED else f"{self.grade}: {self.sentence}"


def draw_truth(file: Machine, random: np.random.Generator, gravity: bool) -> Machine:
    """Return a machine that is off its file by as much as the file says; numbers that are 0 there stay."""
    truth = file
    sections = {body.section: body for body in file.knowledge.bodies}
    for body in sections.values():
        for alone in [True] * TRIES + [False]:  # else moments by one factor: slender bodies have no others
            try:
                changes = _draw_body(body, random, alone)
                truth = truth.with_changes(_carry_inertia(file, body, changes))
            except PkmError:
                continue
            break
    return displace_numbers(truth, file, random, GRAVITY if gravity else ())


def displace_numbers(
    truth: Machine, file: Machine, random: np.random.Generator, kinds: Iterable[str]
) -> Machine:
    """Return a machine whose numbers of these kinds are off by as much as a file says of them."""
    changes: dict[str, float] = defaultdict(float)
    for number in (one for kind in kinds for one in file.knowledge.of_kind(kind)):
        off = float(number.width * random.standard_normal())
        for path, factor in number.paths.items():
            changes[path] += off * factor
    return truth.with_changes(changes) if changes else truth


def spoil_sensors(
    log: DriveLog,
    file: Machine,
    random: np.random.Generator,
    kinds: Sequence[str] = SENSORS,
    friction: FloatArray | None = None,
) -> DriveLog:
    """Return a log whose sensors are off by as much as a file says of these kinds of numbers."""
    friction = np.zeros_like(log.coordinate) if friction is None else friction
    for number in file.knowledge.numbers:
        if number.kind in kinds:
            log = spoil_log(log, number, float(random.standard_normal()), file, friction)
    return log


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


def _carry_inertia(file: Machine, body: KnownBody, changes: dict[str, float]) -> dict[str, float]:
    """Return changes of a body that move its inertia with its mass, where a file has that about the frame's origin."""
    own: Any = file.document
    for part in body.section.split("."):
        own = own[int(part)] if isinstance(own, list) else own[part]
    if own.get("inertia_about") != "origin":
        return changes
    names = [one.key for one in (body.mass, *body.center_of_mass)]
    before = np.array([one.value for one in (body.mass, *body.center_of_mass)])
    after = before + [changes.get(name, 0.0) for name in names]
    moved = [one[0] * (one[1:] @ one[1:] * np.eye(3) - np.outer(one[1:], one[1:])) for one in (before, after)]
    grown = (moved[1] - moved[0])[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    carried = dict(changes)
    for k, one in enumerate(grown):
        key = f"{body.section}.inertia.{k}"
        carried[key] = carried.get(key, 0.0) + float(one)
    return carried


def draw_right_logs(kind: str, seed: int, sensors_off: bool) -> list[Right]:
    """Return right logs of a machine drawn anew; raises RuntimeError or PkmError where the machine cannot move."""
    random = np.random.default_rng([seed, list(MACHINES).index(kind), 23])
    document = draw_machine(random, kind)
    document.pop("known", None)
    if random.random() < 0.5:
        document["known"] = "cad"
    file = read_machine(document)
    truth = draw_truth(file, random, sensors_off)
    run = build_run(truth, file, LONGEST, seed)
    exact = DriveLog(run.time, run.motion.coordinate, run.force)
    exact = spoil_sensors(exact, file, random, SENSORS if sensors_off else SENSORS[:1], run.friction)
    assert exact.force is not None
    spoilt = replace(run, time=exact.time, motion=replace(run.motion, coordinate=exact.coordinate))
    logs = []
    for _ in range(DRAWS):
        sensors = Sensors.draw(random)
        log = sensors.measure(spoilt, exact.force, random)
        logs.append(Right(read_machine(_state_rate(document, sensors.thinned)), truth, log, sensors))
    return logs


def _state_rate(document: Document, thinned: int) -> Document:
    """Return a file that states the rate of a log that has one of so many samples."""
    drive = document.get("drive", {})
    if "sample_rate" not in drive:
        return document
    return document | {"drive": drive | {"sample_rate": drive["sample_rate"] / thinned}}


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
            return Found(NOT_JUDGED, "the stream is too short")
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
    numbers = {
        "n": verdict.floor_ratio,
        "h": verdict.held_out_ratio,
        "q": verdict.halves,
        "conflict": verdict.conflict,
    }
    effects = [one.name for one in made.effects]
    errors = find_errors(document, file, right.truth)
    return Found(verdict.grade, verdict.sentence, effects, errors, numbers)


@dataclass(frozen=True)
class Line:
    """A log that was judged: machine, seed, number of the draw, way, sensors and what was found."""

    machine: str
    seed: int
    draw: int
    way: str
    sensors: Sensors
    sensors_off: bool
    found: Found
    seconds: float

    @classmethod
    def read(cls, text: str) -> Line:
        """Return a line of the file of results."""
        made = json.loads(text)
        return cls(**made | {"sensors": Sensors(**made["sensors"]), "found": Found(**made["found"])})

    def __str__(self) -> str:
        errors = self.found.errors or {}
        worst = max(errors, key=lambda name: abs(errors[name]), default="")
        squares = np.square(list(errors.values()) or [0.0])
        one = self.sensors
        measured = f"{one.duration:.0f} s, every {one.thinned}, {100 * one.noise:.2g} % {one.kind}"
        return (
            f"{self.machine} {self.seed}.{self.draw} | {self.way} | {measured} | {self.found.grade} | {len(errors)} "
            f"values, mean square {np.mean(squares):.2f} | {errors.get(worst, 0.0):+.1f} {worst} | "
            f"{', '.join(self.found.effects)} | {self.found.alarm}"
        )


def write_tables(lines: Sequence[Line]) -> str:
    """Return errors by way, and alarms by machine and by what the sensors do."""
    rows = [
        "| way | logs | values | squared error per parameter | largest | beyond 4 | not *fits* |",
        "|---|---|---|---|---|---|---|",
    ]
    for way in WAYS:
        chosen = [one for one in lines if one.way == way and one.found.grade != NOT_JUDGED]
        every = np.array([z for one in chosen for z in (one.found.errors or {}).values()])
        if len(every):
            rows.append(
                f"| {way} | {len(chosen)} | {len(every)} | {np.mean(every**2):.2f} | {np.abs(every).max():.1f} | "
                f"{np.count_nonzero(np.abs(every) > WRONG)} | {_share_alarms(chosen)} |"
            )
    offline = [one for one in lines if one.way == WAYS[0]]
    groups = {
        "machine": sorted({one.machine for one in offline}),
        "kind": ["white", "coloured", "rounded", "held"],
        "rate": [f"every {k}" for k in sorted(set(THINNED))],
        "off": ["sensors off", "sensors right"],
    }
    rows += ["", "| offline, of | logs | squared error per parameter | not *fits* |", "|---|---|---|---|"]
    for name in [one for names in groups.values() for one in names]:
        chosen = [one for one in offline if name in _groups_of(one)]
        every = np.array([z for one in chosen for z in (one.found.errors or {}).values()])
        if chosen:
            mean = np.mean(every**2) if len(every) else float("nan")
            rows.append(f"| {name} | {len(chosen)} | {mean:.2f} | {_share_alarms(chosen)} |")
    return "\n".join(rows)


def _groups_of(line: Line) -> tuple[str, ...]:
    off = "sensors off" if line.sensors_off else "sensors right"
    return line.machine, line.sensors.kind, f"every {line.sensors.thinned}", off


def _share_alarms(lines: Iterable[Line]) -> str:
    said = [bool(one.found.alarm) for one in lines]
    return f"{sum(said)} ({100 * np.mean(said):.1f} %)"


def main(arguments: list[str]) -> int:
    """Print a line for each log that is not in the file yet, then what is asked of all; return how many ways miss."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.deviations", description=__doc__)
    parser.add_argument("--machines", nargs="+", choices=tuple(MACHINES), default=list(DEFAULT))
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--results", type=Path, help="a file of lines that are kept, and not made again")
    parser.add_argument("--alarms", action="store_true", help="print the alarms of the file, and end")
    options = parser.parse_args(arguments)
    kept: list[Line] = []
    if options.results and options.results.is_file():
        kept = [Line.read(text) for text in options.results.read_text().splitlines() if text.endswith("}")]
    there = {(one.machine, one.seed, one.draw, one.way) for one in kept}
    for seed in [] if options.alarms else options.seeds:
        off = seed % 2 == 0
        ways = [way for way in options.ways if not off or way == WAYS[0]]
        for kind in options.machines:
            wanted = [(d, w) for d in range(DRAWS) for w in ways if (kind, seed, d, w) not in there]
            try:
                logs = draw_right_logs(kind, seed, off) if wanted else []
            except (RuntimeError, PkmError) as error:
                print(f"{kind} {seed} | not made: {error}", flush=True)
                continue
            for draw, way in wanted:
                begin = process_time()
                try:
                    found = find(logs[draw], way)
                except PkmError as error:
                    found = Found("refused", str(error))
                seconds = process_time() - begin
                kept.append(Line(kind, seed, draw, way, logs[draw].sensors, off, found, seconds))
                print(kept[-1], flush=True)
                if options.results:
                    with options.results.open("a") as file:
                        file.write(json.dumps(asdict(kept[-1])) + "\n")
    if options.alarms:
        print("\n".join(str(one) for one in kept if one.found.alarm))
    print(write_tables(kept))
    missed = 0
    for way in options.ways:
        every = np.array([z for one in kept if one.way == way for z in (one.found.errors or {}).values()])
        missed += len(every) > 0 and not WANTED[0] <= np.mean(every**2) <= WANTED[1]
    return missed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
