# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm base-parameters: what combinations of its bodies' parameters the forces of a machine depend on."""

from __future__ import annotations

import argparse
import math

import numpy as np

from pkm_identification.errors import NotConverged, SettingsError
from pkm_identification.estimation.identifiability.contributions import parameter_contributions
from pkm_identification.estimation.identifiability.homogenized import (
    homogenize_regressor,
    raw_condition,
    scaled_rows,
)
from pkm_identification.estimation.identifiability.precise import checked_digits
from pkm_identification.mechanisms.hexapod.dynamics.thirteen_bodies import SYMMETRIES
from pkm_identification.mechanisms.multibody.analysis.routes import (
    ALL,
    DOUBLE,
    ROUTES,
    SYMBOLIC,
    find_base_parameters,
)
from pkm_identification.mechanisms.multibody.analysis.subject import Subject
from pkm_identification.mechanisms.multibody.analysis.symbolic.formulas import NEEDS_SYMPY, has_sympy
from pkm_identification.records.atomic import write_text
from pkm_identification.report.identifiability.base_parameters import (
    WithoutUnits,
    build_base_parameters_document,
    format_base_parameters_text,
)
from pkm_identification.report.identifiability.transfers import WrittenOut, format_latex_text

from .arguments import add_json, add_machine
from .results import check_file, present


def add(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "base-parameters",
        description="The smallest set of combinations that the driven forces of a machine depend on, of ten parameters "
        "a rigid body. Structure alone: no log.",
    )
    add_machine(parser)
    parser.add_argument(
        "--route",
        choices=(*ROUTES, ALL),
        default=DOUBLE,
        help="double precision; as many digits as it takes; rules on the joint graph; fractions, without rounding; all "
        "that apply (default: double)",
    )
    parser.add_argument(
        "--digits",
        default="30,60",
        metavar="D1,D2[,MOST]",
        help="digits of the precise route, doubled up to MOST (480) while a singular value is undecided "
        "(default: 30,60)",
    )
    parser.add_argument(
        "--symmetry",
        choices=SYMMETRIES,
        default=SYMMETRIES[0],
        help="what is known of a hexapod's struts (default: general)",
    )
    parser.add_argument(
        "--latex",
        metavar="FILE",
        help="with the symbolic route: the base parameters as formulas of the description's constants (needs SymPy)",
    )
    parser.add_argument(
        "--eliminate",
        default="",
        metavar="NAME,...",
        help="parameters to give up first, where there is a choice",
    )
    parser.add_argument(
        "--friction",
        action="store_true",
        help="also add a viscous and a Coulomb coefficient for each drive",
    )
    parser.add_argument(
        "--homogenized",
        action="store_true",
        help="also print rank and condition of the regressor without units, and what each parameter does to the forces",
    )
    parser.add_argument(
        "--length",
        type=float,
        metavar="M",
        help="with --homogenized: moments are divided by this length where a machine has forces and moments",
    )
    add_json(parser)
    parser.set_defaults(run=_run_base_parameters)


def _run_base_parameters(options: argparse.Namespace) -> int:
    digits = _format_digits(options.digits)
    if options.length is not None and not options.homogenized:
        raise SettingsError("--length: belongs to --homogenized")
    if options.length is not None and not 0.0 < options.length < math.inf:
        raise SettingsError(f"--length {options.length:g}: must be more than 0, in m")
    if options.latex is not None and options.route not in (SYMBOLIC, ALL):
        raise SettingsError("--latex: belongs to --route symbolic or all")
    if options.latex is not None and not has_sympy():
        raise SettingsError(f"--latex: {NEEDS_SYMPY}")
    check_file(options.latex, "--latex")
    subject = Subject.load(options.machine, options.symmetry)
    if options.friction:
        subject = subject.with_friction()
    if options.length is not None and len(set(subject.row_units)) == 1:
        unit = subject.row_units[0]
        raise SettingsError(
            f"--length: all forces of '{subject.name}' are in {unit}: there is nothing to scale"
        )
    wanted_out = [name.strip() for name in options.eliminate.split(",") if name.strip()]
    routes = find_base_parameters(subject, options.route, digits, wanted_out)
    without_units = _strip_units(subject, options) if options.homogenized else None
    written = WrittenOut.of(routes, digits[1])
    if options.latex is not None:
        write_text(options.latex, format_latex_text(routes, written))
    present(
        format_base_parameters_text(routes, without_units, written),
        build_base_parameters_document(routes, without_units, written),
        options.json,
    )
    if routes.disagreement:
        raise NotConverged(routes.disagreement)
    if routes.precise is not None and not routes.precise.sure:
        base = routes.precise.base
        raise NotConverged(f"{base.undecided} singular values are undecided with {base.digits[1]} digits")
    return 0


def _strip_units(subject: Subject, options: argparse.Namespace) -> WithoutUnits:
    scale = None
    if options.length is not None:
        scale = [1.0 if unit == "N" else options.length for unit in subject.row_units]
    try:
        rows = scaled_rows(subject.columns(), subject.row_units, scale)
    except SettingsError as error:
        raise SettingsError(f"--homogenized: {error} (--length)") from None
    unitless = homogenize_regressor(rows, subject.kinds)
    forces = rows @ subject.nominal
    shares = parameter_contributions(rows, subject.nominal, subject.kinds) if np.any(forces) else None
    return WithoutUnits(unitless, raw_condition(rows, unitless.rank), shares)


def _format_digits(text: str) -> tuple[int, ...]:
    try:
        digits = tuple(int(part) for part in text.split(","))
    except ValueError:
        raise SettingsError(f"--digits {text}: must be whole numbers with commas between") from None
    checked_digits(digits)
    return digits
