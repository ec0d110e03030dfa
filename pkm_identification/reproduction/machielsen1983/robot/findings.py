# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The source's steps of the robot beside ours, each verdict computed."""

from __future__ import annotations

import numpy as np

from pkm_identification.reproduction.finding import Finding
from pkm_identification.reproduction.number import Number, beyond, undecided, value

from ..servo.data import DELAYS, ORDER
from ..servo.runs import in_print_units
from ..step_metrics import StepMetrics
from .data import NEAR, PRINTED, STEPS, VANE_SHARES, VANE_STEP
from .runs import RobotStudy

SIZE = "the step's size decides it, and the text's is lost"


def findings(study: RobotStudy) -> tuple[Finding, ...]:
    """Finding by finding."""
    return (_order(study), _steps(study), _sizes(study), _vane(study), _models(study), _coupling(study))


def _order(study: RobotStudy) -> Finding:
    return Finding(
        "The robot's model is of order 25 with nine delays (S).",
        f"Order {study.order}, {study.delays} delays. Started at rest it moves by {study.drift:.1g} m at most in .1 s.",
        "Each actuator holds its part of the weight at the start, its valve as far open as its leakage asks for.",
        (
            value("order of the robot", float(ORDER), float(study.order), "", "S", None, near=0.0),
            value("delays of the robot", float(DELAYS), float(study.delays), "", "S", None, near=0.0),
            beyond("drift at rest", study.drift, "m"),
        ),
    )


def _steps(study: RobotStudy) -> Finding:
    numbers: list[Number] = []
    texts = []
    for name, (peak, period, overshoot) in PRINTED.items():
        ours = in_print_units(study.compared(name).metrics)
        texts.append(f"{name} {STEPS[name][0]:+g} V: {ours[0]:.1f} ms, {ours[1]:.1f} ms, {ours[2]:.0f} %")
        numbers.append(value(f"robot, {name}: first peak", peak, ours[0], "ms", "S", None, near=NEAR[name]))
        if name == "L1":
            numbers.append(
                undecided(f"robot, {name}: period", period, ours[1], "ms", "S", None, because=SIZE)
            )
        else:
            numbers.append(value(f"robot, {name}: period", period, ours[1], "ms", "S", None, near=NEAR[name]))
        numbers.append(
            undecided(f"robot, {name}: overshoot", overshoot, ours[2], "%", "S", None, because=SIZE)
        )
    return Finding(
        "Steps of the robot, simulated: first peak, period, overshoot of L3 26 ms, 32 ms, 51 %; L4 21, 26, "
        "32; L1 11, 23, 65; "
        "L2 10, 14, 71 (S).",
        f"{'; '.join(texts)}.",
        "Step sizes are ours, and so is the pose (pistons in the middle). First peaks are those of steps that do not "
        "saturate the current; L1 and L2 peak later in larger ones. Periods hardly depend on the size "
        "except L1's, "
        "which with 200 N of Coulomb friction sticks after small steps; overshoot does everywhere.",
        tuple(numbers),
    )


def _sizes(study: RobotStudy) -> Finding:
    texts, numbers = [], []
    for (name, size), one in study.steps.items():
        if size != STEPS[name][0]:
            text = f"{_listed(one.metrics)}, swings by {one.swing:.2f} of the step at the end"
            texts.append(f"{name} {size:+g} V: {text}")
            numbers.append(beyond(f"robot, {name} with {size:+g} V", text, ""))
    return Finding(
        "(The source's step sizes are lost.)",
        f"{'; '.join(texts) or 'not run'}.",
        "Tables without load are unlike in the two directions, current and flow saturate with large steps, and "
        "friction takes more of small ones. With the numbers as printed L3 with -2 V and L4 with -2.5 V do not come to "
        "rest: valve and oil swing on, held by saturation alone, though first peak and period look like the print's.",
        tuple(numbers),
    )


def _vane(study: RobotStudy) -> Finding:
    return Finding(
        "A step of the vane is at 37, 62, 88, 100 % after 25, 50, 75, 100 ms, 100 ms being 100 % (S, simulated).",
        f"{', '.join(f'{one:.0f}' for one in study.vane)} % with {VANE_STEP:g} V.",
        "15 N m of Coulomb friction and no leakage; size ours: a larger one meets the current's limit, and the vane is "
        "slower.",
        (
            undecided(
                "robot, vane: part of the step by time",
                " ".join(f"{one:g}" for one in VANE_SHARES),
                " ".join(f"{one:.3g}" for one in study.vane),
                "%",
                "S",
                None,
                because=SIZE,
            ),
        ),
    )


def _models(study: RobotStudy) -> Finding:
    names = list(STEPS)
    frozen = "; ".join(f"{name} {_listed(study.frozen[name])}" for name in names)
    small = "; ".join(f"{name} {_listed(one)}" for name, one in study.small.items()) or "not run"
    narrow = "; ".join(f"{name} {_listed(one)}" for name, one in study.narrow.items()) or "not run"
    return Finding(
        "(The source shows the nonlinear model only; it names a reduced one of order 15.)",
        f"Frozen in its pose: {frozen}. Of order 15: {small}. Coulomb friction bent within a third of the "
        f"rate: {narrow}.",
        "At these sizes the arm hardly moves: with a constant mass the steps are the same to a millisecond, "
        "so that they "
        "check the actuators and the effective masses rather than the arm's nonlinear terms.",
        tuple(
            beyond(
                f"robot, {name}: period frozen less nonlinear",
                1e3 * (study.frozen[name].period - study.compared(name).metrics.period),
                "ms",
            )
            for name in names
        ),
    )


def _coupling(study: RobotStudy) -> Finding:
    steps = {name: study.compared(name) for name in STEPS}
    return Finding(
        "Stiff hydraulics make decoupling of the actuators unnecessary (S).",
        "Largest deflection of another piston while one steps: "
        + ", ".join(f"{name} {one.others:.2g} % of its way ({one.other})" for name, one in steps.items())
        + ".",
        "Setpoints of the others held. The text's statement gives no number, so this is no verdict on it.",
        tuple(
            beyond(f"robot, {name}: another piston's deflection", one.others, "%")
            for name, one in steps.items()
        ),
    )


def _listed(metrics: StepMetrics) -> str:
    peak, period, overshoot = in_print_units(metrics)
    second = "no second peak" if np.isnan(period) else f"{period:.1f} ms, {overshoot:.0f} %"
    return f"{peak:.1f} ms, {second}"
