# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`python -m benchmarks.deviations [--machines uf delta] [--seeds 1 2]`: right logs, their errors and false alarms.

A machine is drawn anew, and the log is of one whose bodies and common gain of the forces are off the file as far as
it says: masses, centres of mass, moments and products are drawn with their stated widths. Of every other seed gravity,
each coordinate of the joints and each gain, offset, delay and zero of the sensors are off as well; no recursion
estimates that, so such logs are judged offline alone. Friction is as in the file, bodies of one section alike.

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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import process_time

import numpy as np

from pkm_identification.errors import PkmError
from pkm_identification.estimation.posterior.verdict import FITS
from pkm_identification.identification.answer_file import answer_document
from pkm_identification.identification.identify import identify
from pkm_identification.identification.online.pipeline import OnlinePipeline, build_stream_settings
from pkm_identification.identification.settings import FULL, Settings

from .field.drawn_kinds import KINDS as MACHINES
from .field.truth import find_errors
from .right_logs import DRAWS, THINNED, Right, Sensors, draw_right_logs

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
NOT_JUDGED = "not judged"
WRONG = 4.0  # deviations


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
