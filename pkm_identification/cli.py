"""The `pkm` command: arguments in, exit code out (0 good, 1 did not converge, 2 bad input)."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from pkm_identification import __version__
from pkm_identification.errors import NotConverged, PkmError

# Before numpy is loaded: the matrices here are small, and threads of the linear algebra only get in each other's way.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Modules of commands/, in the order of the help.
COMMANDS = (
    "identify",
    "check",
    "diagnose",
    "friction",
    "staged",
    "kinematics",
    "workspace",
    "contributions",
    "sensitivity",
    "simulate",
    "export",
    "reproduce",
    "demo",
    "bags",
)


def build_parser() -> argparse.ArgumentParser:
    """The parser with all subcommands."""
    parser = argparse.ArgumentParser(
        prog="pkm",
        description="Identify the dynamics of parallel kinematic machines from strut lengths and forces.",
    )
    parser.add_argument("--version", action="version", version=f"pkm {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name in COMMANDS:
        import_module(f".commands.{name}", __package__).add(commands)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `pkm`; a user's mistake is one line on stderr and exit code 2, what diverges one and 1; never a traceback."""
    options = build_parser().parse_args(arguments)
    try:
        return options.run(options)
    except PkmError as error:
        print(f"pkm {options.command}: {error}", file=sys.stderr)
        return 1 if isinstance(error, NotConverged) else 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # the reader of our output went away; keep Python from complaining at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


if __name__ == "__main__":
    sys.exit(main())
