# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Machielsen 1983, chapters 6, 7.1 and 8.1: the hydraulic servo on its test set-up."""

from __future__ import annotations

from pkm_identification.reproduction.assembly import Figures, assembled
from pkm_identification.reproduction.outcome import Outcome

from ..arm.data import SOURCE
from .data import SENSITIVITIES, STEP
from .findings import findings
from .runs import ServoStudy, in_print_units, run_study

NAME = "epaas-servo"
TITLE = "a hydraulic servo of the EPAAS on its test set-up: identification, steps, sensitivities (chapters 6 to 8.1)"
NOTES = (
    "The servo is the actuator type hydraulic with the numbers of table 7.1.1-1: P controller with limit, "
    "valve of second "
    "order with a delay, no-load table, oil and hydraulic compliance, viscous friction, sensor with a delay.",
    f"Assumed: steps of {STEP:g} V of the setpoint (the source's are lost), the load hanging on the piston with its "
    "weight, rest at the start, what overshoot is measured from.",
    "Small steps of 20 us, implicit; the run is the exact integrator's to a thousandth of the step.",
)


def run() -> Outcome:
    """The study as the source has it."""
    return outcome(run_study())


def outcome(study: ServoStudy) -> Outcome:
    """Text, document and figures."""
    results = {
        "steps": [list(in_print_units(one.metrics)) for one in study.steps],
        "reduced": list(in_print_units(study.reduced.metrics)),
        "varied": {name: [list(in_print_units(one)) for one in study.varied[name]] for name in SENSITIVITIES},
        "sensitivities": {name: list(study.sensitivity(name)) for name in SENSITIVITIES},
    }
    figures = {"epaas_servo_steps": "steps_figure", "epaas_servo_sensitivities": "sensitivities_figure"}
    return assembled(
        SOURCE, NAME, TITLE, NOTES, findings(study), Figures(__package__, figures, study), results=results
    )
