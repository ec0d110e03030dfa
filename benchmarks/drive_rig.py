# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A simulated test rig: drives whose numbers are drawn, logged with noise, and identified from a file that has others.

`python -m benchmarks.drive_rig --runs 10` prints (estimate - truth) / deviation of every number of each kind of drive:
each must be below 3, their rms near 1, and the forecast near the deviation.
"""

from __future__ import annotations

import argparse
import copy
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pkm_identification.identification.drives.fit import DriveFit, identify_drives
from pkm_identification.identification.drives.numbers import FORCE_GAIN, list_numbers
from pkm_identification.identification.drives.response_model import ResponseModel
from pkm_identification.machines.capabilities import ActuatedDrives, require
from pkm_identification.machines.load import read_machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.records.commanded_log import CommandedLog

SPREAD = 0.15  # relative standard deviation of drawn numbers about the file's
REST = 0.02  # s before the motion
# Machielsen (1983), table 7.1.1-1, at 5.1 kg hanging; the sign of gain and sensor turned
SERVO: dict[str, Any] = {
    "type": "hydraulic", "gain": 0.231, "current_limit": 0.29, "sensor": {"gain": 186.0, "delay": 0.658e-3},
    "valve": {"natural_frequency": 1443.0, "damping": 0.38, "delay": 1.629e-3},
    "no_load": [
        [-0.3, -0.72], [-0.194, -0.71], [-0.0017, -0.009], [0.0085, 0.0], [0.0111, 0.0], [0.0179, 0.009],
        [0.23, 0.61], [0.3, 0.62],
    ],
    "oil_compliance": 1.0e-6, "hydraulic_compliance": 7.46e-5, "viscous": 501.0, "coulomb": 20.0,
}  # fmt: skip
# The table on three belts of Iriarte et al. (2017): motor, belt and cascade of one slider
BELT: dict[str, Any] = {
    "type": "two_inertia", "torque_constant": 0.03021, "lead": 0.07, "current_limit": 20.0, "gear_ratio": 15.0,
    "motor_inertia": 2.028e-5, "load_inertia": 2.43e-6, "stiffness": 67.702, "damping": 3.0e-3, "encoder": "motor",
    "motor_friction": {"viscous": 2.0e-5, "coulomb": 5.0e-3, "transition_rate": 1.0},
}  # fmt: skip
BELT_CONTROL: dict[str, Any] = {
    "position": {"gain": 20.0, "period": 0.005, "cycles_late": 1},
    "velocity": {
        "gain": 0.069, "integral": 2.93, "period": 0.001, "rate_feed_forward": 4.8e-3,
        "acceleration_feed_forward": 4.7e-4,
    },
}  # fmt: skip
# A ball screw of 5 mm with a servo motor of .4 N m rated torque
SCREW: dict[str, Any] = {
    "type": "screw", "torque_constant": 0.12, "lead": 0.005, "current_limit": 12.0, "inertia": 4.0e-5,
    "viscous": 800.0, "coulomb": 60.0, "transition_rate": 1e-3,
}  # fmt: skip
SCREW_CONTROL: dict[str, Any] = {
    "position": {"gain": 40.0, "period": 0.001},
    "velocity": {"gain": 0.08, "integral": 2.0, "period": 0.0005},
}


@dataclass(frozen=True)
class Kind:
    """One kind of rig: actuator and control of its file, load in kg, step in m, and noise of encoder and force."""

    actuator: dict[str, Any]
    control: dict[str, Any] | None
    load: float
    size: float
    period: float
    duration: float
    noise: tuple[float, float]  # m, N
    gain: bool = False  # whether forces are off by a factor


KINDS = {
    "servo": Kind(SERVO, None, 5.1, 1.6e-3, 5e-4, 0.15, (2e-6, 1.0)),
    "servo_reduced": Kind(
        {**SERVO, "type": "hydraulic_reduced", "valve": {"delay": 2.156e-3}},
        None,
        5.1,
        1.6e-3,
        5e-4,
        0.15,
        (2e-6, 1.0),
    ),
    "belt": Kind(BELT, BELT_CONTROL, 4.0, 2e-2, 1e-3, 0.6, (5e-6, 1.0)),
    "belt_in_percent": Kind(BELT, BELT_CONTROL, 4.0, 2e-2, 1e-3, 0.6, (5e-6, 1.0), True),
    "screw": Kind(SCREW, SCREW_CONTROL, 25.0, 4e-3, 1e-3, 0.5, (1e-6, 2.0)),
    "screw_in_percent": Kind(SCREW, SCREW_CONTROL, 25.0, 4e-3, 1e-3, 0.5, (1e-6, 2.0), True),
}


def step(time: FloatArray, size: float) -> FloatArray:
    """Return a jump there and back."""
    middle = 0.5 * (time[-1] + REST)
    return np.where(time < REST, 0.0, np.where(time < middle, size, -0.5 * size))


def sweep(time: FloatArray, size: float) -> FloatArray:
    """Return a sine from 2 Hz to 60 Hz after the rest: a frequency log."""
    low, high, span = 2.0, 60.0, time[-1] - REST
    since = np.clip(time - REST, 0.0, None)
    rate = math.log(high / low) / span
    return 0.5 * size * np.sin(2 * np.pi * low * (np.exp(rate * since) - 1.0) / rate)


MOTIONS: dict[str, Callable[[FloatArray, float], FloatArray]] = {"step": step, "sweep": sweep}


def build_rig(kind: Kind) -> ActuatedDrives:
    """Return the machine: a weight on a vertical slide with one drive."""
    document: dict[str, Any] = {
        "schema": 1, "kind": "mechanism", "name": "test_rig", "bodies": {"weight": {"mass": kind.load}},
        "joints": {"slide": {"type": "prismatic", "bodies": ["ground", "weight"], "axis": [0, 0, 1]}},
        "drives": {"piston": {"joint": "slide", "limits": [-0.2, 0.2]}}, "actuator": copy.deepcopy(kind.actuator),
    }  # fmt: skip
    if kind.control is not None:
        document["control"] = copy.deepcopy(kind.control)
    return require(read_machine(_as_text(document)), ActuatedDrives, "test rig")


def _as_text(value: Any) -> Any:
    """Return a document with its numbers as text, as files of mechanisms are read."""
    if isinstance(value, dict):
        return {key: _as_text(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_as_text(entry) for entry in value]
    return value if isinstance(value, (str, bool)) else repr(value)


def draw_rig(kind: Kind, random: np.random.Generator) -> tuple[ActuatedDrives, dict[str, float]]:
    """Return a rig whose drive has other numbers than the file, and these by their keys."""
    plain = build_rig(kind)
    truth, actuator = {FORCE_GAIN: 1.0}, copy.deepcopy(kind.actuator)
    if kind.gain:
        truth[FORCE_GAIN] = float(np.exp(SPREAD * random.normal()))
    for one in list_numbers(plain.actuators, ["piston"], [True]):
        *above, last = one.quantity.name.split(".")
        entry = actuator
        for name in above:
            entry = entry[name]
        entry[last] = truth[one.quantity.name] = one.quantity.value * float(np.exp(SPREAD * random.normal()))
    return build_rig(Kind(actuator, *list(vars(kind).values())[1:])), truth


def make_log(
    rig: ActuatedDrives, kind: Kind, motion: str, random: np.random.Generator, gain: float = 1.0
) -> CommandedLog:
    """Return what a rig reports of a motion, with noise, forces times a gain that the file knows nothing of."""
    time = np.float64(kind.period) * np.arange(
        round((kind.duration + REST) / kind.period) + 1, dtype=np.float64
    )
    command = MOTIONS[motion](time, kind.size)[:, None]
    still = CommandedLog(time, command, np.zeros_like(command), np.zeros_like(command))
    shown, reported = ResponseModel(still, rig).simulate(rig.actuators)
    encoder, force = kind.noise
    return CommandedLog(
        time, command, shown + encoder * random.normal(size=shown.shape),
        gain * reported + force * random.normal(size=reported.shape), f"simulated {motion}",
    )  # fmt: skip


def identify_drawn(name: str, motion: str, seed: int) -> tuple[DriveFit, dict[str, float]]:
    """Return the fit of a drawn rig, from the file of its kind, and the truth by keys."""
    random = np.random.default_rng([seed, sorted(KINDS).index(name), sorted(MOTIONS).index(motion)])
    kind = KINDS[name]
    rig, truth = draw_rig(kind, random)
    return identify_drives(
        make_log(rig, kind, motion, random, truth[FORCE_GAIN]), build_rig(kind), (), kind.gain
    ), truth


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.drive_rig", description=__doc__)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kind", choices=sorted(KINDS))
    parser.add_argument("--motion", choices=sorted(MOTIONS))
    options = parser.parse_args(arguments)
    worst = 0.0
    print(
        "kind             motion  number                    rms z  largest  deviation/value  forecast/deviation"
    )
    for name in [options.kind] if options.kind else KINDS:
        for motion in [options.motion] if options.motion else MOTIONS:
            scores: dict[str, list[tuple[float, float, float]]] = {}
            for seed in range(options.seed, options.seed + options.runs):
                fit, truth = identify_drawn(name, motion, seed)
                for one in fit.estimates:
                    key = one.number.quantity.name
                    z = (one.value - truth[key]) / one.deviation
                    scores.setdefault(key, []).append(
                        (z, one.deviation / truth[key], one.forecast / one.deviation)
                    )
            for key, rows in scores.items():
                z, share, forecast = np.array(rows).T
                worst = max(worst, float(np.abs(z).max()))
                print(
                    f"{name:16} {motion:7} {key:24} {np.sqrt(np.mean(z**2)):6.2f} {np.abs(z).max():8.2f} "
                    f"{np.median(share):16.2g} {np.median(forecast):19.2f}"
                )
    print(f"largest |z| {worst:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
