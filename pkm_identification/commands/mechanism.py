# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm mechanism: what a description says and how it moves."""

from __future__ import annotations

import argparse

from pkm_identification.machines.load import load_machine
from pkm_identification.report.mechanism_tables import (
    build_knowledge_document,
    build_knowledge_table,
    build_mechanism_document,
    format_mechanism_text,
)

from .arguments import add_json, add_machine
from .results import output_folder, present, write_figures


def add(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "mechanism",
        description="Bodies, joints, loops, degrees of freedom, redundant constraints, driven coordinates and home "
        "of a mechanism; a hexapod is shown as the mechanism it is.",
    )
    add_machine(parser)
    parser.add_argument("--out", metavar="DIR", help="draw it at home into this folder")
    parser.add_argument(
        "--known",
        action="store_true",
        help="also print how well each number of the machine file is known (docs/machine_file.md)",
    )
    add_json(parser)
    parser.set_defaults(run=_run_mechanism)


def _run_mechanism(options: argparse.Namespace) -> int:
    machine = load_machine(options.machine)
    mechanism = machine.bodies
    # files first: nothing is printed when one cannot be written
    if options.out:
        from pkm_identification.report.figures.machine import machine_figure

        write_figures(output_folder(options.out), {"mechanism": machine_figure(machine)})
    text, document = format_mechanism_text(mechanism), build_mechanism_document(mechanism)
    if options.known:
        text += f"\n\n{build_knowledge_table(machine.knowledge)}"
        document["known"] = build_knowledge_document(machine.knowledge)
    present(text, document, options.json)
    return 0
