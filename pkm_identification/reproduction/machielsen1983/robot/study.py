# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Machielsen 1983, chapter 7.2: steps of the robot."""

from __future__ import annotations

from pkm_identification.reproduction.assembly import Figures, assembled
from pkm_identification.reproduction.outcome import Outcome

from ..arm.data import SOURCE
from ..servo.runs import in_print_units
from .data import STEPS, VANE_STEP
from .findings import findings
from .runs import RobotStudy, run_study

NAME = "epaas-robot"
TITLE = "the robot EPAAS, arm and five hydraulic servos, nonlinear: steps at start-up (chapter 7.2)"
NOTES = (
    "The arm is the mechanism epaas, moved by the actuator types hydraulic and vane with the numbers of table 7.2.2-1; "
    "arm and actuators move in the same small implicit steps of 20 us.",
    "Assumed: the pose (pistons in the middle), Coulomb friction bent within 1 mm/s (vane 10 mrad/s), "
    "setpoint steps of "
    + ", ".join(f"{name} {sizes[0]:+g} V" for name, sizes in STEPS.items())
    + f", vane {VANE_STEP:+g} V: the source's are lost. Sizes other than these are shown.",
    "Output is the measuring circuit's, late by its delay; overshoot is over the mean of one period after "
    "the first peak.",
)


def run() -> Outcome:
    """The study as the source has it."""
    return outcome(run_study())


def outcome(study: RobotStudy) -> Outcome:
    """Text, document and figures."""
    results = {
        "steps": [
            {"actuator": name, "volts": size, "metrics": [_plain(x) for x in in_print_units(one.metrics)]}
            for (name, size), one in study.steps.items()
        ],
        "vane": study.vane.tolist(),
    }
    return assembled(
        SOURCE,
        NAME,
        TITLE,
        NOTES,
        findings(study),
        Figures(__package__, {"epaas_robot_steps": "steps_figure"}, study),
        results=results,
    )


def _plain(value: float) -> float | None:
    return value if value == value else None
