"""pkm identify: from logs to a dynamic model."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from pathlib import Path

from pkm_identification.errors import OutputError, SettingsError
from pkm_identification.identification.estimate_file import estimate_document, write_estimate_json
from pkm_identification.identification.estimated_effects.registry import parse_names
from pkm_identification.identification.identify import identify, validate
from pkm_identification.identification.settings import (
    ALSO,
    FIX,
    HOLD_OUT,
    NAMED,
    PRIOR,
    TIE,
    TUNING,
    Settings,
    assumptions_of,
)
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.records import read_log, read_logs
from pkm_identification.records.provenance import provenance
from pkm_identification.report.diagnosis import reason
from pkm_identification.report.summary import summary

from .arguments import add_logs, add_setting
from .force_gains import calibrate
from .results import check_file

MODEL_OPTIONS = ("model", "estimator", "parameters")
ESTIMATOR_OPTIONS = ("forgetting", *TUNING, "data_order", "passes", "consistent", "strut_spread")
FILTER_OPTIONS = ("causal", "cutoff", "order", "band_cutoff", "band_order")
OPTIONS = (*MODEL_OPTIONS, *ESTIMATOR_OPTIONS, *FILTER_OPTIONS)


def add(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "identify",
        description="Identify masses, inertias and friction from strut logs (CSV or rosbag2). "
        "Several logs are one experiment in pieces or several motions.",
    )
    add_logs(parser)
    for name in MODEL_OPTIONS:
        add_setting(parser, NAMED[name])
    add_setting(parser, FIX, "NAME[=VALUE]|GROUP")
    add_setting(parser, TIE, "NAME=OTHER[*FACTOR]")
    add_setting(parser, PRIOR, "FILE")
    add_setting(parser, ALSO, "NAME[,NAME...]")
    for name in ESTIMATOR_OPTIONS:
        add_setting(parser, NAMED[name])
    parser.add_argument(
        "--free-fall",
        action="append",
        default=[],
        metavar="LOG",
        help="besides, a fall from rest with the drives off and no friction: its lengths fix ratios of masses",
    )
    parser.add_argument(
        "--payload",
        metavar="MASS,X,Y,Z",
        help="calibrate the drives' force gains with a known load (kg; m, platform frame): of two logs, the second was "
        "recorded with it",
    )
    parser.add_argument(
        "--unloaded",
        action="append",
        default=[],
        metavar="LOG",
        help="with --payload: a log without the load; all others are with it",
    )
    parser.add_argument(
        "--validate",
        metavar="LOG",
        help="predict the forces of this log, which is not used; else the last fifth of the logs is predicted by an "
        "estimate from the rest",
    )
    for name in FILTER_OPTIONS:
        add_setting(parser, NAMED[name])
    parser.add_argument("--out", metavar="DIR", help="write estimate.json, figures and report.html here")
    parser.add_argument(
        "--json", metavar="FILE", help="write estimate.json here ('-': to stdout instead of tables)"
    )
    parser.set_defaults(run=_identify)


def _identify(options: argparse.Namespace) -> int:
    machine = Machine.load(options.machine)
    settings = Settings.of(
        **{name: getattr(options, name) for name in OPTIONS},
        assumptions=assumptions_of(options.fix, options.tie, options.prior),
        also=parse_names(options.also),
        hold_out=0.0 if options.validate else HOLD_OUT,
    )
    settings.parameter_set(machine)  # a wrong name is found before long logs are read
    check_file(options.json, "--json")
    if options.payload is not None:
        return calibrate(options, machine, settings)
    if options.unloaded:
        raise SettingsError("--unloaded: needs --payload, the load that the other logs have")
    logs, faults = read_logs(options.logs, machine, options.topic)
    held_out = read_log(options.validate, machine, options.topic)[0] if options.validate else None
    if options.out and Path(options.out).exists() and not Path(options.out).is_dir():
        raise OutputError(f"--out {options.out}: exists and is not a folder")
    falls = [read_log(path, machine, options.topic)[0] for path in options.free_fall]
    result = identify(logs, machine, settings, faults, falls)
    if held_out is not None:
        result = validate(result, held_out)
    origin = provenance(options.logs, shlex.join(sys.argv), result.settings)
    if options.json == "-":
        json.dump(estimate_document(result, origin), sys.stdout, indent=2, allow_nan=False)
        print()
    else:
        # the file first: nothing is printed when it cannot be written
        if options.json:
            write_estimate_json(options.json, result, origin)
        print(summary(result))
    if options.out:
        # matplotlib takes longer to load than the identification
        from pkm_identification.report import write_report

        write_report(options.out, result)
        print(f"report: {Path(options.out) / 'report.html'}", file=sys.stderr)
    if options.json == "-" and not result.converged:
        print(f"pkm identify: the estimator did not converge: {result.nonconvergence}", file=sys.stderr)
    if result.fit is not None and not result.fit.adequate:
        print(f"pkm identify: {reason(result.fit)}", file=sys.stderr)
    return 0 if result.trusted else 1
