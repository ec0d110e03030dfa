"""Options that several commands have: alike in name, meaning and help."""

from __future__ import annotations

import argparse
from typing import Any

from pkm_identification.declared import Declaration
from pkm_identification.errors import SettingsError
from pkm_identification.identification.settings import NAMED


def add_machine(parser: argparse.ArgumentParser) -> None:
    """The machine description, --machine."""
    parser.add_argument("--machine", required=True, help="built-in name or YAML file")


def check_seed(seed: int) -> None:
    """Raise SettingsError unless random numbers can be drawn with it."""
    if seed < 0:
        raise SettingsError(f"--seed {seed}: must not be negative")


def refuse_for_mechanism(options: argparse.Namespace, **flags: str) -> None:
    """Refuse options that only hexapods have: by the names of their values, the options as they are written.

    Raises
    ------
    SettingsError
        If one of them is given.
    """
    for name, flag in flags.items():
        unset = [None, False, [], 0.0, *([NAMED[name].default] if name in NAMED else [])]
        if getattr(options, name) not in unset:
            raise SettingsError(
                f"{flag}: machine '{options.machine}' is a mechanism, and this is for hexapods alone"
            )


def add_logs(parser: argparse.ArgumentParser) -> None:
    """One log or several, the topic in a bag, and the machine they are of: what `records.read_logs` needs."""
    parser.add_argument("logs", nargs="+", metavar="LOG", help=".csv, .csv.gz or a bag folder")
    add_machine(parser)
    parser.add_argument("--topic", help="topic in a bag when it has several named strut_states")


def add_json(parser: argparse.ArgumentParser) -> None:
    """Where the numbers go, --json, as `results.present` takes it."""
    parser.add_argument(
        "--json", metavar="FILE", help="write the numbers here ('-': to stdout instead of text)"
    )


def add_setting(
    parser: argparse.ArgumentParser, declaration: Declaration, metavar: str | None = None
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
    text = declaration.help
    if declaration.ending:
        text += f": {', '.join(declaration.choices)}, or a {declaration.ending} file"
    text = f"{text} (default: {shown})" if shown else text
    parser.add_argument(declaration.flag, help=text.replace("%", "%%"), **kind)


def percent(text: str) -> float:
    """A number in percent as a fraction."""
    return float(text) / 100
