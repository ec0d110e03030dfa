"""pkm reproduce: a reference text's study done again, its numbers and findings beside ours."""

from __future__ import annotations

import argparse
import textwrap

from pkm_identification.errors import SettingsError
from pkm_identification.reproduction import STUDIES

from .results import output_folder, write_figures, write_json


def add(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "reproduce",
        help="a reference text's study, its numbers beside ours",
        description="Do a reference text's study again and show its numbers and findings beside ours.",
        epilog="studies:\n" + "\n".join(_help(study.name, study.description) for study in STUDIES.values()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", metavar="NAME", help="one of the studies below")
    parser.add_argument("--out", metavar="DIR", help="folder for the numbers (JSON) and figures")
    parser.set_defaults(run=_reproduce)


def _help(name: str, description: str) -> str:
    return "\n".join(
        (f"  {name}", textwrap.fill(description, 78, initial_indent="      ", subsequent_indent="      "))
    )


def _reproduce(options: argparse.Namespace) -> int:
    if options.name not in STUDIES:
        raise SettingsError(f"'{options.name}': not a study; there are {', '.join(STUDIES)}")
    folder = output_folder(options.out) if options.out else None
    outcome = STUDIES[options.name].run()
    # files first: nothing is printed when one cannot be written
    if folder:
        write_json(folder / f"{options.name}.json", outcome.document)
        write_figures(folder, outcome.figures())
    print(outcome.text)
    return 0
