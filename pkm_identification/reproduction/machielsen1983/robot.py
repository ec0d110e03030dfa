# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The robot: the arm with its five hydraulic servos, nonlinear, of order 25 (Machielsen 1983, chapter 7.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from pkm_identification.mechanisms.actuators import Bank, HydraulicReduced
from pkm_identification.report.figures.style import ESTIMATE, NOMINAL, TRUE, apply_style, legend_outside
from pkm_identification.reproduction.study_file import read_file
from pkm_identification.simulation.actuated.subject import Subject

from .servo import ROBOT
from .steps import VoltStep, servo_of, step_volts

DRIVES = {"L3": "length_3", "L4": "length_4", "L1": "length_1", "L2": "length_2"}
# setpoint steps in V, ours: the text's are lost. Of each drive the first is compared; none saturates its current
SIZES = {"L3": (0.4, 0.3), "L4": (0.3, 0.4), "L1": (-0.5, 0.5), "L2": (-0.5, 0.5)}
DURATION = {"L3": 0.12, "L4": 0.12, "L1": 0.06, "L2": 0.06}  # s
VANE_STEP, VANE_TIMES = 0.5, (0.025, 0.050, 0.075, 0.100)  # V, s
REST = 0.1  # s
# Measured first peaks and periods, ms, of drives whose own do not hang on the size; and what counts as the same
MEASURED, SAME = {"L3": (37.0, 44.0), "L4": (32.0, 39.0), "L2": (7.5, 6.0)}, 2.0


@dataclass(frozen=True)
class RobotStudy:
    """The steps that are compared and those of another size by actuator, and values by name."""

    steps: dict[str, VoltStep]
    others: dict[str, VoltStep]
    values: dict[str, Any]


def run_study() -> RobotStudy:
    """Compute everything."""
    loaded = Subject.load(ROBOT)
    count = len(loaded.actuators)
    servos = [servo_of(loaded, k) for k in range(count)]
    zeros = [0.0 if one.loop is None else one.loop.sensor_zero for one in servos]
    robot = loaded.resting_at(np.array(zeros))
    small = robot.with_actuators(tuple(HydraulicReduced.of(one) for one in servos))  # type: ignore[arg-type]
    names = robot.mechanism.drive_names
    steps, others, reduced = {}, {}, {}
    for name, drive in DRIVES.items():
        k, (size, other) = names.index(drive), SIZES[name]
        steps[name] = step_volts(robot, k, size, DURATION[name])
        others[name] = step_volts(robot, k, other, DURATION[name])
        reduced[name] = step_volts(small, k, size, DURATION[name])
    rest = robot.run(lambda _: robot.home, REST).drive
    bank = Bank(robot.actuators)
    values: dict[str, Any] = {
        "order": bank.order + 2 * count,
        "delays": len(bank.delays),
        "drift": float(np.abs(rest - rest[0]).max()),
        "vane": _turn(robot, names.index("phi")),
        "listed": "; ".join(f"{name} {SIZES[name][0]:+g} V {_list(one)}" for name, one in steps.items()),
        "others": "; ".join(f"{name} {SIZES[name][1]:+g} V {_list(one)}" for name, one in others.items()),
        "reduced": "; ".join(f"{name} {_list(one)}" for name, one in reduced.items()),
        "aside": ", ".join(f"{name} {one.aside.max():.2g} %" for name, one in steps.items()),
        "largest_aside": float(max(one.aside.max() for one in steps.values())),
    }
    for name in DRIVES:
        for k, part in enumerate(("peak", "period", "overshoot")):
            values[f"{name}_{part}"] = steps[name].read[k]
            values[f"other_{name}_{part}"] = others[name].read[k]
    for k, part in enumerate(("peaks", "periods", "overshoots")):
        values[part] = [one.read[k] for one in steps.values()]
        values[f"other_{part}"] = [one.read[k] for one in others.values()]
    values["differ"] = [
        abs(steps[name].read[k] - measured[k]) > SAME for name, measured in MEASURED.items() for k in range(2)
    ]
    return RobotStudy(steps, others, values)


def _turn(robot: Subject, drive: int) -> list[float]:
    """Parts in % of where the vane is at the last of VANE_TIMES."""
    loop = servo_of(robot, drive).loop
    assert loop is not None
    wanted = robot.home + VANE_STEP / loop.sensor_gain * np.eye(len(robot.home))[drive]
    run = robot.run(lambda _: wanted, max(VANE_TIMES))
    angle = run.drive[:, drive] - run.drive[0, drive]
    return [float(one) for one in 100.0 * np.interp(VANE_TIMES, run.time, angle) / angle[-1]]


def _list(step: VoltStep) -> str:
    peak, period, overshoot = step.read
    return f"{peak:.1f} ms, {period:.1f} ms, {overshoot:.0f} %"


@apply_style
def steps_figure(study: RobotStudy) -> Figure:
    """One actuator a panel, both sizes, with the source's first and second peak."""
    rows = [one["text"] for one in read_file(__name__)["findings"][1]["numbers"]]
    figure = Figure(figsize=(9, 5.4), layout="constrained")
    panels = figure.subplots(2, 2).ravel()
    for k, (panel, (name, step)) in enumerate(zip(panels, study.steps.items(), strict=True)):
        peak, period, overshoot = rows[3 * k : 3 * k + 3]
        other = study.others[name]
        panel.plot(1e3 * other.time, other.share, color=NOMINAL, linewidth=0.8, label="another size")
        panel.plot(1e3 * step.time, step.share, color=ESTIMATE, linewidth=1.4, label="compared")
        settled = step.share.max() / (1.0 + 0.01 * step.read[2])
        panel.plot([peak], [settled * (1.0 + 0.01 * overshoot)], "x", color=TRUE, label="source, first peak")
        panel.axvline(peak + period, color=TRUE, linewidth=0.8, linestyle=":")
        panel.set_title(f"{name}, {SIZES[name][0]:+g} V")
        panel.set_xlabel("time (ms)")
        panel.set_ylabel("part of the step")
    legend_outside(figure, *panels[0].get_legend_handles_labels(), loc="lower center", ncols=3)
    figure.suptitle("Setpoint steps of the robot (dotted: the source's second peak)", x=0.01, ha="left")
    return figure
