# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Options that several commands have: alike in name, meaning and help."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any

from pkm_identification.declared import Declaration
from pkm_identification.errors import SettingsError
from pkm_identification.machines.contract import Machine as AnyMachine
from pkm_identification.machines.encoders import with_encoder
from pkm_identification.machines.load import load_machine
from pkm_identification.records.orientations import FORMS

LOG_FORMS = (
    "text of columns (also .gz), .xlsx, .mat, .parquet, .h5, or a bag (folder, .mcap, .db3, .zstd, .bag)"
)


def add_machine(parser: argparse.ArgumentParser) -> None:
    """The machine description, --machine."""
    parser.add_argument("--machine", required=True, help="built-in name or YAML file")


def machine_of_logs(options: argparse.Namespace) -> AnyMachine:
    """Return the machine of --machine, as the encoders of --encoder show it; raises PkmError if there is none."""
    machine = load_machine(options.machine)
    encoder = getattr(options, "encoder", None)
    return machine if encoder is None else with_encoder(machine, encoder)


def check_seed(seed: int) -> None:
    """Raise SettingsError unless random numbers can be drawn with it."""
    if seed < 0:
        raise SettingsError(f"--seed {seed}: must not be negative")


def add_logs(parser: argparse.ArgumentParser) -> None:
    """One log or several, how they are to be read, and the machine they are of: what `records.read_logs` needs."""
    parser.add_argument("logs", nargs="+", metavar="LOG", help=LOG_FORMS)
    add_machine(parser)
    parser.add_argument(
        "--encoder",
        choices=("load", "motor"),
        help="whose coordinates are used, of drives with an encoder on either side (default: load)",
    )
    add_reading(parser)


def add_reading(parser: argparse.ArgumentParser) -> None:
    """How logs are read that are not our own."""
    group = parser.add_argument_group("reading logs of other programs (docs/logs.md)")
    group.add_argument(
        "--columns",
        metavar="OURS=THEIRS,...",
        help="by name or number, as t=time,length=L1..L6,force=F1..F6, of other machines coordinate=A1..A3; or a kept "
        ".columns.yaml file",
    )
    group.add_argument(
        "--units", metavar="UNIT,...", help="what the log is in, as mm,kN,ms,deg,Nm (default: SI units)"
    )
    group.add_argument(
        "--rate", type=float, metavar="HZ", help="time is counted in samples, or not in the log"
    )
    group.add_argument(
        "--joints",
        metavar="A,B,...",
        help="names of the drives in a bag's messages, struts 1 to 6 of a hexapod",
    )
    group.add_argument(
        "--topic", help="topic in a bag when it has several of the drives; several with commas between"
    )
    group.add_argument(
        "--stamps",
        choices=("header", "receive"),
        help="whose stamps a bag's messages have: their own (default) or their times of arrival",
    )
    group.add_argument(
        "--at-zero",
        metavar="VALUE,...",
        help="coordinate in m or rad where the log has 0, as of strokes instead of lengths: one, or one of each drive",
    )


def words_of_reading(options: argparse.Namespace) -> list[str]:
    """Return the options of `add_logs` that were given, as they are typed."""
    names = ("encoder", "columns", "units", "rate", "joints", "topic", "stamps", "at_zero")
    given = {name: getattr(options, name, None) for name in names}
    return [
        word
        for name, value in given.items()
        if value is not None
        for word in ("--" + name.replace("_", "-"), f"{value:g}" if isinstance(value, float) else str(value))
    ]


def reading(options: argparse.Namespace, machine: AnyMachine | None = None) -> dict[str, Any]:
    """Return what these options say, as `read_log` takes it; of six struts, unless a machine is given.

    Raises
    ------
    SettingsError, DocumentError
        If they cannot be understood.
    """
    from pkm_identification.records.channels import build_channels
    from pkm_identification.records.foreign import LogLayout

    layout = LogLayout.of(
        options.columns,
        options.units,
        options.joints,
        options.rate,
        build_channels(machine),
        options.stamps,
        options.at_zero,
    )
    return {"topic": options.topic, "layout": layout}


def add_json(parser: argparse.ArgumentParser) -> None:
    """Where the numbers go, --json, as `results.present` takes it."""
    parser.add_argument(
        "--json", metavar="FILE", help="write the numbers here ('-': to stdout instead of text)"
    )


class _Joined(argparse.Action):
    """Texts with commas: the option given twice means both."""

    def __call__(self, _parser: Any, options: Any, values: Any, _option: str | None = None) -> None:
        before = getattr(options, self.dest)
        setattr(options, self.dest, ",".join(part for part in (before, values) if part))


def add_setting(
    parser: argparse._ActionsContainer, declaration: Declaration, metavar: str | None = None
) -> None:
    """The option of a declared setting; its value is found under the setting's name."""
    default = declaration.default
    kind: dict[str, Any] = {"dest": declaration.name, "default": default}
    if isinstance(default, bool):
        parser.add_argument(declaration.flag, action="store_true", help=declaration.help, **kind)
        return
    if isinstance(default, list):
        kind |= {"action": "append", "default": [], "metavar": metavar}
        parser.add_argument(declaration.flag, help=f"{declaration.help}; repeatable", **kind)
        return
    shown = default
    if declaration.choices and not declaration.ending:
        kind["choices"] = declaration.choices
    elif declaration.percent:
        kind |= {"type": percent, "metavar": "PERCENT"}
        shown = f"{100 * default:g}"
    elif not isinstance(default, str):
        kind |= {"type": type(default), "metavar": metavar or declaration.unit.upper() or None}
        shown = f"{default:g}"
    else:
        kind["metavar"] = metavar
        if metavar and "..." in metavar:
            kind["action"] = _Joined
    text = declaration.help
    if declaration.ending:
        text += f": {', '.join(declaration.choices)}, or a {declaration.ending} file"
    text = f"{text} (default: {shown})" if shown else text
    parser.add_argument(declaration.flag, help=text.replace("%", "%%"), **kind)


def collect_options(options: argparse.Namespace, settings: Iterable[Declaration]) -> dict[str, Any]:
    """Return what the options of declared settings say, by the settings' names.

    Raises
    ------
    SettingsError
        If a number is out of its range: names the option.
    """
    values = {}
    for declaration in settings:
        values[declaration.name] = value = getattr(options, declaration.name)
        declaration.check_option(value)
    return values


def percent(text: str) -> float:
    """Return a number in percent as a fraction."""
    return float(text) / 100


def add_angles(parser: argparse.ArgumentParser) -> None:
    """`--angles`: how the orientation of poses is written."""
    parser.add_argument(
        "--angles",
        choices=FORMS,
        help="poses of the platform, their orientation as quaternion (default), z-x-z Euler angles phi,theta,psi, or "
        "roll,pitch,yaw, in rad; tables that are read have any of them",
    )
