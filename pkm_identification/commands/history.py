# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm history: every log of a machine over months, and what its parameters do."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from pkm_identification.errors import SettingsError

from .arguments import add_json, add_machine, add_reading, percent, reading
from .results import check_file, present, say

LEVEL, ALARM = 0.01, 0.1


def add(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "history",
        description="Identify every log of a folder or pattern, each once, and say what changed when. Results are kept "
        "in --out: only new logs are worked on again. Needs the extra fleet: pip install 'pkm_identification[fleet]'.",
    )
    parser.add_argument(
        "places",
        nargs="+",
        metavar="FOLDER|GLOB",
        help="logs: folders, patterns, files, also s3:// (fsspec)",
    )
    add_machine(parser)
    model = parser.add_argument_group("identification, the same for all logs")
    model.add_argument("--estimator", default="", help="as of pkm identify (default: full)")
    model.add_argument("--parameters", default="identifiable", help="parameter set (default: identifiable)")
    model.add_argument(
        "--fix", action="append", default=[], metavar="NAME[=VALUE]|GROUP", help="known parameters"
    )
    add_reading(parser)
    work = parser.add_argument_group("work")
    work.add_argument(
        "--workers",
        type=int,
        metavar="N",
        help="processes here (default: one for each core); 0: without Dask",
    )
    work.add_argument(
        "--scheduler", default="", metavar="ADDRESS", help="of a Dask scheduler whose workers do the work"
    )
    results = parser.add_argument_group("results")
    results.add_argument(
        "--out",
        metavar="DIR",
        help="history.parquet, history.json, report.html, kept results; also s3:// (fsspec)",
    )
    results.add_argument(
        "--level",
        type=float,
        default=LEVEL,
        metavar="P",
        help=f"probability with which anything is called changed although nothing has (default: {LEVEL:g})",
    )
    results.add_argument(
        "--alarm",
        type=percent,
        default=ALARM,
        metavar="PERCENT",
        help=f"a change that is an alarm (default: {100 * ALARM:g})",
    )
    add_json(results)
    parser.set_defaults(run=_run_history)


def _run_history(options: argparse.Namespace) -> int:
    # settings load every estimator
    from pkm_identification.identification.many_logs.history import history
    from pkm_identification.identification.many_logs.kept_results import ResultFolder
    from pkm_identification.identification.many_logs.log_files import TABLE, is_local
    from pkm_identification.identification.settings import FULL, assumptions_of, choose_estimator
    from pkm_identification.machines.load import load_machine
    from pkm_identification.optional import library
    from pkm_identification.report.earlier import check_folder
    from pkm_identification.report.many_logs.history_text import build_history_document, history_text

    from .machine_logs import settings_of

    machine = load_machine(options.machine)
    fixed = assumptions_of(options.fix, [], "")
    if not options.estimator:
        full = choose_estimator(parameters=options.parameters, fix=options.fix) == FULL
        options.estimator = FULL if full else "ls"
    settings = settings_of(options, machine, ("estimator", "parameters"), assumptions=fixed)
    if options.workers is not None and options.workers < 0:
        raise SettingsError(f"--workers {options.workers}: must not be negative")
    if options.workers is not None and options.scheduler:
        raise SettingsError("--workers: not with --scheduler, which has its own workers")
    if not options.alarm > 0:
        raise SettingsError(f"--alarm {100 * options.alarm:g}: must be positive")
    check_file(options.json, "--json")
    if options.out and is_local(options.out):
        check_folder(Path(options.out))
    library("pyarrow", "fleet")  # before hours of work
    workers = options.workers if options.workers is not None else (os.cpu_count() or 1)
    record = history(
        options.places,
        machine,
        settings,
        reading(options, machine),
        out=ResultFolder(options.out) if options.out else None,
        workers=0 if options.scheduler else workers,
        scheduler=options.scheduler,
        level=options.level,
        alarm=options.alarm,
    )
    document = build_history_document(record)
    if options.out:
        # matplotlib takes longer to load than most logs take
        from pkm_identification.report.many_logs.page import build_history_page
        from pkm_identification.report.many_logs.table import parquet

        folder = ResultFolder(options.out)
        folder.write(TABLE, parquet(record))
        folder.write("history.json", (json.dumps(document, indent=2, allow_nan=False) + "\n").encode())
        say(f"report: {folder.write('report.html', build_history_page(record).encode())}")
    present(history_text(record), document, options.json)
    if record.failures:
        count, first = len(record.failures), record.failures[0].record["failure"]
        say(f"pkm history: {count} of {len(record.entries)} logs without a result; the first: {first}")
        return 1
    return 0
