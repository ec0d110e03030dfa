# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Machielsen 1983, chapters 4, 6 and 8.2: the arm as its actuators feel it."""

from __future__ import annotations

from pkm_identification.reproduction.assembly import Figures, assemble_study
from pkm_identification.reproduction.outcome import Outcome

from .data import SOURCE
from .findings import findings
from .runs import ArmStudy, run_study

NAME = "epaas-arm"
TITLE = (
    "the arm EPAAS as its actuators feel it: inertia, coupling, modes, forces by cause (chapters 6 and 8.2)"
)
NOTES = (
    "The arm is the built-in mechanism epaas: Denavit-Hartenberg frames, levers by the cosine rule and mass "
    "data of the "
    "text, gripper vertical, decoded where the print is damaged (7 read as 1, 5 as ~).",
    "Fitted, as the text does not say: the angles of start-up, the place of the 4 kg. Inferred: the range of alpha.",
    "Oil compliance 1.0e-6 m/N, hydraulic compliance 7.46e-5 m/(N s), friction 501 N s/m of the cylinders, and 69e-6 "
    "rad/(N m), 0, 56 N m s of the vane: printed. The text names hydraulic compliance and its reciprocal "
    "alike; ours is "
    "the one with this unit.",
)


def run() -> Outcome:
    """The study as the source has it."""
    return outcome(run_study())


def outcome(study: ArmStudy) -> Outcome:
    """Text, document and figures."""
    figures = {
        "epaas_effective_mass": "draw_effective_mass_figure",
        "epaas_modes": "modes_figure",
        "epaas_forces": "forces_figure",
    }
    results = {
        "joint_mass": study.joint_mass.tolist(),
        "actuator_mass": study.from_printed.tolist(),
        "modes": {"frequency": study.modes.frequency.tolist(), "damping": study.modes.damping.tolist()},
        "forces": {
            str(speed): {name: part.tolist() for name, part in {**split.torques, **split.forces}.items()}
            for speed, split in study.forces.items()
        },
    }
    return assemble_study(
        SOURCE, NAME, TITLE, NOTES, findings(study), Figures(__package__, figures, study), results=results
    )
