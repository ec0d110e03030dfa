# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A parser of arguments that answers what is wrong in one line, with the word that was meant."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Sequence
from typing import Any, NoReturn

from pkm_identification.errors import one_line
from pkm_identification.suggestion import did_you_mean

from .terminal import warn

MISSING = "the following arguments are required: "  # how argparse begins
NUMBERS: dict[Any, tuple[Any, str]] = {float: (float, "a number"), int: (int, "a whole number")}
# Groups of options that `--help` leaves to `--help-all`: right as they are for nearly every log.
RARE_GROUPS = ("tuning of the estimator", "filters", "other logs")


class HelpFormatter(argparse.HelpFormatter):
    """Help whose texts are wrapped, and whose indented lines, commands to be typed, stay as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(
            line if line.startswith(" ") else textwrap.fill(line, width) for line in text.splitlines()
        )


class _HelpAll(argparse._HelpAction):
    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        assert isinstance(parser, OneLineParser)
        parser.shows_rare = True
        parser.print_help()
        parser.exit()


class OneLineParser(argparse.ArgumentParser):
    """Parser of the command line and, by argparse's ways, of each of its commands."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **{"formatter_class": HelpFormatter, **settings})
        self.shows_rare = False

    def format_help(self) -> str:
        """Return a short usage, then all options; those of rare groups only after `--help-all`."""
        rare = [] if self.shows_rare else [one for one in self._action_groups if one.title in RARE_GROUPS]
        formatter = self._get_formatter()
        needed = [one for one in self._actions if one.required or not one.option_strings]
        formatter.add_usage(self.usage, needed, [], prefix="usage: ")
        formatter.add_text(self.description)
        for group in self._action_groups:
            if group not in rare:
                formatter.start_section(group.title)
                formatter.add_text(group.description)
                formatter.add_arguments(group._group_actions)
                formatter.end_section()
        if rare:
            formatter.add_text(f"More options with --help-all: {', '.join(str(one.title) for one in rare)}.")
        formatter.add_text(self.epilog)
        return formatter.format_help()

    def add_argument_group(self, *arguments: Any, **settings: Any) -> argparse._ArgumentGroup:
        """Return a new group of options; the first that is rare brings the option `--help-all`."""
        group = super().add_argument_group(*arguments, **settings)
        if group.title in RARE_GROUPS and "--help-all" not in self._option_string_actions:
            self.add_argument("--help-all", action=_HelpAll, help="show this and the rare options and exit")
        return group

    def error(self, message: str) -> NoReturn:
        """End with exit code 2 and one line, with an example where something is missing: --help shows the rest."""
        message = message.removeprefix("argument ")
        if message.startswith(MISSING):
            names = message.removeprefix(MISSING).split(", ")
            verb = "is" if len(names) == 1 else "are"
            example = str(self.epilog or "").rpartition("example:")[2].strip().splitlines()
            message = (
                f"{' and '.join(names)} {verb} missing{f'; as in: {example[0].strip()}' if example else ''}"
            )
        warn(one_line(f"{self.prog}: {message}"))
        self.exit(2)

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        if action.type in NUMBERS:
            try:
                return NUMBERS[action.type][0](arg_string)
            except ValueError:
                message = f"'{arg_string}' is not {NUMBERS[action.type][1]}"
                raise argparse.ArgumentError(action, message) from None
        return super()._get_value(action, arg_string)

    def parse_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]
        """All arguments; what no option takes is answered with the nearest one, or with the argument so named."""
        options, extra = self.parse_known_args(args, namespace)
        if extra:
            parser = self._command(getattr(options, "command", None))
            wrong = next((word for word in extra if word.startswith("-")), extra[0])
            flag, near = wrong.partition("=")[0], ""
            if flag.startswith("-"):
                without = {
                    f"--{one.dest}": one.metavar or one.dest for one in parser._get_positional_actions()
                }
                if flag in without:
                    near = f"; {without[flag]} is given without it"
                else:
                    near = did_you_mean(flag, parser._option_string_actions)
            kind = "option" if flag.startswith("-") else "argument"
            whole = "--help-all" if "--help-all" in parser._option_string_actions else "--help"
            parser.error(f"{flag}: no such {kind}{near or f'; {parser.prog} {whole} lists all'}")
        return options

    def _command(self, name: str | None) -> argparse.ArgumentParser:
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction) and name in action.choices:
                return action.choices[name]
        return self

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        known = [str(choice) for choice in action.choices]
        meant = did_you_mean(str(value), known)
        if isinstance(action, argparse._SubParsersAction):
            raise argparse.ArgumentError(None, f"'{value}' is no command{meant}; pkm --help lists all")
        raise argparse.ArgumentError(action, f"'{value}' is none of {', '.join(known)}{meant}")
