# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The page docs/failures.md, from the names and docstrings of the tests: `python test/failure_table.py --write`.

A test whose name begins with `test_row_NN_` belongs to row NN; the rest of its name says what holds, its docstring
says more.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

TESTS = Path(__file__).parent
PAGE = TESTS.parent / "docs" / "failures.md"
NAME = re.compile(r"test_row_(\d\d)_(\w+)")

HEAD = """# When things go wrong
What happens in each case, as tested. Written by `python test/failure_table.py --write` from the names and docstrings of
the tests; the numbers are those in the tests' names, which stay. **DDS**: the fault goes through real nodes over DDS,
of a machine that is no hexapod (too); what needs a platform's pose says "Hexapods". The others go through commands,
files or the stages themselves. Counters by reason are in `/diagnostics`.

| row | what holds | more | where |
|---|---|---|---|
"""


@dataclass(frozen=True)
class Row:
    """One test of the failure table."""

    number: int
    name: str
    text: str
    path: str

    @property
    def over_dds(self) -> bool:
        """Whether the test brings nodes up."""
        return self.path.startswith("ros/")


def rows() -> list[Row]:
    """All tests of the table, by number and place."""
    return sorted(_found(), key=lambda row: (row.number, row.path, row.name))


def _found() -> Iterator[Row]:
    for path in sorted(TESTS.rglob("test_*.py")):
        source = path.read_text(encoding="utf-8")
        if "test_row_" not in source:
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef) and (match := NAME.fullmatch(node.name)):
                text = " ".join((ast.get_docstring(node) or "").split())
                name = match[2].replace("_", " ")
                yield Row(int(match[1]), name, text, path.relative_to(TESTS).as_posix())


def page() -> str:
    """The page."""
    lines, before = [], 0
    for row in rows():
        number = str(row.number) if row.number != before else ""
        before = row.number
        where = f"`test/{row.path}`" + (" **DDS**" if row.over_dds else "")
        lines.append(f"| {number} | {_cell(row.name)} | {_cell(row.text)} | {where} |")
    return HEAD + "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    if "--write" in sys.argv:
        PAGE.write_text(page(), encoding="utf-8")
    else:
        sys.stdout.write(page())
