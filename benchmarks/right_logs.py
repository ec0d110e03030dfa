# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Right logs: of machines that are off their file, measured by sensors that are off, as far as the file says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.signal import lfilter

from pkm_identification.errors import PkmError
from pkm_identification.machines.contract import Machine
from pkm_identification.machines.knowledge import KnownBody
from pkm_identification.machines.knowledge.records import KnownNumber
from pkm_identification.machines.load import read_machine
from pkm_identification.motion import DriveLog
from pkm_identification.numerics.arrays import FloatArray

from .field.drawn_kinds import KINDS as MACHINES
from .field.drawn_kinds import draw_machine
from .field.drawn_machines import Document
from .foreign.run import COUNTS, Run, build_run
from .foreign.wrong_numbers import spoil_log

SENSORS = (
    "common_force_gain", "force_gain", "force_offset", "drive_delay", "force_delay", "coordinate_offset",
    "coordinate_scale", "time_base",
)  # fmt: skip
GRAVITY = ("gravity_size", "gravity_direction")
PLACES = (*GRAVITY, "joint_places")
OF_EACH = 0.7  # of what alike bodies differ by, in each number: first and second moments then by all of it
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


def draw_truth(file: Machine, random: np.random.Generator, places: bool) -> Machine:
    """Return a machine that is off its file by as much as the file says; numbers that are 0 there stay.

    Gravity and joints are where the file has them unless `places` are drawn, too.
    """
    truth = file
    alike = {name: group for group in file.knowledge.alike for name in group.bodies}
    shared: dict[tuple[str, ...], FloatArray] = {}
    for body in {one.section: one for one in file.knowledge.bodies}.values():
        group = alike.get(body.name)
        for alone in [True] * TRIES + [False]:  # else moments by one factor: slender bodies have no others
            own = random.standard_normal(2 + len(body.numbers))
            common = shared.get(group.bodies) if group else None
            apart = 0.0 if group is None or common is None else group.width
            try:
                changes = _change_body(body, own if common is None else common, own, apart, alone)
                truth = truth.with_changes(_carry_inertia(file, body, changes))
            except PkmError:
                continue
            if group and common is None:
                shared[group.bodies] = own
            break
    return displace_numbers(truth, file, random, PLACES if places else ())


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


def _change_body(
    body: KnownBody, common: FloatArray, own: FloatArray, apart: float, alone: bool
) -> dict[str, float]:
    """Return changes of a body's numbers.

    Parameters
    ----------
    body : KnownBody
    common, own : ndarray, shape (2 + r,)
        In widths: of mass and moments as a whole, then of each number, of bodies made alike and of this one.
    apart : float
        How far this body is from those made alike, relative.
    alone : bool
        Whether each moment changes alone, else all by one factor.
    """
    changes: dict[str, float] = defaultdict(float)
    of_mass = common[0] + _compare_to_width(body, body.mass, apart) * own[0]
    for k, number in enumerate(body.numbers, 2):
        chosen = k
        if number.kind == "moment" and not alone:
            chosen = 1
        off = common[chosen] + _compare_to_width(body, number, apart) * own[chosen]
        if number.kind == "mass":
            off = of_mass
        elif number.kind == "product" and not alone:
            off = 0.0
        grown = (number.log_width or 0.0) * off
        if number.kind == "moment":  # its width is that at its mass
            grown += (body.mass.log_width or 0.0) * of_mass
        change = number.value * np.expm1(grown) if number.log_width is not None else number.width * off
        if number.log_width is None and number.kind in ("mass", "moment"):
            continue
        for path, factor in number.paths.items():
            changes[path] += float(change * factor)
    return changes


def _compare_to_width(body: KnownBody, number: KnownNumber, apart: float) -> float:
    """Return how many of its widths a number of a body made alike is from the common one."""
    if number.log_width is not None:
        return OF_EACH * apart / number.log_width
    size = number.width
    if number.kind == "center_of_mass":
        size = abs(number.value) or body.size
    elif number.kind == "product":
        size = float(np.mean([one.value for one in body.moments]))
    return OF_EACH * apart * size / number.width


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
