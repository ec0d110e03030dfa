# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm completion: a script by which a shell completes commands, options and their choices."""

from __future__ import annotations

import argparse

from pkm_identification.optional import library

SHELLS = ("bash", "zsh", "tcsh")


def add(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "completion",
        description="Print the script that completes pkm commands in a shell. Needs the extra completion. For bash: "
        "pkm completion bash "
        "> ~/.local/share/bash-completion/completions/pkm; for zsh: into a file _pkm of a folder in $fpath.",
    )
    parser.add_argument("shell", choices=SHELLS)
    parser.set_defaults(run=_run_completion)


def _run_completion(options: argparse.Namespace) -> int:
    print(library("shtab", "completion").complete(options.every_command(), options.shell))
    return 0
