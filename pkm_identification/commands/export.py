"""pkm export: a machine, nominal or identified, for other programs."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import yaml

from pkm_identification.errors import SettingsError
from pkm_identification.export.identified import identified_machine
from pkm_identification.identification.saved_estimate import SavedEstimate, read_saved_estimate
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.sets import NAMES, hexapod_parameters
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.records.atomic import replacing

from .arguments import add_machine

FORMATS = ("urdf", "mjcf", "yaml")


def add(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "export",
        help="a machine for other programs: URDF, MJCF or a machine file",
        description="Write a machine, with its nominal or with identified parameters. urdf: a tree for display (the "
        "kinematics node publishes the states of its joints); mjcf: a MuJoCo model with closed loops, without "
        "friction; yaml: a machine file.",
    )
    add_machine(parser)
    parser.add_argument("--estimate", metavar="FILE", help="estimate.json with the identified parameters")
    parser.add_argument("--format", choices=FORMATS, help="(default: by the name of --out)")
    parser.add_argument("--out", required=True, metavar="FILE", help="file to write; '-': stdout")
    parser.set_defaults(run=_export)


def _export(options: argparse.Namespace) -> int:
    machine = Machine.load(options.machine)
    kind = options.format or _kind(options.out)
    if options.estimate:
        saved = read_saved_estimate(options.estimate)
        machine = identified_machine(machine, _basis(machine, saved))
    text = _text(machine, kind)
    if options.out == "-":
        sys.stdout.write(text)
        return 0
    with replacing(options.out) as temporary:
        temporary.write_text(text, encoding="utf-8")
    print(f"{options.out}: {machine.name}, {kind}", file=sys.stderr)
    return 0


def _kind(out: str) -> str:
    found = {".urdf": "urdf", ".xml": "mjcf", ".mjcf": "mjcf", ".yaml": "yaml", ".yml": "yaml"}.get(
        Path(out).suffix
    )
    if found is None:
        raise SettingsError(
            f"--out {out}: give --format, one of {', '.join(FORMATS)}; the name does not tell"
        )
    return found


def _text(machine: Machine, kind: str) -> str:
    # each format loads only what it needs: MuJoCo takes a second
    if kind == "urdf":
        from pkm_identification.export.urdf import urdf

        return urdf(machine)
    if kind == "mjcf":
        from pkm_identification.simulation.model import hexapod_mjcf

        return hexapod_mjcf(machine)
    return yaml.safe_dump(machine.document, sort_keys=False, default_flow_style=None, width=110)


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
