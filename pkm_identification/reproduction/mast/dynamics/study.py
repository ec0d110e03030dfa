# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The paper on the 3PRS table: its mechanism, and the mechanism as a disturbance of the axes."""

from __future__ import annotations

from pkm_identification.reproduction.assembly import Figures, assembled
from pkm_identification.reproduction.outcome import Outcome

from ..data import SOURCE
from ..notes import AXIS_NOTES
from .findings import apart, findings
from .runs import DynamicsStudy, run_study

NAME = "mast-dynamics"
TITLE = "the 3PRS table's mechanism as a disturbance of its axes, against the coupled equations"


def run() -> Outcome:
    """The study as the source has it."""
    return outcome(run_study())


def outcome(study: DynamicsStudy) -> Outcome:
    """Text, document and figures."""
    results = {
        "mass": study.mass.tolist(),
        "off_the_coupled": {name: list(apart(run, study.coupled)) for name, run in study.schemes.items()},
    }
    figures = {"mast_coupling": "coupling_figure"}
    return assembled(
        SOURCE,
        NAME,
        TITLE,
        AXIS_NOTES,
        findings(study),
        Figures(__package__, figures, study),
        results=results,
    )
