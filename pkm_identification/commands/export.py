"""pkm export: a machine, nominal or identified, for other programs."""

from __future__ import annotations

import argparse
import sys

from pkm_identification.errors import SettingsError
from pkm_identification.estimation.identifiability import IN_DOUBT
from pkm_identification.exporting.cured import cured, read_causes, with_keys
from pkm_identification.exporting.formats import FORMATS, format_of, machine_text, write_machine
from pkm_identification.exporting.identified import identified_machine
from pkm_identification.identification.saved_estimate import SavedEstimate, read_saved_estimate
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.sets import NAMES, hexapod_parameters
from pkm_identification.numerics.arrays import FloatArray

from .arguments import add_machine


def add(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "export",
        description="Write a machine, with its nominal or with identified parameters. urdf: a tree for display (the "
        "kinematics node publishes the states of its joints); mjcf: a MuJoCo model with closed loops, without "
        "friction; yaml: a machine file.",
    )
    add_machine(parser)
    parser.add_argument("--estimate", metavar="FILE", help="estimate.json with the identified parameters")
    parser.add_argument(
        "--cures",
        metavar="FILE",
        help="what pkm diagnose --json has found: delay, gains, offsets and motor inertia become known to the machine",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a key of the machine file, as drive.force_delay=0.0019; may be repeated",
    )
    parser.add_argument("--format", choices=FORMATS, help="(default: by the name of --out)")
    parser.add_argument("--out", required=True, metavar="FILE", help="file to write; '-': stdout")
    parser.set_defaults(run=_export)


def _export(options: argparse.Namespace) -> int:
    machine = Machine.load(options.machine)
    form = options.format or _form(options.out)
    doubtful: list[str] = []
    if options.cures or options.set:
        if options.estimate:
            raise SettingsError(
                "--estimate: was made with the machine file as it is; cure the file first, then identify"
            )
        machine = _cured(machine, options)
    if options.estimate:
        saved = read_saved_estimate(options.estimate)
        machine = identified_machine(machine, _basis(machine, saved))
        doubtful = [name for name, status in saved.status.items() if status == IN_DOUBT]
    if options.out == "-":
        sys.stdout.write(machine_text(machine, form))
    else:
        write_machine(options.out, machine, form)
        print(f"{options.out}: {machine.name}, {form}", file=sys.stderr)
    if doubtful:
        print(
            f"pkm export: {options.estimate}: in doubt, because the model did not fit: {', '.join(doubtful)}",
            file=sys.stderr,
        )
    return 1 if doubtful else 0


def _cured(machine: Machine, options: argparse.Namespace) -> Machine:
    if options.cures:
        machine, left = cured(machine, read_causes(options.cures))
        if left:
            print(f"pkm export: no key of a machine file knows {', '.join(left)}", file=sys.stderr)
    return with_keys(machine, options.set)


def _form(out: str) -> str:
    form = format_of(out)
    if form is None:
        raise SettingsError(
            f"--out {out}: give --format, one of {', '.join(FORMATS)}; the name does not tell"
        )
    return form


def _basis(machine: Machine, saved: SavedEstimate) -> FloatArray:
    """All of an estimate, also what it shows only in combinations: together the values predict best."""
    for name in NAMES:
        parameters = hexapod_parameters(machine, name)
        if saved.names == parameters.names:
            saved.check(machine, parameters)
            return parameters.mapping @ saved.mean + parameters.known
    raise SettingsError(
        f"{saved.source}: has the parameters of no set ({', '.join(NAMES)}); estimates with fixed or tied parameters "
        "cannot be exported"
    )
