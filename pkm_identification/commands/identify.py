# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm identify: from logs to a dynamic model."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pkm_identification.errors import OutputError, SettingsError
from pkm_identification.estimation.posterior.verdict import FITS
from pkm_identification.identification.estimate_file import estimate_document, write_estimate_json
from pkm_identification.identification.settings import (
    ALSO,
    FIX,
    HOLD_OUT,
    NAMED,
    PRIOR,
    TIE,
    TUNING,
    assumptions_of,
    choose_estimator,
)
from pkm_identification.numerics.parallel_maps import start_background
from pkm_identification.records.provenance import provenance

from .arguments import add_logs, add_setting
from .machine_logs import open_logs, settings_of
from .results import check_file, show_next
from .terminal import paint_rows, paint_verdict, warn

if TYPE_CHECKING:
    from pkm_identification.identification.result import Identification

PAGE_ENDING = ".html"
# Loaded while logs are read, which takes as long.
WORKING_ON_LOGS = ("pkm_identification.identification.identify", "pkm_identification.report.summary")
MODEL_OPTIONS = ("model", "estimator", "parameters")
ESTIMATOR_OPTIONS = (
    "forgetting",
    *TUNING,
    "data_order",
    "passes",
    "consistent",
    "strut_spread",
)
FILTER_OPTIONS = ("causal", "cutoff", "order", "band_cutoff", "band_order")
OPTIONS = (*MODEL_OPTIONS, *ESTIMATOR_OPTIONS, *FILTER_OPTIONS)


def add(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "identify",
        description="Identify masses, inertias and friction of a machine from logs of its drives (of bodies with "
        "joints base parameters and friction). Several logs are one experiment in pieces or several motions.",
    )
    add_logs(parser)
    model = parser.add_argument_group("model and what is known of it")
    for name in MODEL_OPTIONS:
        usual = "" if name == "estimator" else NAMED[name].default
        add_setting(model, replace(NAMED[name], default=usual))
    add_setting(model, FIX, "NAME[=VALUE]|GROUP")
    add_setting(model, TIE, "NAME=OTHER[*FACTOR]")
    add_setting(model, PRIOR, "FILE")
    add_setting(model, ALSO, "NAME[,NAME...]")
    model.add_argument(
        "--unknown",
        metavar="NAME[,NAME...]",
        help="estimate these numbers of the machine file and nothing else, by --estimator ukf from the drives' "
        "accelerations: names of its 'constants', or paths as joints.second.place[1][2]; also from a fall alone",
    )
    estimator = parser.add_argument_group("estimator")
    tuning = parser.add_argument_group("tuning of the estimator")
    for name in ESTIMATOR_OPTIONS:
        add_setting(estimator if name in ("consistent", "deviations") else tuning, NAMED[name])
    other = parser.add_argument_group("other logs")
    other.add_argument(
        "--free-fall",
        action="append",
        default=[],
        metavar="LOG",
        help="also use a fall from standstill with the drives off, without friction: its coordinates determine ratios "
        "of masses",
    )
    other.add_argument(
        "--payload",
        metavar="MASS,X,Y,Z",
        help="of a hexapod: calibrate force gains with a known load (kg; m, platform frame): of two logs, the "
        "second was recorded with it",
    )
    other.add_argument(
        "--unloaded",
        action="append",
        default=[],
        metavar="LOG",
        help="with --payload: a log without the load; all others are with it",
    )
    other.add_argument(
        "--validate",
        metavar="LOG",
        help="predict the forces of this log, which is not used; by default the last fifth of the logs is "
        "predicted from the first four fifths",
    )
    estimator.add_argument(
        "--require",
        choices=("usable", "fits"),
        default="usable",
        help="the least grade of the verdict for exit 0 (default: usable)",
    )
    filters = parser.add_argument_group("filters")
    for name in FILTER_OPTIONS:
        add_setting(filters, NAMED[name])
    results = parser.add_argument_group("results")
    results.add_argument("--out", metavar="DIR", help="write estimate.json, figures and report.html here")
    results.add_argument(
        "--report",
        metavar="FILE",
        help="write the report here as one page, .html (docs/report.md); --out has it too",
    )
    results.add_argument(
        "--json", metavar="FILE", help="write estimate.json here ('-': to stdout instead of tables)"
    )
    parser.set_defaults(run=_identify)


def _identify(options: argparse.Namespace) -> int:
    check_file(options.json, "--json")
    _check_report(options)
    of_machine = open_logs(options)
    assert of_machine.machine is not None  # --machine is required
    machine = of_machine.machine
    if options.unknown is not None:
        from .unknown_numbers import estimate_numbers

        return estimate_numbers(options, of_machine)
    options.estimator = options.estimator or choose_estimator(
        **{name: getattr(options, name) for name in OPTIONS if name != "estimator"}, fix=options.fix,
        tie=options.tie, prior=options.prior, also=options.also, falls=options.free_fall, load=options.payload,
    )  # fmt: skip
    settings = settings_of(
        options, machine, OPTIONS,
        assumptions=assumptions_of(options.fix, options.tie, options.prior),
        hold_out=0.0 if options.validate else HOLD_OUT,
    )  # fmt: skip
    if options.payload is not None:
        from .force_gains import calibrate

        return calibrate(options, machine, settings)
    if options.unloaded:
        raise SettingsError("--unloaded: needs --payload, the load that the other logs have")
    with start_background(import_module, WORKING_ON_LOGS):
        logs = of_machine.read_all(options.logs)
    held_out = of_machine.read(options.validate) if options.validate else None
    falls = [of_machine.read(path) for path in options.free_fall]
    from pkm_identification.identification.of_logs import identify_logs

    result = identify_logs(logs, machine, settings, falls=falls, validate=held_out)
    origin = provenance(
        options.logs, shlex.join(sys.argv), result.settings, options.validate, options.free_fall
    )
    return _present(options, result, logs, origin)


def _present(
    options: argparse.Namespace,
    result: Identification,
    logs: Sequence[Any],
    origin: dict[str, Any],
) -> int:
    from pkm_identification.report.summary import summary

    if options.json == "-":
        json.dump(estimate_document(result, origin), sys.stdout, indent=2, allow_nan=False)
        print()
    else:
        # the file first: nothing is printed when it cannot be written
        if options.json:
            write_estimate_json(options.json, result, origin)
        print(paint_rows(summary(result, paint_verdict), sys.stdout))
    if options.out or options.report:
        # matplotlib takes longer to load than the identification
        from pkm_identification.report.folder import write_page, write_report

        if options.out:
            write_report(options.out, result, logs=logs, origin=origin, page=options.report)
            print(f"report: {Path(options.out) / 'report.html'}", file=sys.stderr)
        else:
            write_page(options.report, result, logs=logs, origin=origin)
        if options.report:
            print(f"report: {options.report}", file=sys.stderr)
    code = _report_refusal(options, result)
    estimate = str(Path(options.out) / "estimate.json") if options.out else options.json
    if code == 0 and estimate not in (None, "-"):
        show_next(
            "pkm", "export", "--machine", options.machine, "--estimate", estimate, "--out", "identified.yaml"
        )
    return code


def _report_refusal(options: argparse.Namespace, result: Identification) -> int:
    """Return the exit code; on stderr, why it is not 0."""
    from pkm_identification.report.sentences import format_verdict, refusal_line

    if not result.converged:
        if options.json == "-" or result.answer is not None:
            warn(f"pkm identify: {format_verdict(result)}")
    elif result.answer is not None:
        verdict = result.answer.verdict
        if not verdict.good or options.require == FITS != verdict.grade:
            warn(f"pkm identify: {refusal_line(result)}")
            return 1
    if result.contradiction:
        warn(f"pkm identify: {result.contradiction}")
    return 0 if result.trusted else 1


def _check_report(options: argparse.Namespace) -> None:
    """Refuse places where no report can go, before anything is worked out for it."""
    check_file(options.report, "--report")
    if options.report is not None and not options.report.endswith(PAGE_ENDING):
        raise OutputError(f"--report {options.report}: must end in {PAGE_ENDING}")
    if options.report and options.json and Path(options.report).resolve() == Path(options.json).resolve():
        raise OutputError(f"--json {options.json}: is the file of --report")
    if options.out:
        # reports know of the work on logs, which is loaded later
        from pkm_identification.report.earlier import check_folder

        check_folder(Path(options.out))
