# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm check: what is wrong with a log and what it can be used for."""

from __future__ import annotations

import argparse
import sys

from pkm_identification.report.check import check_document, check_lines
from pkm_identification.report.sentences import refusal_line

from .arguments import add_json, add_logs, words_of_reading
from .machine_logs import open_logs
from .results import present, show_next


def add(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "check",
        description="Examine logs: rate, missing and bad samples by kind, limits, poses, and which parameters "
        "this motion determines. Exit code 0: usable for identification; 1: readable but not usable; 2: bad input.",
    )
    add_logs(parser)
    add_json(parser)
    parser.set_defaults(run=_check)


def _check(options: argparse.Namespace) -> int:
    logs = open_logs(options)
    checks = [logs.inspect(logs.read(path)) for path in options.logs]
    documents = [check_document(check) for check in checks]
    text = "\n\n".join("\n".join(check_lines(check)) for check in checks)
    present(text, documents if len(documents) > 1 else documents[0], options.json)
    unusable = [check for check in checks if not check.usable_for_identification]
    for check in unusable:
        # what is in the way mostly begins with the log's name
        line, found = check.verdict.replace(f"{check.source}: ", ""), check.identification
        if found is not None and found.answer is not None and not found.answer.verdict.good:
            line = f"not usable for identification: {refusal_line(found)}"
        print(f"pkm check: {check.source}: {line}", file=sys.stderr)
    if not unusable and options.json != "-":
        read = ["--machine", options.machine, *words_of_reading(options)]
        show_next("pkm", "identify", *options.logs, *read, "--out", "result")
    return 1 if unusable else 0
