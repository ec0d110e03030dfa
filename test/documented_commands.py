# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Commands that README and the pages of docs/ tell people to type, from their blocks and from the text."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = (
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "examples/README.rst")),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "nodes").glob("*.md")),
)
PROGRAMS = ("pkm", "ros2", "make", "python", "python3", "dask")
# What stands for the rest, or for what the reader has: nothing that can be read as an argument.
OPEN = re.compile(r"\.\.\.|^[A-Z][A-Z_]*$|^\[--")


@dataclass(frozen=True)
class Documented:
    """A command: its page, what it is in words, and whether it stands in a block, to be typed as it is."""

    page: str
    words: tuple[str, ...]
    in_block: bool

    @property
    def program(self) -> str:
        """What is called: pkm, ros2, make, python, dask."""
        return self.words[0].removesuffix("3")

    @property
    def open(self) -> bool:
        """Whether something of it is left to the reader."""
        return any(OPEN.search(word) for word in self.words[1:])

    def __str__(self) -> str:
        return f"{self.page}: {' '.join(self.words)}"


def documented() -> list[Documented]:
    """All of them, each once a page."""
    found = dict.fromkeys(
        Documented(page.relative_to(ROOT).as_posix(), words, in_block)
        for page in PAGES
        for in_block, words in _commands(page.read_text(encoding="utf-8"))
    )
    return list(found)


def _commands(text: str) -> Iterator[tuple[bool, tuple[str, ...]]]:
    """Words of the commands of a page."""
    prose: list[str] = []
    fence, block = "", ""
    for line in text.splitlines():
        mark = line.strip()
        if mark.startswith("```"):
            if not fence:
                fence, block = mark, ""
            else:
                if fence in ("```", "```sh", "```bash", "```console"):
                    yield from ((True, words) for words in _typed(block))
                fence = ""
        elif fence:
            block += line + "\n"
        else:
            prose.append(line)
    for code in re.findall(r"`+([^`]+)`+", "\n".join(prose)):
        yield from ((False, words) for words in _typed(" ".join(code.split())))


def _typed(block: str) -> Iterator[tuple[str, ...]]:
    for line in block.replace("\\\n", " ").splitlines():
        try:
            words = shlex.split(line, comments=True)
        except ValueError:  # a quote that is an apostrophe: prose
            continue
        for command in _apart(words):
            # settings of the environment come before a command
            while command and re.match(r"[A-Z_]+=", command[0]):
                command = command[1:]
            # .venv/bin/python is a python
            program = command[0].rpartition("bin/")[2] if command else ""
            if program in PROGRAMS:
                yield (program, *command[1:])


def _apart(words: list[str]) -> Iterator[list[str]]:
    """What `&&`, `;` and `>` part."""
    command: list[str] = []
    for word in words:
        if word in ("&&", ";", "do", "done", "&"):
            yield command
            command = []
        else:
            command.append(word.removesuffix(";"))
    yield command[: command.index(">")] if ">" in command else command
