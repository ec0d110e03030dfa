# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""pkm contributions: how much each cause contributes to the strut forces of a motion."""

from __future__ import annotations

import argparse

from pkm_identification.mechanisms.builtin import is_mechanism
from pkm_identification.mechanisms.hexapod.analysis.contributions import contributions
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.report.contribution_tables import (
    contributions_document,
    contributions_table,
    strut_contributions_table,
)

from .named_motion import add_options, motion_document, named_motion
from .results import output_folder, present, write_figures


def add(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "contributions",
        description="Shares of acceleration, Coriolis, centripetal, gravity and friction terms in the strut forces of "
        "a motion: mean and variation (max - min) of the Euclidean norm over the struts in percent of the force's mean "
        "norm (Oh 2003, 2.76-2.88); and strut by strut, which is not the source's: mean |group| and the range of the "
        "signed force. Of a mechanism that is no hexapod: drive by drive, over a generated motion or its own.",
    )
    add_options(parser)
    parser.set_defaults(run=_contributions)


def _contributions(options: argparse.Namespace) -> int:
    if is_mechanism(options.machine):
        from .mechanism_contributions import contributions as mechanism_contributions

        return mechanism_contributions(options)
    machine = Machine.load(options.machine)
    motion = named_motion(options.trajectory, machine)
    shares = contributions(machine, motion, friction=not options.no_friction)
    document = {
        **motion_document(machine.name, options.trajectory, options),
        **contributions_document(shares),
    }
    # files first: nothing is printed when one cannot be written
    if options.out:
        from pkm_identification.report.figures.contributions import contributions_figure

        figure = contributions_figure(
            shares, f"{machine.name}, {options.trajectory}: what the strut forces are"
        )
        write_figures(output_folder(options.out), {f"contributions_{options.trajectory}": figure})
    tables = (
        contributions_table(shares),
        strut_contributions_table(shares),
        strut_contributions_table(shares, spread=True),
    )
    present("\n\n".join(map(str, tables)), document, options.json)
    return 0
