# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Torque of the axes of `mast_belt` in z: friction and inertia from it, and why position alone validates no model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from pkm_identification.mechanisms.actuators import InnerFriction, TwoInertia
from pkm_identification.mechanisms.actuators.base import Actuator
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.report.figures.style import NOMINAL, TRUE, apply_style, legend_outside
from pkm_identification.signals.power_density import harmonic
from pkm_identification.simulation.actuated.subject import Subject

from .response import AXIS, INERTIA_FACTOR, MACHINE, PRINTED

AMPLITUDE = 8.0  # rad of the motor: the paper's is lost
FILE_FRICTION, IDENTIFIED_FRICTION = (
    0.2 / 15.0,
    0.0718,
)  # N m on the motor's shaft: Eq. 23 at the gear's output; printed
TRANSITION = 0.5  # rad/s of the motor, within which Coulomb friction is bent
SETTLING, PERIODS = 1.0, 2  # s before, and periods over which harmonics are taken
PERIOD = 1e-3  # s between samples
PASSES, FAILS = 5.0, 30.0  # %: our reading of a position that looks right and a torque that does not


@dataclass(frozen=True)
class AxisLog:
    """Time in s, motor angle in rad and its torque in N m, shape (N,) each, steady."""

    time: FloatArray
    angle: FloatArray
    torque: FloatArray


@dataclass(frozen=True)
class TorqueStudy:
    """Logs of file and machine by frequency in Hz, and values by their names in the study's file."""

    logs: dict[float, tuple[AxisLog, AxisLog]]
    values: dict[str, Any]


def run_study() -> TorqueStudy:
    """Compute everything."""
    shipped = Subject.load(MACHINE)
    file = shipped.with_actuators(tuple(_compute_rub(one, FILE_FRICTION, 1.0) for one in shipped.actuators))
    machine = shipped.with_actuators(
        tuple(_compute_rub(one, IDENTIFIED_FRICTION, INERTIA_FACTOR) for one in shipped.actuators)
    )
    logs = {float(f): (_log(file, float(f)), _log(machine, float(f))) for f in PRINTED}
    values: dict[str, Any] = {"file_friction": FILE_FRICTION, "level": IDENTIFIED_FRICTION - FILE_FRICTION}
    magnitudes, gaps, parts = [], [], []
    for f, pair in logs.items():
        angle, torque = (
            [abs(harmonic(one.time, getattr(one, part), f)) for one in pair] for part in ("angle", "torque")
        )
        magnitudes.append([100.0 * one / AMPLITUDE for one in angle])
        gaps.append(torque[0] - torque[1])
        parts.append(100.0 * (np.std(pair[0].torque) / np.std(pair[1].torque) - 1.0))
    slow = 100.0 * (magnitudes[0][0] / magnitudes[0][1] - 1.0)
    values |= {
        "slow_position": slow,
        "slow_low": -parts[0],
        "slow_gap": gaps[0],
        "fast_gap": gaps[-1],
        "fast_part": parts[-1],
        "hidden": [abs(slow) < PASSES, -parts[0] > FAILS],
        "largest": max(abs(a - b) for a, b in magnitudes),
        "listed": "; ".join(
            f"{f:g} Hz {a:.1f} against {b:.1f} %" for f, (a, b) in zip(PRINTED, magnitudes, strict=True)
        ),
    }
    return TorqueStudy(logs, values)


def _compute_rub(actuator: Actuator, coulomb: float, factor: float) -> Actuator:
    assert isinstance(actuator, TwoInertia)
    friction = InnerFriction(0.0, coulomb, TRANSITION)
    return replace(actuator, motor_friction=friction, motor_inertia=actuator.motor_inertia / factor)


def _log(subject: Subject, f: float) -> AxisLog:
    """Steady motion of drive 1 in z at a frequency."""
    motor = subject.actuators[0].motor
    assert motor is not None
    along, home = subject.direction(AXIS), subject.home
    size = AMPLITUDE / motor.ratio / along[0]
    periods = max(PERIODS, int(np.ceil(f)))
    duration = SETTLING + periods / f
    run = subject.run(lambda t: home + size * along * np.sin(2.0 * np.pi * f * t), duration, PERIOD)
    kept = run.time >= duration - periods / f - 1e-9
    angle = motor.ratio * (run.shown[kept, 0] - home[0])
    return AxisLog(run.time[kept], angle, run.reported[kept, 0] / motor.ratio)


@apply_style
def draw_torque_figure(study: TorqueStudy) -> Figure:
    """Return columns are frequencies, rows the motor's angle and its torque over one period."""
    figure = Figure(figsize=(10, 5), layout="constrained")
    panels = figure.subplots(2, len(study.logs), sharex="col")
    for column, (frequency, (file, machine)) in enumerate(study.logs.items()):
        for run, color, label in (
            (file, NOMINAL, "manufacturers' data"),
            (machine, TRUE, "J / 1.56, 0.0718 N m"),
        ):
            shown = run.time - run.time[0] <= 1.0 / frequency
            time = 1e3 * (run.time[shown] - run.time[0])
            panels[0, column].plot(time, run.angle[shown], color=color, label=label)
            panels[1, column].plot(time, run.torque[shown], color=color)
        panels[0, column].set_title(f"{frequency:g} Hz")
        panels[1, column].set_xlabel("time (ms)")
    panels[0, 0].set_ylabel("motor angle (rad)")
    panels[1, 0].set_ylabel("motor torque (N m)")
    legend_outside(figure, *panels[0, 0].get_legend_handles_labels(), loc="lower center", ncols=2)
    figure.suptitle("What position hides and torque shows", x=0.01, ha="left")
    return figure
