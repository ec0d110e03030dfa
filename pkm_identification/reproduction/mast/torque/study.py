# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The paper on the 3PRS table: torques of an axis and what is identified from them."""

from __future__ import annotations

from pkm_identification.reproduction.assembly import Figures, assembled
from pkm_identification.reproduction.outcome import Outcome

from ..data import SOURCE
from ..notes import AXIS_NOTES
from .findings import findings
from .runs import AMPLITUDE, TorqueStudy, run_study

NAME = "mast-torque"
TITLE = "torque of the 3PRS table's axes: friction and inertia from it, and what position hides"


def run() -> Outcome:
    """The study as the source has it."""
    return outcome(run_study())


def outcome(study: TorqueStudy) -> Outcome:
    """Text, document and figures."""
    notes = (
        *AXIS_NOTES,
        f"Axis 1 in z with the {study.carried:.2f} kg it carries and their weight; motor amplitude {AMPLITUDE:g} rad.",
    )
    results = {
        "harmonics": {
            f"{frequency:g}": {
                "magnitude": list(one.magnitudes),
                "torque": [abs(part) for part in one.torque],
                "rms_gap": one.rms_gap,
            }
            for frequency, one in study.comparisons.items()
        },
        "identified": {
            "inertia": [study.identified.inertia, study.identified.inertia_std],
            "friction": [study.identified.friction, study.identified.friction_std],
        },
    }
    return assembled(
        SOURCE,
        NAME,
        TITLE,
        notes,
        findings(study),
        Figures(__package__, {"mast_torque": "torque_figure"}, study),
        results=results,
    )
