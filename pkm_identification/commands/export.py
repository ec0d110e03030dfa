# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm export: a machine, nominal or identified, for other programs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from pkm_identification.errors import SettingsError
from pkm_identification.estimation.statuses import is_doubtful, is_known
from pkm_identification.exporting.corrected import has_estimated_effects, know_causes, read_causes, with_keys
from pkm_identification.exporting.estimated import know_effects, with_estimate
from pkm_identification.exporting.formats import FORMATS, format_machine_text, format_of, write_machine
from pkm_identification.identification.saved_estimate import SavedEstimate, read_saved_estimate
from pkm_identification.identification.settings import assumptions_of
from pkm_identification.machines.contract import Machine
from pkm_identification.machines.load import load_machine

from .arguments import add_machine


def add(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "export",
        description="Write a machine, with its nominal or with identified parameters. mjcf: a MuJoCo model with closed "
        "loops; sdf: the same for Gazebo; c: C99 source of the inverse dynamics; yaml: a machine file; urdf: "
        "a tree, loops left open (the kinematics node publishes the states of its joints); urdf-home: one whose joints "
        "are zero at home; ros2_control: a URDF with its drives; of hexapods also linuxcnc: joint centres for "
        "genhexkins (.hal).",
    )
    add_machine(parser)
    parser.add_argument("--estimate", metavar="FILE", help="estimate.json with the identified parameters")
    for name in ("fix", "tie", "prior"):
        parser.add_argument(
            f"--{name}",
            **({"action": "append", "default": []} if name != "prior" else {"default": ""}),
            metavar="FILE" if name == "prior" else "NAME...",
            help="with --estimate: as it was given to pkm identify",
        )
    parser.add_argument(
        "--cures",
        metavar="FILE",
        help="estimate.json of pkm identify --also (gravity, places of joints; of a hexapod encoders' zeros and pitch, "
        "the friction law, too), or what pkm diagnose --json has found of a hexapod (delay, gains, offsets, motor "
        "inertia): it becomes part of the machine; what its file has no key for is named",
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
    machine: Machine = load_machine(options.machine)
    form = options.format or _choose_form(options.out)
    doubtful: list[str] = []
    refused = False
    if options.cures or options.set:
        if options.estimate:
            raise SettingsError(
                "--estimate: was made with the machine file as it is; correct the file first, then identify"
            )
        machine = _export_corrected(machine, options)
    if options.estimate:
        saved = read_saved_estimate(options.estimate)
        found = with_estimate(machine, saved, assumptions_of(options.fix, options.tie, options.prior))
        machine = found.machine
        _tell(found.left)
        if found.shift:
            name, deviations = found.shift
            print(
                f"pkm export: {options.estimate}: no rigid bodies have these values; the nearest differ by at most "
                f"{deviations:.2g} standard deviations ({name})",
                file=sys.stderr,
            )
        doubtful = [name for name, status in saved.status.items() if is_doubtful(status)]
        _tell_unidentified(options.estimate, saved)
        refused = saved.answer is not None and not saved.answer.verdict.good
    if options.out == "-":
        sys.stdout.write(format_machine_text(machine, form))
    else:
        write_machine(options.out, machine, form)
        print(f"{options.out}: {machine.name}, {form}", file=sys.stderr)
    if doubtful:
        why = "affected (the model did not fit, or no rigid body is near)"
        print(f"pkm export: {options.estimate}: {why}: {', '.join(doubtful)}", file=sys.stderr)
    return 1 if doubtful or refused else 0


def _export_corrected(machine: Machine, options: argparse.Namespace) -> Machine:
    if options.cures:
        causes = read_causes(options.cures)
        left: tuple[str, ...] = ()
        estimated = has_estimated_effects(options.cures)
        if estimated:
            machine, left = know_effects(machine, read_saved_estimate(options.cures))
        machine, unknown = know_causes(machine, causes)
        _tell([*left, *unknown])
        if not causes and not estimated:
            print(
                f"pkm export: {options.cures}: names nothing to correct; the file stays as it is",
                file=sys.stderr,
            )
    return with_keys(machine, options.set)


def _tell_unidentified(source: str, saved: SavedEstimate) -> None:
    """Say which values are not the data's, and what the verdict of the full model was where it is no good one."""
    if saved.answer is None:
        return
    others = [name for name in saved.names if not is_known(saved.status.get(name, ""))]
    if others:
        print(
            f"pkm export: {source}: not identified, written without a width: {', '.join(others)}",
            file=sys.stderr,
        )
    if not saved.answer.verdict.good:
        print(f"pkm export: {source}: {saved.answer.verdict.sentence}", file=sys.stderr)


def _tell(left: Sequence[str]) -> None:
    if left:
        print(f"pkm export: a machine file has no key for {', '.join(left)}", file=sys.stderr)


def _choose_form(out: str) -> str:
    form = format_of(out)
    if form is None:
        raise SettingsError(
            f"--out {out}: give --format, one of {', '.join(FORMATS)}: the file name has none of their endings"
        )
    return form
