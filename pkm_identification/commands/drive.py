# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm drive: what the numbers of the drives themselves are, by a log of a step or a sweep."""

from __future__ import annotations

import argparse

from pkm_identification.machines.capabilities import ActuatedDrives, require
from pkm_identification.records.atomic import write_text

from .arguments import add_json, add_machine
from .results import check_file, output_folder, present, write_json


def add(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "drive",
        description="Numbers of the drives themselves from a log of a step or a sweep: loop gain, oil compliance, "
        "leakage, friction and delays of servos, motor constant, inertia, stiffness and friction of motors. Drives and "
        "their loops are simulated on the machine's mass and load, with the wanted coordinates of the log.",
    )
    add_machine(parser)
    parser.add_argument(
        "log",
        metavar="LOG",
        help="table of t, command_DRIVE, DRIVE, force_DRIVE; or of load, frequency, damping",
    )
    parser.add_argument("--columns", metavar="OURS=THEIRS,...", help="as t=time,command=W1..W6,length=L1..L6")
    parser.add_argument("--units", metavar="UNIT,...", help="what the log is in, as ms,mm,bar")
    parser.add_argument(
        "--estimate",
        metavar="KEY,...",
        help="numbers to estimate (default: all but limits and what is on a plate)",
    )
    parser.add_argument(
        "--force-gain",
        action="store_true",
        help="forces are off by a factor of each drive, that of a rated torque, motor constant or piston area",
    )
    parser.add_argument(
        "--out", metavar="DIR", help="folder for drive.json, and machine.yaml with the values"
    )
    add_json(parser)
    parser.set_defaults(run=_drive)


def _drive(options: argparse.Namespace) -> int:
    check_file(options.json, "--json")
    # kernels of drives take longer to load than most commands run
    from pkm_identification.exporting.formats import write_drive_numbers
    from pkm_identification.identification.drives.fit import identify_drives
    from pkm_identification.identification.drives.loaded_modes import identify_loaded_modes
    from pkm_identification.identification.drives.numbers import FORCE_GAIN
    from pkm_identification.machines.load import load_machine
    from pkm_identification.records.commanded_log import (
        build_commanded_channels,
        is_modes_table,
        read_commanded_log,
        read_modes,
    )
    from pkm_identification.records.foreign import LogLayout
    from pkm_identification.report.drive_numbers import drive_document, drive_text, modes_document, modes_text

    machine = require(load_machine(options.machine), ActuatedDrives, "drive")
    if is_modes_table(options.log):
        rows = read_modes(options.log)
        modes = identify_loaded_modes(*rows.T)
        present(modes_text(modes, len(rows)), modes_document(modes), options.json)
        return 0
    channels = build_commanded_channels(machine.drives)
    layout = LogLayout.of(options.columns, options.units, None, None, channels)
    log = read_commanded_log(options.log, machine.drives, layout)
    asked = [key.strip() for key in (options.estimate or "").split(",") if key.strip()]
    fit = identify_drives(log, machine, asked, options.force_gain)
    document = drive_document(fit, machine)
    # files first: nothing is printed when one cannot be written
    if options.out:
        folder = output_folder(options.out)
        write_json(folder / "drive.json", document)
        values = {
            (one.number.drive, one.number.quantity.name): one.value
            for one in fit.estimates
            if one.number.quantity.name != FORCE_GAIN
        }
        write_text(folder / "machine.yaml", write_drive_numbers(machine, values))
    present(drive_text(fit, machine), document, options.json)
    return 0 if fit.fits else 1
