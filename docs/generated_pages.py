# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Pages of the site that the code itself says: every command with its options, every message, the public API."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path
from typing import Any

import pkm_identification
from pkm_identification.cli import COMMANDS, parser_for
from pkm_identification.commands.one_line_parser import HelpFormatter

ROOT = Path(pkm_identification.__file__).resolve().parents[1]
KINDS = ("msg", "srv", "action")


def write_pages(folder: Path) -> None:
    """Write commands.md, messages.md and api.md into a folder of generated pages; what was there is replaced."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, text in (("commands", commands_page()), ("messages", messages_page()), ("api", api_page())):
        (folder / f"{name}.md").write_text(text, encoding="utf-8")


def subparser(command: str) -> Any:
    """The parser of one command with all its options."""
    (choices,) = [
        action.choices
        for action in parser_for(command)._actions
        if isinstance(action, argparse._SubParsersAction)
    ]
    return choices[command]


def commands_page() -> str:
    """Every command's own help."""
    sections = ["# Commands", "", "What `pkm COMMAND --help` prints.", ""]
    for command, listed in COMMANDS.items():
        parser = subparser(command)
        parser.shows_rare = True
        parser.formatter_class = lambda prog: HelpFormatter(prog, max_help_position=26, width=100)
        sections += [
            f"## pkm {command}",
            "",
            f"{listed.summary[0].upper()}{listed.summary[1:]}.",
            "",
            "```text",
            parser.format_help().rstrip(),
            "```",
            "",
        ]
    return "\n".join(sections)


def messages_page() -> str:
    """The definition of every message, service and action."""
    sections = ["# Messages, services, actions", ""]
    for kind in KINDS:
        for path in sorted((ROOT / kind).glob(f"*.{kind}")):
            text = path.read_text(encoding="utf-8").rstrip()
            sections += [f"## {kind}/{path.stem}", "", "```text", text, "```", ""]
    return "\n".join(sections)


def api_page() -> str:
    """What `import pkm_identification as pkm` offers, each with its docstring."""
    sections = ["# Python", "", "`import pkm_identification as pkm`; everything else stays importable.", ""]
    for name in pkm_identification.__all__:
        thing = getattr(pkm_identification, name)
        if thing.__name__ != name:
            sections += [
                f"## {name}",
                "",
                f"An older name of [{thing.__name__}](#{thing.__name__.lower()}).",
                "",
            ]
            continue
        directive = "autoclass" if isinstance(thing, type) else "autofunction"
        documented = directive == "autoclass" and not issubclass(thing, Exception)
        options = [":members:", ":inherited-members:"] if documented else []
        target = f"{thing.__module__}.{thing.__qualname__}"
        sections += [f"## {name}", "", "```{eval-rst}", f".. {directive}:: {target}"]
        sections += [f"   {option}" for option in options] + ["```", ""]
    return "\n".join(sections)
