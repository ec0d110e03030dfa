# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Homogeneous units as Ebrahimi and Kövecses (2009) begin them, and our reconstruction of the rest."""

from __future__ import annotations

from pkm_identification.reproduction.assembly import Figures, assemble_study
from pkm_identification.reproduction.outcome import Outcome

from .findings import findings
from .runs import UnitsStudy, run_study

NAME = "ebrahimi2009-units"
SOURCE = "Ebrahimi and Kövecses (2009)"
TITLE = "a regressor without units"
NOTES = (
    "Our copy ends with the second page, after Eq. 7: the homogeneous matrix, the way back, the measure "
    "of sensitivity and "
    "all results are a reconstruction.",
    "The text's device is missing, too: the regressors are those of the built-in hexapods.",
)


def run() -> Outcome:
    """The study as far as the source goes."""
    return outcome(run_study())


def outcome(study: UnitsStudy) -> Outcome:
    """Text, document and figures."""
    figures = {"homogeneous_units": "draw_values_figure"}
    return assemble_study(SOURCE, NAME, TITLE, NOTES, findings(study), Figures(__package__, figures, study))
