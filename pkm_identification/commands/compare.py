# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm compare: what differs between estimates beyond chance."""

from __future__ import annotations

import argparse
import sys

from .arguments import add_json
from .results import check_file, present

LEVEL = 0.01


def add(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "compare",
        description="Compare estimates of a machine with the first of them: the difference of every parameter over its "
        "deviation, and what differs beyond chance when so many are tested at once. Errors that are the same in all "
        "(tolerances of the machine file) count only as far as they do not cancel.",
    )
    parser.add_argument("estimates", nargs="+", metavar="FILE", help="estimate.json, two or more")
    parser.add_argument(
        "--level",
        type=float,
        default=LEVEL,
        metavar="P",
        help=f"probability with which anything is called changed although nothing has (default: {LEVEL:g})",
    )
    parser.add_argument(
        "--common",
        action="store_true",
        help="of different machines or parameter sets, compare what has the same name and unit",
    )
    add_json(parser)
    parser.set_defaults(run=_compare)


def _compare(options: argparse.Namespace) -> int:
    # settings and estimators take a second to load
    from pkm_identification.identification.many_logs.saved_comparison import compare_files
    from pkm_identification.report.many_logs.comparison import (
        build_comparison_document,
        format_comparison_text,
    )

    check_file(options.json, "--json")
    result = compare_files(options.estimates, options.level, options.common)
    present(format_comparison_text(result), build_comparison_document(result), options.json)
    if any(result.doubtful):
        count = f"{sum(result.doubtful)} of {len(result.names)} values are"
        print(
            f"pkm compare: {count} affected, because a model did not fit or did not converge", file=sys.stderr
        )
        return 1
    return 0
