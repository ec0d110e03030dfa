# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm reproduce: reference texts' studies done again, their numbers and findings next to ours."""

from __future__ import annotations

import argparse
import textwrap

from pkm_identification.errors import SettingsError
from pkm_identification.progress import steps
from pkm_identification.records.atomic import write_text
from pkm_identification.reproduction import STUDIES
from pkm_identification.reproduction.page import page

from .arguments import add_json
from .results import output_folder, present, write_figures, write_json

ALL = "all"


def add(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "reproduce",
        description="Do a reference text's study again and compare its numbers and findings with ours.",
        epilog="studies:\n"
        + "\n".join(_format_help(study.name, study.description) for study in STUDIES.values()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", metavar="NAME", nargs="+", help=f"studies below, or '{ALL}'")
    parser.add_argument("--out", metavar="DIR", help="folder for the numbers (JSON) and figures")
    parser.add_argument(
        "--page", metavar="FILE", help="write numbers, verdicts and findings as Markdown here"
    )
    add_json(parser)
    parser.set_defaults(run=_run_reproduce)


def _format_help(name: str, description: str) -> str:
    return "\n".join(
        (f"  {name}", textwrap.fill(description, 78, initial_indent="      ", subsequent_indent="      "))
    )


def _run_reproduce(options: argparse.Namespace) -> int:
    for name in options.names:
        if name not in STUDIES and name != ALL:
            raise SettingsError(f"'{name}': not a study; there are {', '.join(STUDIES)}, and '{ALL}'")
    names = list(STUDIES) if ALL in options.names else list(dict.fromkeys(options.names))
    folder = output_folder(options.out) if options.out else None
    outcomes = {name: STUDIES[name].run() for name in steps("studies", names)}
    # files first: nothing is printed when one cannot be written
    if folder:
        for name, outcome in outcomes.items():
            write_json(folder / f"{name}.json", outcome.document)
            write_figures(folder, outcome.figures())
    documents = [outcome.document for outcome in outcomes.values()]
    if options.page:
        write_text(options.page, page(documents))
    text = "\n\n\n".join(outcome.text for outcome in outcomes.values())
    present(text, documents[0] if len(documents) == 1 else documents, options.json)
    return 0
