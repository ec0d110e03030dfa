# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

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

from pkm_identification.commands.one_line_parser import OneLineParser
from pkm_identification.commands.terminal.colour import warn
from pkm_identification.commands.terminal.progress_bar import ProgressBar
from pkm_identification.errors import NotConverged, PkmError, one_line
from pkm_identification.interruption import INTERRUPTED, interruptible
from pkm_identification.progress import listening
from pkm_identification.version import __version__

# Before numpy is loaded: the matrices here are small, and threads of the linear algebra only get in each other's way.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Commands in the order of the help, and the module of commands/ that has each.
COMMANDS = {
    "identify": ("identify", "identify a machine from logs"),
    "init": ("init", "a machine file to begin with"),
    "import": ("import_log", "a log of another program as a log of ours"),
    "check": ("check", "say what is wrong with a log and what it can show"),
    "diagnose": ("diagnose", "say whether the model fits, and if not, why"),
    "compare": ("compare", "what differs between estimates beyond chance"),
    "history": ("history", "what changed when, from all logs of a machine"),
    "friction": ("friction", "test the friction of every drive with slow logs"),
    "staged": (
        "staged",
        "a hexapod's friction and inertia in stages, trajectory by trajectory, with a cross-check",
    ),
    "inverse": ("kinematics", "coordinates of the drives from poses or outputs"),
    "forward": ("kinematics", "poses or outputs from coordinates of the drives"),
    "forces": ("kinematics", "forces of the drives that a motion needs"),
    "mechanism": ("mechanism", "bodies, joints, loops and degrees of freedom of a machine"),
    "workspace": ("workspace", "where a machine reaches, and how dexterous it is there"),
    "contributions": ("contributions", "what the drives' forces of a motion are made of"),
    "base-parameters": (
        "base_parameters",
        "what combinations of its parameters the forces of a machine show",
    ),
    "identifiability": ("identifiability", "what logs or a motion show of the parameters, and how well"),
    "excite": ("excite", "a motion that shows the parameters well, within all limits"),
    "sensitivity": ("sensitivity", "what a wrong centre of mass does to the drives' forces"),
    "step": ("bench", "the answer of a machine with actuators to a step, and what it depends on"),
    "response": ("bench", "frequency response of a machine with actuators"),
    "modes": ("bench", "modes of a machine on the compliance of its drives"),
    "simulate": ("simulate", "write a log of a simulated machine"),
    "export": ("export", "a machine for other programs: URDF, SDF, MJCF, C, LinuxCNC or a machine file"),
    "reproduce": ("reproduce", "a reference text's study, its numbers beside ours"),
    "warm-up": ("warm_up", "compile ahead what nodes and identify need"),
    "demo": ("demo", "identify a simulated machine through the ROS 2 nodes"),
    "watch": ("watch", "a page in the browser beside running nodes"),
    "completion": ("completion", "make the shell complete commands and options"),
    "record": ("bags", "record topics into a bag"),
    "play": ("bags", "publish a bag as it was recorded"),
}

# These end by signals in an orderly way of their own: other processes and recordings hang on them.
WITH_NODES = ("demo", "watch", "record", "play")


class _Commands(argparse._SubParsersAction):
    """Commands that have their summaries in the help wherever their options come from."""

    def add_parser(self, name: str, **settings: Any) -> Any:
        return super().add_parser(name, help=COMMANDS[name][1], **settings)


def parser_for(*chosen: str) -> argparse.ArgumentParser:
    """The parser with all subcommands, and the options of those that are chosen: no other is loaded, none for ''."""
    parser = OneLineParser(
        prog="pkm",
        description="Identify the dynamics of parallel kinematic machines from what their drives measure.",
    )
    parser.add_argument("--version", action="version", version=f"pkm {__version__}")
    commands = parser.add_subparsers(action=_Commands, dest="command", required=True, metavar="COMMAND")
    modules = list(dict.fromkeys(COMMANDS[name][0] for name in chosen if name in COMMANDS))
    for name, (home, _) in COMMANDS.items():
        if home not in modules:
            commands.add_parser(name)
    for module in modules:
        import_module(f".commands.{module}", __package__).add(commands)
    parser.set_defaults(every_command=lambda: parser_for(*COMMANDS))
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `pkm`; a user's mistake is one line on stderr and exit code 2, what diverges one and 1; never a traceback."""
    whole_process = arguments is None
    arguments = sys.argv[1:] if arguments is None else arguments
    command = next((text for text in arguments if text in COMMANDS), "")
    try:
        with interruptible(f"pkm {command}".strip()) if command not in WITH_NODES else nullcontext():
            with _uncollected() if whole_process else nullcontext():
                options = parser_for(command).parse_args(arguments)
            with _progress():
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
        place = "" if error.filename is None else f"{error.filename}: "
        warn(one_line(f"pkm {command}: {place}{error.strerror or error}"))
        return 2


@contextmanager
def _uncollected() -> Iterator[None]:
    """What is imported stays: looking through it for garbage over and over took .13 s of the 3.3 s of `identify`."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


@contextmanager
def _progress() -> Iterator[None]:
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
