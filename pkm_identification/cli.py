# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The `pkm` command: arguments in, exit code out (0 good, 1 an answer not to be trusted, 2 bad input)."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from importlib import import_module
from typing import Any

from pkm_identification.commands.catalogue import COMMANDS, GROUPS
from pkm_identification.commands.one_line_parser import OneLineParser
from pkm_identification.commands.terminal import ProgressBar, warn
from pkm_identification.errors import NotConverged, PkmError, one_line
from pkm_identification.interruption import INTERRUPTED, interruptible
from pkm_identification.progress import listening
from pkm_identification.version import __version__

# Before numpy is loaded: the matrices here are small, and threads of the linear algebra only get in each other's way.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# These end by signals in an orderly way of their own: other processes and recordings hang on them.
WITH_NODES = ("demo", "watch", "record", "play")


class _Commands(argparse._SubParsersAction):
    """Commands that have their summaries and examples in the help wherever their options come from."""

    def add_parser(self, name: str, **settings: Any) -> Any:
        command = COMMANDS[name]
        epilog = f"{settings.pop('epilog', '')}\n\nexample:\n  {command.example}".lstrip()
        return super().add_parser(name, help=command.summary, epilog=epilog, **settings)


class _MainParser(OneLineParser):
    """Parser of `pkm` itself, which lists the commands in groups."""

    def format_help(self) -> str:
        lines = ["usage: pkm COMMAND [options]", "", str(self.description)]
        for title, group in GROUPS.items():
            lines += ["", f"{title}:", *(f"  {name:<16}{command.summary}" for name, command in group.items())]
        return "\n".join([*lines, "", "pkm COMMAND --help shows options and an example; pkm --version.", ""])


def parser_for(*chosen: str) -> argparse.ArgumentParser:
    """The parser with all subcommands, and the options of those that are chosen: no other is loaded, none for ''."""
    parser = _MainParser(
        prog="pkm",
        description="Identify the dynamics of parallel kinematic machines from what their drives measure.",
    )
    parser.add_argument("--version", action="version", version=f"pkm {__version__}")
    commands = parser.add_subparsers(
        action=_Commands, dest="command", required=True, metavar="COMMAND", parser_class=OneLineParser
    )
    modules = list(dict.fromkeys(COMMANDS[name].module for name in chosen if name in COMMANDS))
    for name, command in COMMANDS.items():
        if command.module not in modules:
            commands.add_parser(name)
    for module in modules:
        import_module(f".commands.{module}", __package__).add(commands)
    parser.set_defaults(every_command=lambda: parser_for(*COMMANDS))
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `pkm`; a user's mistake is one line on stderr and exit code 2, what diverges one and 1; never a traceback."""
    whole_process = arguments is None
    arguments = sys.argv[1:] if arguments is None else arguments
    if not arguments or arguments[0] == "help":
        # as `pkm --help` and `pkm COMMAND --help`
        arguments = [*arguments[1:2], "--help"]
    command = next((text for text in arguments if text in COMMANDS), "")
    try:
        with interruptible(f"pkm {command}".strip()) if command not in WITH_NODES else nullcontext():
            with _pause_garbage_collection() if whole_process else nullcontext():
                options = parser_for(command).parse_args(arguments)
            with _show_progress():
                return options.run(options)
    except PkmError as error:
        warn(one_line(f"pkm {command}: {error}"))
        return 1 if isinstance(error, NotConverged) else 2
    except KeyboardInterrupt:
        print(f"pkm {command}: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # the reader of our output went away; keep Python from complaining at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        # what only the system could know: a name that is too long, a folder that may not be looked into
        where = "" if error.filename is None else f"{error.filename}: "
        warn(one_line(f"pkm {command}: {where}{error.strerror or error}"))
        return 2


@contextmanager
def _pause_garbage_collection() -> Iterator[None]:
    """What is imported stays: looking through it for garbage over and over took .13 s of the 3.3 s of `identify`."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


@contextmanager
def _show_progress() -> Iterator[None]:
    """Long runs show how far they are, on a terminal alone."""
    if not sys.stderr.isatty():
        yield
        return
    bar = ProgressBar()
    with listening(bar):
        try:
            yield
        finally:
            bar.close()


if __name__ == "__main__":
    sys.exit(main())
