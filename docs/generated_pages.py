# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

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
# Public names by what they are for, a page each
TOPICS = {
    "Identification": ("identify", "load", "Result", "MechanismResult", "identify_mechanism"),
    "Logs": ("read_logs", "Logs", "DriveLog", "StrutLog", "simulate"),
    "Machines": ("load_machine", "Machine", "Mechanism", "export", "load_mechanism"),
    "Kinematics and forces": (
        "inverse", "forward", "forces", "output_motion", "PlatformMotion", "mechanism_motion",
    ),
    "Errors": (
        "PkmError", "DocumentError", "LogError", "MachineError", "NotConverged", "OutputError", "SettingsError",
        "Unidentifiable",
    ),
}  # fmt: skip


def write_pages(folder: Path) -> None:
    """Write commands.md, messages.md and those of Python into a folder; what was there is replaced."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    pages = {"commands": commands_page(), "messages": messages_page(), **api_pages()}
    for name, text in pages.items():
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
    sections = ["# Commands", "", "Printed by `pkm COMMAND --help-all`.", ""]
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


def api_pages() -> dict[str, str]:
    """Return a page for each topic of what `import pkm_identification as pkm` offers, by its name, and their list."""
    left = set(pkm_identification.__all__) - {name for names in TOPICS.values() for name in names}
    if left:
        raise ValueError(f"TOPICS: name no topic for {', '.join(sorted(left))}")
    pages = {}
    contents = [
        "# Python",
        "",
        "`import pkm_identification as pkm`; everything else stays importable.",
        "",
        "```{toctree}",
        ":maxdepth: 2",
        "",
    ]
    for topic, names in TOPICS.items():
        page = f"api_{topic.lower().replace(' ', '_')}"
        contents.append(page)
        sections = [f"# {topic}", ""]
        for name in names:
            sections += _describe_name(name)
        pages[page] = "\n".join(sections)
    return {"api": "\n".join([*contents, "```", ""]), **pages}


def _describe_name(name: str) -> list[str]:
    """Return the section of a public name: its docstring, or which name it is an older one of."""
    thing = getattr(pkm_identification, name)
    if thing.__name__ != name:
        return [f"## {name}", "", f"An older name of `{thing.__name__}`.", ""]
    directive = "autoclass" if isinstance(thing, type) else "autofunction"
    documented = directive == "autoclass" and not issubclass(thing, Exception)
    options = [":members:", ":inherited-members:"] if documented else []
    target = f"{thing.__module__}.{thing.__qualname__}"
    return [
        f"## {name}", "", "```{eval-rst}", f".. {directive}:: {target}",
        *(f"   {option}" for option in options), "```", "",
    ]  # fmt: skip
