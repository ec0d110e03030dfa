# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm friction: the friction of every drive from slow motion."""

from __future__ import annotations

import argparse

from pkm_identification.declared import declarations
from pkm_identification.identification.procedures.friction_test import (
    FrictionSettings,
    measure_friction,
)
from pkm_identification.report.friction_tables import (
    build_friction_document,
    format_friction_sentences,
    friction_table,
)
from pkm_identification.report.listing import paragraph
from pkm_identification.report.tables import dropped_table

from .arguments import add_json, add_logs, add_setting, collect_options
from .machine_logs import open_logs
from .results import (
    output_folder,
    present,
    write_figures,
    write_json,
)

TEST_OPTIONS = tuple(declarations(FrictionSettings).values())


def add(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "friction",
        description="Viscous and Coulomb friction of each drive by itself, from logs in which it moves slowly to and "
        "fro; the rigid body of the machine file is subtracted and its error allowed for. Drives that do not move "
        "are not tested.",
    )
    add_logs(parser)
    for declaration in TEST_OPTIONS:
        add_setting(parser, declaration)
    parser.add_argument("--out", metavar="DIR", help="folder for friction.json and the friction curves")
    add_json(parser)
    parser.set_defaults(run=_run_friction)


def _run_friction(options: argparse.Namespace) -> int:
    of_machine = open_logs(options)
    assert of_machine.machine is not None  # --machine is required
    settings = FrictionSettings(**collect_options(options, TEST_OPTIONS))
    logs = of_machine.read_all(options.logs)
    folder = output_folder(options.out) if options.out else None
    test = measure_friction(logs, of_machine.machine, settings)
    document = build_friction_document(test)
    # files first: nothing is printed when one cannot be written
    if folder:
        from pkm_identification.report.figures.friction import draw_friction_figure

        write_json(folder / "friction.json", document)
        write_figures(folder, {"friction": draw_friction_figure(test)})
    parts = [
        friction_table(test),
        "\n".join(paragraph(line, "") for line in format_friction_sentences(test)),
    ]
    if test.dropped:
        parts.append(dropped_table(test.dropped))
    present("\n\n".join(str(part) for part in parts), document, options.json)
    return 0
