# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm contributions: how much each cause contributes to the forces of the drives in a motion."""

from __future__ import annotations

import argparse

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.identification.procedures.force_gains import KnownLoad
from pkm_identification.machines.contract import DEGRADED, Machine, Motion
from pkm_identification.machines.load import load_machine
from pkm_identification.machines.multibody import Multibody
from pkm_identification.mechanisms.contributions import drive_shares, shares
from pkm_identification.mechanisms.multibody.setpoints import add_point_mass, spline_setpoints
from pkm_identification.records.mechanism_csv import read_named_csv
from pkm_identification.report.contribution_tables import (
    build_contributions_table,
    drive_shares_document,
    drive_shares_table,
)

from .named_motion import PERIOD, add_options, build_motion_document, compute_named_motion
from .results import output_folder, present, write_figures

OWN, SETPOINTS = "motion", "setpoints"  # what the file's own motion and a table's are called


def add(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "contributions",
        description="Components of acceleration, Coriolis, centripetal, gravity and friction terms in the drives' "
        "forces "
        "of a motion, drive by drive: mean |group| and the range of the signed force. Where all drives are in one "
        "unit also mean and variation (max - min) of the Euclidean norm over the drives, in percent of the force's "
        "mean norm (Oh 2003, 2.76-2.88).",
    )
    add_options(parser)
    parser.add_argument(
        "--setpoints",
        metavar="CSV",
        help="instead of --trajectory: coordinates of the drives by t, cubic splines through them from standstill to "
        "standstill",
    )
    parser.add_argument(
        "--payload",
        metavar="MASS,X,Y,Z",
        help="a point mass that is carried, kg and m in the body that carries it",
    )
    parser.set_defaults(run=_run_contributions)


def _run_contributions(options: argparse.Namespace) -> int:
    machine = load_machine(options.machine)
    if options.payload:
        load = KnownLoad.parse(options.payload)
        machine = Multibody(add_point_mass(machine.bodies, load.mass, load.center_of_mass))
    name = SETPOINTS if options.setpoints else options.trajectory or OWN
    motion = (
        _read_setpoints(options, machine)
        if options.setpoints
        else compute_named_motion(options.trajectory, machine)
    )
    groups = machine.compute_force_groups(motion, not options.no_friction)
    each = drive_shares(groups)
    drives, units = zip(*((drive.force_name, drive.force_unit) for drive in machine.drives), strict=True)
    norms = shares(groups) if len(drives) > 1 and len(set(units)) == 1 else None
    tables = [] if norms is None else [build_contributions_table(norms, units[0])]
    tables += [
        drive_shares_table(each, drives, "F", units=units),
        drive_shares_table(each, drives, "F", spread=True),
    ]
    # files first: nothing is printed when one cannot be written
    if options.out:
        from pkm_identification.report.figures.contributions import draw_contributions_figure

        title = f"{machine.name}, {name}: what the drives' forces are"
        figure = draw_contributions_figure(drives, each, norms, title)
        write_figures(output_folder(options.out), {f"contributions_{name}": figure})
    document = {
        **build_motion_document(machine.name, name, options),
        **drive_shares_document(machine.drives, each, norms),
    }
    present("\n\n".join(map(str, tables)), document, options.json)
    return 0


def _read_setpoints(options: argparse.Namespace, machine: Machine) -> Motion:
    """Return the motion through the setpoints of a table; raises SettingsError or LogError where it gives none."""
    if options.trajectory:
        raise SettingsError("--setpoints: give it or --trajectory, not both")
    table = read_named_csv(options.setpoints, [drive.name for drive in machine.drives])
    if table.time is None:
        raise SettingsError(f"--setpoints {options.setpoints}: needs a column t in s")
    motion = machine.compute_motion(*spline_setpoints(table.time, table.values, PERIOD))
    lost = np.flatnonzero(motion.status > DEGRADED)
    if len(lost):
        raise SettingsError(
            f"--setpoints {options.setpoints}: out of reach or singular at {PERIOD * lost[0]:.3f} s"
        )
    return motion
