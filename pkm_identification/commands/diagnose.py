# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm diagnose: does the model fit the machine, and if not, why."""

from __future__ import annotations

import argparse
import shlex
import sys

from pkm_identification.identification.estimate_file import estimate_document
from pkm_identification.identification.of_logs import diagnose_logs
from pkm_identification.identification.settings import ALSO, FULL, NAMED, choose_estimator
from pkm_identification.records.provenance import provenance
from pkm_identification.report.diagnosis import build_unseen_table
from pkm_identification.report.listing import paragraph
from pkm_identification.report.sentences import format_verdict_lines, refusal_line

from .arguments import add_json, add_logs, add_setting
from .machine_logs import open_logs, settings_of
from .results import check_file, output_folder, present, write_figures, write_json

OPTIONS = ("parameters", "strut_spread", "cutoff", "order", "band_cutoff", "band_order")


def add(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "diagnose",
        description="Compare the residual of logs with their noise, and look for the cause of too much. "
        "Exit code 0: the verdict is fits or usable; 1: it is not; 2: bad input.",
    )
    add_logs(parser)
    for name in OPTIONS:
        add_setting(parser, NAMED[name])
    parser.add_argument("--out", metavar="DIR", help="folder for diagnosis.json and misfit.png")
    add_setting(parser, ALSO, "NAME[,NAME...]")
    add_json(parser)
    parser.set_defaults(run=_run_diagnose)


def _run_diagnose(options: argparse.Namespace) -> int:
    of_machine = open_logs(options)
    assert of_machine.machine is not None  # --machine is required
    asked = {name: getattr(options, name) for name in ("parameters", "strut_spread")}
    full = choose_estimator(**asked, also=options.also) == FULL
    settings = settings_of(
        options, of_machine.machine, OPTIONS, hold_out=0.0, estimator=FULL if full else "ls"
    )
    check_file(options.json, "--json")
    logs = of_machine.read_all(options.logs)
    folder = output_folder(options.out) if options.out else None
    result = diagnose_logs(logs, of_machine.machine, settings)
    fit = result.fit
    assert fit is not None
    text = "\n".join(paragraph(line, "") for _, line in format_verdict_lines(result))
    if (unseen := build_unseen_table(fit)).rows:
        text += f"\n\nSmallest fault this log would have revealed:\n{unseen}"
    document = estimate_document(result, provenance(options.logs, shlex.join(sys.argv), result.settings))
    # files first: nothing is printed when one cannot be written
    if folder:
        write_json(folder / "diagnosis.json", document)
        if fit.residuals:
            from pkm_identification.report.figures.misfit import draw_misfit_figure

            write_figures(folder, {"misfit": draw_misfit_figure(fit, result.machine.drives)})
    present(text, document, options.json)
    if not fit.adequate:
        print(f"pkm diagnose: {refusal_line(result)}", file=sys.stderr)
    return 0 if fit.adequate else 1
