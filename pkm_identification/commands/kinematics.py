# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm inverse, forward, forces: tables of poses, lengths and motions converted into each other."""

from __future__ import annotations

import argparse
from importlib import import_module

from pkm_identification.machines.capabilities import EnumeratedModes, NamedOutputs, PlatformPose, has, require
from pkm_identification.machines.contract import Machine
from pkm_identification.machines.load import load_machine
from pkm_identification.records.motion_csv import POSITION
from pkm_identification.records.table import read_header

from .arguments import add_angles, add_machine


def add(commands: argparse._SubParsersAction) -> None:
    """Add the three commands."""
    for name, summary, general in (
        (
            "inverse",
            "strut lengths of platform poses",
            "driven coordinates of its outputs or poses, columns by the names of its description",
        ),
        (
            "forward",
            "platform poses of strut lengths",
            "outputs of its driven coordinates, with a status for each row",
        ),
        (
            "forces",
            "strut forces a platform motion needs",
            "driven forces of NAME, NAME_rate, NAME_acceleration of its outputs or its driven coordinates, or of poses",
        ),
    ):
        parser = commands.add_parser(
            name, description=f"Compute {summary}; of a machine of bodies and joints {general}."
        )
        add_machine(parser)
        parser.add_argument("--in", dest="input", required=True, metavar="CSV", help="table to read")
        parser.add_argument("--out", required=True, metavar="CSV", help="table to write")
        if name == "forces":
            parser.add_argument(
                "--no-friction", action="store_true", help="leave the machine file's friction out"
            )
        if name == "forward":
            parser.add_argument(
                "--all",
                action="store_true",
                help="every assembly mode: one row for each real pose, with its proof",
            )
            add_angles(parser)
        parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    machine = load_machine(options.machine)
    # what only the other kind of table needs is not loaded
    room = "pose_tables" if _is_of_poses(machine, options) else "output_tables"
    tables = import_module(f"{__package__}.{room}")
    return int(getattr(tables, options.command)(machine, options))


def _is_of_poses(machine: Machine, options: argparse.Namespace) -> bool:
    """Return whether the table has a platform's poses, or is to have them: not where outputs with names are meant."""
    if getattr(options, "all", False):
        require(machine, EnumeratedModes, "--all")
    if getattr(options, "angles", None):
        require(machine, PlatformPose, "--angles")
        return True
    if not has(machine, PlatformPose):
        return False
    if not has(machine, NamedOutputs):
        return True
    return POSITION[0] in read_header(options.input)
