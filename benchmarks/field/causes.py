# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`python -m benchmarks.field.causes [--seed N]`: is the first line of a diagnosis right, of the family, or honest?

Three kinds of cases, on the built-in hexapods and on machines drawn anew by the seed. Start values: a right log, and a
file whose masses, moments and friction are wrong by up to eight times, each key by itself; wanted is no cause. Known
faults: those of the simulator at sizes drawn between its benchmark's smallest and largest. Unknown faults: what the
dictionary of causes does not have, injected into the log or the file. Wanted of faults is the cause, one of its family,
or "no known cause"; a fault that nobody sees is harmless where all shown values are within LARGEST deviations.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pkm_identification.errors import MachineError, PkmError
from pkm_identification.identification.of_logs import diagnose_identification
from pkm_identification.identification.result import Identification
from pkm_identification.identification.settings import Settings
from pkm_identification.mechanisms.hexapod.kinematics.forward import forward_kinematics
from pkm_identification.mechanisms.hexapod.kinematics.jacobian import jacobian
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import DriveLog
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.simulation.faults import parse_fault
from pkm_identification.simulation.perturbation import perturb_machine
from pkm_identification.simulation.sensors import SensorSettings
from pkm_identification.simulation.simulator import Simulator
from pkm_identification.simulation.trajectories import trajectory

from ..misfit.cases import Row, Scale, rows
from ..misfit.judge import same_family, stem
from ..misfit.machines import nominal
from ..misfit.motions import Motion

BUILT_IN = ("uf", "hexel", "ford")
DRAWN = 3  # machines drawn anew by a seed
DURATION = 15.0  # s
NOISE = 0.01  # of the rms force
SPREAD = 0.15  # of the true parameters about those of the file
WRONG = 8.0  # times: start values of the file, up or down
LARGEST = 4.5  # deviations: one of 2000 values lies beyond 3.5 by chance
SIZE = 0.05  # of the rms force: what unknown faults add to it
LEAD = 0.005  # m: of a screw whose pitch and torque change once in a turn
PLAY = 2e-4  # m
LAG, DRIFT = 3e-3, 10.0  # s

Change = Callable[[DriveLog, Machine, np.random.Generator], DriveLog]


@dataclass(frozen=True)
class Case:
    """A log, the file it is diagnosed with, and which causes may be named: none where a right log has wrong values."""

    kind: str
    machine: str
    what: str
    log: DriveLog
    file: Machine
    truth: Machine
    causes: tuple[str, ...] = ()


def machines(seed: int) -> list[str]:
    """Return names of the built-in machines and of those that are drawn by the seed."""
    return [*BUILT_IN, *(f"drawn_{100 * seed + k}" for k in range(10, 10 + DRAWN))]


def measure_right_log(machine: Machine, truth: Machine, seed: int) -> DriveLog:
    """Return the log of a machine that follows a rich trajectory."""
    assert machine.drive is not None
    motion = trajectory("rich", machine, DURATION, seed)
    moved = Motion.followed(truth, motion, 1.0 / machine.drive.sample_rate)
    return moved.measure(truth, machine, motion, SensorSettings(current_noise=NOISE), seed)


def with_wrong_start_values(machine: Machine, rng: np.random.Generator) -> Machine:
    """Return a file whose masses, moments and friction are wrong by up to WRONG times, each key by itself.

    Of those that a reader takes: a body whose moments are far from its mass is refused, and drawn again.
    """
    while True:
        with contextlib.suppress(MachineError):
            return Machine.from_document(_draw_start_values(machine, rng))


def _draw_start_values(machine: Machine, rng: np.random.Generator) -> dict[str, Any]:
    document = copy.deepcopy(machine.document)

    def factor() -> float:
        return float(WRONG ** rng.uniform(-1.0, 1.0))

    for body in (document["platform"], *document["strut"].values()):
        body["mass"] *= factor()
        wrong = factor()
        body["inertia"] = [wrong * value for value in body["inertia"]]
    for name in ("viscous", "coulomb"):
        wrong = factor()
        document["friction"][name] = [
            wrong * value for value in np.ravel(document["friction"][name]).tolist()
        ]
    return document


def start_value_cases(seed: int) -> Iterator[Case]:
    """Yield right logs with files whose start values are wrong."""
    for number, name in enumerate(machines(seed)):
        rng = np.random.default_rng([seed, number, 1])
        machine = nominal(name)
        truth = perturb_machine(machine, seed=seed, fraction=SPREAD)
        log = measure_right_log(machine, truth, seed)
        for draw in range(4):
            yield Case(
                "start values", name, f"draw {draw}", log, with_wrong_start_values(machine, rng), truth
            )


def known_cases(seed: int, count: int) -> Iterator[Case]:
    """Yield logs with one fault of the simulator, of a size drawn by the seed."""
    rng = np.random.default_rng([seed, 2])
    names = machines(seed)
    for number in range(count):
        name = names[number % len(names)]
        machine = nominal(name)
        row = rows(Scale.of(machine))
        chosen = row[int(rng.integers(len(row)))]
        text = f"{chosen.name}={_drawn_size(chosen, rng)}"
        truth = perturb_machine(machine, seed=seed, fraction=SPREAD)
        motion = trajectory("rich", machine, DURATION, seed)
        sensors = SensorSettings(current_noise=NOISE)
        try:
            simulator = Simulator(
                truth, motion, nominal=machine, sensors=sensors, seed=seed, faults=(parse_fault(text),)
            )
            log = simulator.run().log()
        except PkmError as error:
            print(f"not simulated: {name} {text}: {error}", file=sys.stderr)
            continue
        yield Case("known", name, text, log, machine, truth, (chosen.name,))


def _drawn_size(row: Row, rng: np.random.Generator) -> str:
    if isinstance(row.sizes[0], str):
        return str(rng.choice([str(size) for size in row.sizes]))
    small, large = float(row.sizes[0]), float(row.sizes[-1])
    size = float(np.exp(rng.uniform(np.log(small), np.log(large))))
    if row.both and rng.random() < 0.5:
        return f"{1.0 / (1.0 + size) if row.factor else -size:.6g}"
    return f"{1.0 + size if row.factor else size:.6g}"


def _added(log: DriveLog, part: FloatArray) -> DriveLog:
    """Return the log with a force that has the shape of a part and SIZE of the log's rms."""
    assert log.force is not None
    rms = float(np.sqrt(np.mean(log.force**2)))
    return replace(log, force=log.force + SIZE * rms * part / float(np.sqrt(np.mean(part**2))))


def _wrench(log: DriveLog, machine: Machine, rng: np.random.Generator, spring: bool) -> DriveLog:
    poses = forward_kinematics(machine, log.length)
    wrench = np.tile(rng.standard_normal(6), (len(log.time), 1))
    wrench[:, 3:] *= machine.length_scale
    if spring:
        away = poses.position - poses.position.mean(axis=0)
        wrench = np.column_stack([away @ np.diag(rng.uniform(0.5, 1.0, 3)), np.zeros_like(away)])
    transposed = np.swapaxes(jacobian(machine, poses.position, poses.rotation), 1, 2)
    forces: FloatArray = np.linalg.solve(transposed, wrench[:, :, None])[:, :, 0].astype(float)
    return _added(log, forces)


def _force(log: DriveLog) -> FloatArray:
    assert log.force is not None
    return log.force


def _rate(log: DriveLog) -> FloatArray:
    """Return rates (N, 6), m/s, smoothed over 20 ms."""
    width = max(round(0.02 / float(log.time[1] - log.time[0])), 1)
    rate = np.gradient(log.length, log.time, axis=0)
    return np.stack([np.convolve(one, np.full(width, 1.0 / width), mode="same") for one in rate.T], axis=1)


def _lagging(log: DriveLog) -> DriveLog:
    share = float(log.time[1] - log.time[0]) / LAG
    force = _force(log).copy()
    for row in range(1, len(force)):
        force[row] = force[row - 1] + share * (force[row] - force[row - 1])
    return replace(log, force=force)


UNKNOWN: dict[str, tuple[Change, tuple[str, ...]]] = {
    "constant wrench on the platform": (lambda log, machine, rng: _wrench(log, machine, rng, False), ()),
    "spring on the platform": (lambda log, machine, rng: _wrench(log, machine, rng, True), ()),
    "first-order lag of the forces": (lambda log, machine, rng: _lagging(log), ("force_delay",)),
    "cross-talk of the force channels": (
        lambda log, machine, rng: replace(log, force=_force(log) + 0.05 * np.roll(_force(log), 1, axis=1)),
        (),
    ),
    "forces that are not linear": (
        lambda log, machine, rng: _added(log, _force(log) * np.abs(_force(log))),
        (),
    ),
    "quadratic friction": (lambda log, machine, rng: _added(log, _rate(log) * np.abs(_rate(log))), ()),
    "torque that changes within a turn": (
        lambda log, machine, rng: _added(log, np.sin(2.0 * np.pi * log.length / LEAD)),
        (),
    ),
    "play of the length measurement": (
        lambda log, machine, rng: replace(
            log, coordinate=log.length + 0.5 * PLAY * np.tanh(_rate(log) / 2e-3)
        ),
        (),
    ),
    "gain that drifts": (
        lambda log, machine, rng: replace(
            log, force=_force(log) * (1.0 + SIZE * (1.0 - np.exp(-log.time / DRIFT)))[:, None]
        ),
        ("changed_during_log",),
    ),
    "mirrored numbers of the struts": (
        lambda log, machine, rng: replace(log, coordinate=log.length[:, ::-1], force=_force(log)[:, ::-1]),
        ("exchanged_struts",),
    ),
    "resonance below 10 Hz": (
        lambda log, machine, rng: _added(log, np.sin(2.0 * np.pi * 3.3 * log.time)[:, None] * np.ones(6)),
        (),
    ),
}


def _weaken_gravity(document: dict[str, Any]) -> None:
    document["gravity"] = [0.95 * value for value in document["gravity"]]


def _move_centres_of_struts(document: dict[str, Any]) -> None:
    for body, factor in (("body_b", 1.2), ("body_e", 0.8)):
        document["strut"][body]["center_of_mass"] *= factor


# What the file has wrong that nothing estimates.
UNKNOWN_OF_FILE: dict[str, Callable[[dict[str, Any]], None]] = {
    "gravity 5 % too small": _weaken_gravity,
    "centres of mass of the struts 20 % off": _move_centres_of_struts,
}


def unknown_cases(seed: int) -> Iterator[Case]:
    """Yield logs and files with one fault that the dictionary of causes does not have."""
    for number, name in enumerate(machines(seed)):
        rng = np.random.default_rng([seed, number, 3])
        machine = nominal(name)
        truth = perturb_machine(machine, seed=seed, fraction=SPREAD)
        right = measure_right_log(machine, truth, seed)
        for what, (change, causes) in UNKNOWN.items():
            yield Case("unknown", name, what, change(right, truth, rng), machine, truth, causes)
        for what, spoil in UNKNOWN_OF_FILE.items():
            document = copy.deepcopy(machine.document)
            spoil(document)
            yield Case("unknown", name, what, right, Machine.from_document(document), truth)


def largest_error(result: Identification, truth: Machine) -> float:
    """Return the largest error of a shown value in its stated deviations; 0 where none is shown."""
    estimate = result.estimate
    parameters = result.settings.parameter_set(truth)
    true = dict(zip(parameters.names, parameters.nominal, strict=True))
    errors = [
        abs(value - true[name]) / std
        for name, value, std, status in zip(
            estimate.names, estimate.values, estimate.std, estimate.status, strict=True
        )
        if status == "identifiable" and name in true
    ]
    return max(errors, default=0.0)


def judge(case: Case) -> tuple[str, str]:
    """Return a verdict in a word or two, and what was said."""
    try:
        result = diagnose_identification([case.log], case.file, Settings.of(estimator="ls", hold_out=0.0))
    except PkmError as error:
        return "refused", str(error)[:90]
    fit = result.fit
    assert fit is not None
    assert result.answer is not None
    said = f"{fit.ratio:.3g}: " + (
        result.answer.verdict.sentence[:60] if fit.adequate else ", ".join(one.name for one in fit.causes[:3])
    )
    error = largest_error(result, case.truth)
    if case.kind == "start values":
        good = fit.adequate and error < LARGEST
        return ("right" if good else "wrong cause" if fit.causes else "wrong"), f"{said}, z {error:.2g}"
    if fit.adequate:
        return ("silent, harmless" if error < LARGEST else "silent, wrong"), f"{said}, z {error:.2g}"
    if not any(cause.correction for cause in fit.causes):
        return "no known cause", said
    first = fit.causes[0]
    if any(stem(first.name) == stem(name) for name in case.causes):
        return "right", said
    if any(same_family(name, first.name) for name in case.causes):
        return "of the family", said
    return "wrong cause", said


def main() -> int:
    """Print each case, what is wanted and what is said, and counts of the verdicts."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.field.causes", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--known", type=int, default=36, help="how many known faults (default: %(default)s)")
    parser.add_argument("--only", choices=("start", "known", "unknown"))
    options = parser.parse_args()
    parts: dict[str, Iterator[Case]] = {
        "start": start_value_cases(options.seed),
        "known": known_cases(options.seed, options.known),
        "unknown": unknown_cases(options.seed),
    }
    counts: Counter[tuple[str, str]] = Counter()
    for part, cases in parts.items():
        if options.only not in (None, part):
            continue
        for case in cases:
            verdict, said = judge(case)
            counts[case.kind, verdict] += 1
            wanted = ", ".join(case.causes) or ("no cause" if part == "start" else "no known cause")
            print(f"{case.machine} | {case.what} | {wanted} | {verdict} | {said}", flush=True)
    for (kind, verdict), count in sorted(counts.items()):
        print(f"{kind}: {verdict}: {count}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
