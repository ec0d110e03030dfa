# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""pkm completion: a script by which a shell completes commands, options and their choices."""

from __future__ import annotations

import argparse

from pkm_identification.optional import library

SHELLS = ("bash", "zsh", "tcsh")


def add(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "completion",
        description="Print what makes a shell complete pkm. Needs the extra completion. For bash: pkm completion bash "
        "> ~/.local/share/bash-completion/completions/pkm; for zsh: into a file _pkm of a folder in $fpath.",
    )
    parser.add_argument("shell", choices=SHELLS)
    parser.set_defaults(run=_run_completion)


def _run_completion(options: argparse.Namespace) -> int:
    print(library("shtab", "completion").complete(options.every_command(), options.shell))
    return 0
