# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The paper on the 3PRS table: responses of its axes and of its closed position loop."""

from __future__ import annotations

from pkm_identification.reproduction.assembly import Figures, assembled
from pkm_identification.reproduction.outcome import Outcome

from ..data import SOURCE
from ..notes import AXIS_NOTES
from .findings import findings
from .runs import ResponseStudy, run_study

NAME = "mast-response"
TITLE = "frequency responses of the 3PRS table's axes and of their cascaded control"


def run() -> Outcome:
    """The study as the source has it."""
    return outcome(run_study())


def outcome(study: ResponseStudy) -> Outcome:
    """Text, document and figures."""
    figures = {
        "mast_closed_loop": "closed_loop_figure",
        "mast_axis": "axis_figure",
        "mast_friction": "friction_figure",
    }
    results = {
        "responses": {
            name: {
                "magnitude": one.magnitude.tolist(),
                "phase": one.phase.tolist(),
                "minus_3_db": one.minus_3_db,
                "minus_45_degrees": one.minus_45_degrees,
            }
            for name, one in study.loops.items()
        },
        "changes": {name: list(ends) for name, ends in study.changes.items()},
        "friction": {f"{amplitude:g}": list(ends) for amplitude, ends in study.rubbing.items()},
    }
    return assembled(
        SOURCE,
        NAME,
        TITLE,
        AXIS_NOTES,
        findings(study),
        Figures(__package__, figures, study),
        results=results,
    )
