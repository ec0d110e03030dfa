"""pkm identify: from logs to a dynamic model."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from pkm_identification.errors import PkmError
from pkm_identification.estimation.data_order import ORDERS
from pkm_identification.estimation.estimators import ESTIMATORS
from pkm_identification.identification.augmented_state import FORMS
from pkm_identification.identification.estimate_file import estimate_document, write_estimate_json
from pkm_identification.identification.experiment import MODELS, IdentifySettings
from pkm_identification.identification.identify import Identification, identify, validate
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.sets import NAMES
from pkm_identification.parameters.assumptions import (
    Assumptions,
    Fix,
    Tie,
    read_prior,
)
from pkm_identification.parameters.relations import STRUT_SPREAD
from pkm_identification.records import read_log, read_logs
from pkm_identification.report.sentences import verdicts
from pkm_identification.report.tables import (
    dropped_table,
    estimate_table,
    validation_table,
)

from .arguments import add_logs


def add(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "identify",
        help="identify a machine from logs",
        description="Identify masses, inertias and friction from strut logs (CSV or rosbag2). "
        "Several logs are one experiment in pieces or several motions.",
    )
    add_logs(parser)
    parser.add_argument("--model", choices=MODELS, default="force", help="model equation (default: force)")
    parser.add_argument(
        "--estimator",
        choices=(*ESTIMATORS, *FORMS),
        default="ukf",
        help="; ".join(f"{name}: {estimator.title}" for name, estimator in ESTIMATORS.items())
        + "".join(f"; {name}: {title}" for name, title in FORMS.items())
        + " (default: ukf)",
    )
    parser.add_argument("--parameters", choices=NAMES, default="identifiable", help="(default: identifiable)")
    parser.add_argument(
        "--fix",
        action="append",
        default=[],
        metavar="NAME[=VALUE]",
        help="do not estimate this parameter: it is VALUE (SI units), or what the machine file says; repeatable",
    )
    parser.add_argument(
        "--tie",
        action="append",
        default=[],
        metavar="NAME=OTHER[*FACTOR]",
        help="do not estimate this parameter: it is FACTOR times another one; repeatable",
    )
    parser.add_argument(
        "--prior",
        metavar="FILE",
        help="YAML with what is known beforehand: parameter name: {value: ..., std: ...} (SI units)",
    )
    parser.add_argument(
        "--forgetting",
        type=float,
        default=1.0,
        metavar="FACTOR",
        help="of the estimator rls, per equation: 1 - 1 / n remembers about n equations (default: 1)",
    )
    parser.add_argument(
        "--data-order",
        choices=ORDERS,
        default="sequential",
        help="in which recursive estimators take the data offline (default: sequential)",
    )
    parser.add_argument(
        "--consistent",
        action="store_true",
        help="only parameters that some machine could have: bodies with mass, friction that brakes",
    )
    parser.add_argument(
        "--strut-spread",
        type=float,
        default=100 * STRUT_SPREAD,
        metavar="PERCENT",
        help="how much struts of one design differ, where each has parameters of its own; 'inf': nothing is known "
        f"(default: {100 * STRUT_SPREAD:g})",
    )
    parser.add_argument(
        "--free-fall",
        action="append",
        default=[],
        metavar="LOG",
        help="besides, a fall from rest with the drives off and no friction: its lengths fix ratios of masses",
    )
    parser.add_argument(
        "--validate",
        metavar="LOG",
        help="predict the forces of this log, which is not used; else the last fifth of the logs is predicted by an "
        "estimate from the rest",
    )
    parser.add_argument(
        "--causal", action="store_true", help="filter as online: causal, with a constant delay"
    )
    parser.add_argument(
        "--cutoff",
        type=float,
        metavar="HZ",
        help="kinematic low-pass (default: 150, or what the encoders' resolution allows)",
    )
    parser.add_argument("--order", type=int, default=4, help="of the kinematic low-pass (default: 4)")
    parser.add_argument(
        "--band", type=float, default=10.0, metavar="HZ", help="estimation band (default: 10)"
    )
    parser.add_argument("--band-order", type=int, default=8, help="of the estimation band (default: 8)")
    parser.add_argument("--out", metavar="DIR", help="write estimate.json, figures and report.html here")
    parser.add_argument(
        "--json", metavar="FILE", help="write estimate.json here ('-': to stdout instead of tables)"
    )
    parser.set_defaults(run=_identify)


def _identify(options: argparse.Namespace) -> int:
    machine = Machine.load(options.machine)
    settings = IdentifySettings(
        model=options.model,
        estimator=options.estimator,
        parameters=options.parameters,
        causal=options.causal,
        cutoff=options.cutoff,
        order=options.order,
        band_cutoff=options.band,
        band_order=options.band_order,
        assumptions=Assumptions(
            fixed=tuple(Fix.parse(text) for text in options.fix),
            tied=tuple(Tie.parse(text) for text in options.tie),
            prior_values=read_prior(options.prior) if options.prior else (),
        ),
        forgetting=options.forgetting,
        hold_out=0.0 if options.validate else 0.2,
        data_order=options.data_order,
        consistent=options.consistent,
        strut_spread=options.strut_spread / 100,
    )
    settings.parameter_set(machine)  # a wrong name is found before long logs are read
    logs, faults = read_logs(options.logs, machine, options.topic)
    held_out = read_log(options.validate, machine, options.topic)[0] if options.validate else None
    if options.out and Path(options.out).exists() and not Path(options.out).is_dir():
        raise PkmError(f"--out {options.out}: exists and is not a folder")
    if options.json not in (None, "-") and not Path(options.json).absolute().parent.is_dir():
        raise PkmError(f"--json {options.json}: there is no folder {Path(options.json).parent}")
    falls = [read_log(path, machine, options.topic)[0] for path in options.free_fall]
    result = identify(logs, machine, settings, faults, falls)
    if held_out is not None:
        result = validate(result, held_out)
    if options.json == "-":
        json.dump(estimate_document(result), sys.stdout, indent=2, allow_nan=False)
        print()
    else:
        print_result(result)
        if options.json:
            write_estimate_json(options.json, result)
    if options.out:
        # matplotlib takes longer to load than the identification
        from pkm_identification.report import write_report

        write_report(options.out, result)
        print(f"report: {Path(options.out) / 'report.html'}", file=sys.stderr)
    if options.json == "-" and not result.converged:
        print(f"pkm identify: the estimator did not converge: {result.nonconvergence}", file=sys.stderr)
    return 0 if result.converged else 1


def print_result(result: Identification) -> None:
    """The tables for a person."""
    print(
        f"{result.machine.name}: {result.settings.estimator}, {result.settings.model} model, {result.samples} samples"
    )
    if result.settings.assumptions:
        print(f"stated beforehand: {result.settings.assumptions.described()}")
    for line in result.beside:
        print(line)
    print()
    print(estimate_table(result.estimate))
    if result.dropped:
        print()
        print(dropped_table(result.dropped))
    if result.validation is not None:
        print()
        print(validation_table(result.validation))
    print()
    for _, line in verdicts(result):
        print(line)
