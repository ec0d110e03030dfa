# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Base parameters as Iriarte et al. (2017) have them, by all routes."""

from __future__ import annotations

from pkm_identification.reproduction.assembly import Figures, assemble_study
from pkm_identification.reproduction.outcome import Outcome

from .findings import findings
from .runs import BaseParameterStudy, run_study

NAME = "iriarte2017-base-parameters"
SOURCE = "Iriarte, Ros, Plaza, Aginaga and Mata (2017)"
TITLE = "base parameters in double precision, in many digits, by rules, and without rounding"
NOTES = (
    "Printed: the joint graph of the suspension, its counts, tables 3 and 4 by joint; tables of "
    "coefficients and all formulas "
    "are lost in our copy, and so are geometry and motion.",
    "Assumed: the suspension's lengths, masses and motion; conditions of vanishing and transfer are "
    "reconstructed from the "
    "Lagrangian and checked against the regressor.",
)


def run() -> Outcome:
    """The study as the source has it."""
    return outcome(run_study())


def outcome(study: BaseParameterStudy) -> Outcome:
    """Text, document and figures."""
    results = {
        "vanishing": {str(body): count for body, count in study.vanishing.items()},
        "transferred": {f"{a}-{b}": count for (a, b), count in study.transferred.items()},
    }
    figures = {"base_parameter_spectra": "draw_spectra_figure"}
    return assemble_study(
        SOURCE, NAME, TITLE, NOTES, findings(study), Figures(__package__, figures, study), results=results
    )
