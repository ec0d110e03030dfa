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

from pkm_identification.machines.capabilities import BodiesFile, HexapodFile, has, require
from pkm_identification.machines.load import load_machine
from pkm_identification.mechanisms.contributions import drive_shares
from pkm_identification.mechanisms.hexapod.analysis.contributions import contributions
from pkm_identification.mechanisms.multibody.groups import drive_groups
from pkm_identification.report.contribution_tables import (
    build_contributions_document,
    build_contributions_table,
    drive_shares_document,
    drive_shares_table,
)
from pkm_identification.report.listing import Listing

from .named_motion import add_options, build_motion_document, compute_named_drive_motion, named_motion
from .results import output_folder, present, write_figures

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
    parser.set_defaults(run=_run_contributions)


def _run_contributions(options: argparse.Namespace) -> int:
    machine = load_machine(options.machine)
    name, friction = options.trajectory or OWN, not options.no_friction
    tables: tuple[Listing, ...]
    if has(machine, HexapodFile):  # the source's groups, over the struts and strut by strut
        found = contributions(
            machine.description, named_motion(options.trajectory, machine.description), friction
        )
        document, struts = build_contributions_document(found), [drive.suffix for drive in machine.drives]
        tables = (
            build_contributions_table(found),
            drive_shares_table(found.struts, struts, "F_a"),
            drive_shares_table(found.struts, struts, "F_a", spread=True),
        )
    else:
        mechanism = require(machine, BodiesFile, "contributions").mechanism
        motion = compute_named_drive_motion(options.trajectory, mechanism)
        shares = drive_shares(drive_groups(mechanism, motion, friction=friction))
        drives, units = zip(*((drive.force_name, drive.force_unit) for drive in machine.drives), strict=True)
        document = drive_shares_document(machine.drives, shares)
        tables = (
            drive_shares_table(shares, drives, "F", units=units),
            drive_shares_table(shares, drives, "F", spread=True),
        )
    # files first: nothing is printed when one cannot be written
    if options.out:
        from pkm_identification.report.figures.contributions import (
            draw_contributions_figure,
            drive_shares_figure,
        )

        title = f"{machine.name}, {name}: what the"
        figure = (
            draw_contributions_figure(found, f"{title} strut forces are")
            if has(machine, HexapodFile)
            else drive_shares_figure(drives, shares, f"{title} driven forces are")
        )
        write_figures(output_folder(options.out), {f"contributions_{name}": figure})
    document = {**build_motion_document(machine.name, name, options), **document}
    present("\n\n".join(map(str, tables)), document, options.json)
    return 0
