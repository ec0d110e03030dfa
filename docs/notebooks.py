# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Notebooks from the scripts of examples/: `python docs/notebooks.py` writes them beside the scripts."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
CELL = "# %%\n"


def notebook(script: str) -> str:
    """A script of sphinx-gallery as a notebook (nbformat 4.5), not run."""
    about = ast.get_docstring(ast.parse(script)) or ""
    _, _, code = script.split('"""', 2)
    cells = [_text(about)]
    for part in code.split(CELL):
        lines = part.strip("\n").splitlines()
        words = next((row for row, line in enumerate(lines) if not line.startswith("#")), len(lines))
        if part is not code and words and lines[0].startswith("#"):
            cells.append(_text("\n".join(line.removeprefix("#").removeprefix(" ") for line in lines[:words])))
            lines = lines[words:]
        if source := "\n".join(lines).strip("\n"):
            cells.append(
                {"cell_type": "code", "execution_count": None, "outputs": [], "source": _lines(source)}
            )
    for number, cell in enumerate(cells):
        cell |= {"id": f"cell-{number}", "metadata": {}}
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    document = {
        "cells": [dict(sorted(cell.items())) for cell in cells],
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _text(words: str) -> dict[str, Any]:
    """A cell of text: reStructuredText's titles and literals as those of Markdown."""
    words = re.sub(r"^(.+)\n=+$", r"# \1", words, flags=re.MULTILINE).replace("``", "`")
    return {"cell_type": "markdown", "source": _lines(words)}


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def notebooks() -> dict[Path, str]:
    """The notebook of each script, by where it stands."""
    return {
        script.with_suffix(".ipynb"): notebook(script.read_text(encoding="utf-8"))
        for script in sorted(EXAMPLES.glob("*.py"))
    }


if __name__ == "__main__":
    for path, content in notebooks().items():
        path.write_text(content, encoding="utf-8")
