# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""pkm contributions: how much each cause contributes to the forces of the drives in a motion."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pkm_identification.machines.capabilities import BodiesFile, HexapodFile, has, require
from pkm_identification.machines.load import load_machine
from pkm_identification.mechanisms.hexapod.analysis.contributions import contributions
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.multibody.contributions import drive_shares
from pkm_identification.mechanisms.multibody.groups import drive_groups
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.report.contribution_tables import (
    contributions_document,
    contributions_table,
    strut_contributions_table,
)
from pkm_identification.report.drive_contributions import drive_shares_document, drive_shares_table
from pkm_identification.report.listing import Listing

from .named_motion import add_options, motion_document, named_drive_motion, named_motion
from .results import output_folder, present, write_figures

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OWN = "motion"  # what the file's own motion is called


def add(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "contributions",
        description="Shares of acceleration, Coriolis, centripetal, gravity and friction terms in the strut forces of "
        "a motion: mean and variation (max - min) of the Euclidean norm over the struts in percent of the force's mean "
        "norm (Oh 2003, 2.76-2.88); and strut by strut, which is not the source's: mean |group| and the range of the "
        "signed force. Of other machines drive by drive, over a generated motion or the file's own.",
    )
    add_options(parser)
    parser.set_defaults(run=_contributions)


def _contributions(options: argparse.Namespace) -> int:
    machine = load_machine(options.machine)
    if has(machine, HexapodFile):
        hexapod = require(machine, HexapodFile, "contributions").description
        name, (document, tables, draw) = options.trajectory, _of_source(hexapod, options)
    else:
        mechanism = require(machine, BodiesFile, "contributions").mechanism
        name, (document, tables, draw) = options.trajectory or OWN, _of_drives(mechanism, options)
    # files first: nothing is printed when one cannot be written
    if options.out:
        write_figures(output_folder(options.out), {f"contributions_{name}": draw()})
    document = {**motion_document(machine.name, name, options), **document}
    present("\n\n".join(map(str, tables)), document, options.json)
    return 0


Study = tuple[dict[str, Any], tuple[Listing, ...], Callable[[], Any]]


def _of_source(machine: Machine, options: argparse.Namespace) -> Study:
    """Document, tables and figure of the source's groups, over the struts and strut by strut."""
    motion = named_motion(options.trajectory, machine)
    shares = contributions(machine, motion, friction=not options.no_friction)

    def draw() -> Figure:
        from pkm_identification.report.figures.contributions import contributions_figure

        return contributions_figure(
            shares, f"{machine.name}, {options.trajectory}: what the strut forces are"
        )

    tables = (
        contributions_table(shares),
        strut_contributions_table(shares),
        strut_contributions_table(shares, spread=True),
    )
    return contributions_document(shares), tables, draw


def _of_drives(mechanism: Mechanism, options: argparse.Namespace) -> Study:
    """Document, tables and figure drive by drive, over a generated motion or where none is named the file's own."""
    motion = named_drive_motion(options.trajectory, mechanism)
    shares = drive_shares(drive_groups(mechanism, motion, friction=not options.no_friction))

    def draw() -> Figure:
        from pkm_identification.report.figures.mechanism_contributions import drive_shares_figure

        title = f"{mechanism.name}, {options.trajectory or OWN}: what the driven forces are"
        return drive_shares_figure(mechanism, shares, title)

    tables = (drive_shares_table(mechanism, shares), drive_shares_table(mechanism, shares, spread=True))
    return drive_shares_document(mechanism, shares), tables, draw
