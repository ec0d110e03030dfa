"""pkm check: what is wrong with a log and what it can be used for."""

from __future__ import annotations

import argparse
import json
import sys

from ..machine import Machine
from ..offline.inspection import inspect_log
from ..records import read_log
from ..records.atomic import replacing
from ..report.check import check_document, check_lines


def add(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "check",
        help="say what is wrong with a log and what it can show",
        description="Examine logs: rate, missing and bad samples by kind, limits, poses, and which parameters "
        "the motion can show. Exit code 0: usable for identification; 1: readable but not usable; 2: bad input.",
    )
    parser.add_argument("logs", nargs="+", metavar="LOG", help=".csv, .csv.gz or a bag folder")
    parser.add_argument("--machine", required=True, help="built-in name or YAML file")
    parser.add_argument("--topic", help="topic in a bag when it has several named strut_states")
    parser.add_argument(
        "--json", metavar="FILE", help="write the findings here ('-': to stdout instead of text)"
    )
    parser.set_defaults(run=_check)


def _check(options: argparse.Namespace) -> int:
    machine = Machine.load(options.machine)
    checks = []
    for path in options.logs:
        log, faults = read_log(path, machine, options.topic)
        checks.append(inspect_log(log, machine, faults))
    documents = [check_document(check) for check in checks]
    text = json.dumps(documents if len(documents) > 1 else documents[0], indent=2, allow_nan=False)
    if options.json == "-":
        print(text)
    else:
        print("\n\n".join("\n".join(check_lines(check)) for check in checks))
        if options.json:
            with replacing(options.json) as temporary:
                temporary.write_text(text + "\n", encoding="utf-8")
    unusable = [check for check in checks if check.identification is None]
    for check in unusable:
        print(f"pkm check: {check.source}: {check.verdict}", file=sys.stderr)
    return 1 if unusable else 0
