# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""pkm sensitivity: what a wrong centre of mass of the platform does to the strut forces of a motion."""

from __future__ import annotations

import argparse

from pkm_identification.mechanisms.hexapod.analysis.center_of_mass_sensitivity import (
    center_of_mass_sensitivity,
)
from pkm_identification.report.contribution_tables import sensitivity_document, sensitivity_table

from .arguments import require_hexapod
from .named_motion import add_options, motion_document, named_motion
from .results import output_folder, present, write_figures


def add(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "sensitivity",
        description="Relative change of the strut forces for an error of the platform's centre of mass of 1 % of the "
        "motion's travel, along x, y, z and combinations (Oh 2003, 2.89): 5.5 means 5.5 % of force.",
    )
    add_options(parser)
    parser.add_argument("--travel", type=float, metavar="M", help="m (default: the motion's own)")
    parser.set_defaults(run=_sensitivity)


def _sensitivity(options: argparse.Namespace) -> int:
    machine = require_hexapod(options.machine)
    motion = named_motion(options.trajectory, machine)
    sensitivity = center_of_mass_sensitivity(
        machine, motion, options.travel, friction=not options.no_friction
    )
    document = {
        **motion_document(machine.name, options.trajectory, options),
        **sensitivity_document(sensitivity),
    }
    # files first: nothing is printed when one cannot be written
    if options.out:
        from pkm_identification.report.figures.contributions import sensitivity_figure

        figure = sensitivity_figure(
            sensitivity, f"{machine.name}, {options.trajectory}: centre of mass wrong by 1 % of the travel"
        )
        write_figures(output_folder(options.out), {f"sensitivity_{options.trajectory}": figure})
    text = (
        f"{sensitivity_table(sensitivity)}\n\n% of mean |F_a| for an error of the platform's centre of mass of 1 % of "
        f"the travel ({sensitivity.travel:.4g} m); platform axes"
    )
    present(text, document, options.json)
    return 0
