# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Notebooks from the scripts of examples/: `python docs/notebooks.py` runs them and writes them beside the scripts.

`python docs/notebooks.py NAME ...` writes those of some scripts.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
CELL = "# %%\n"
DPI = 72  # of pictures: a notebook stays below 200 kB


def notebook(script: str) -> str:
    """Return a script of sphinx-gallery as a notebook (nbformat 4.5), without outputs."""
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


def run_notebook(document: dict[str, Any]) -> None:
    """Run the cells in one namespace, as a kernel does, and put into each what it printed and drew."""
    import matplotlib.pyplot as plt

    names: dict[str, Any] = {}
    for count, cell in enumerate((one for one in document["cells"] if one["cell_type"] == "code"), 1):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile("".join(cell["source"]), "cell", "exec"), names)
        cell["execution_count"], outputs = count, []
        if text := printed.getvalue():
            outputs.append({"name": "stdout", "output_type": "stream", "text": _lines(text)})
        for number in plt.get_fignums():
            picture = io.BytesIO()
            plt.figure(number).savefig(picture, format="png", dpi=DPI)
            data = {"image/png": base64.b64encode(picture.getvalue()).decode("ascii")}
            outputs.append({"data": data, "metadata": {}, "output_type": "display_data"})
        plt.close("all")
        cell["outputs"] = outputs


if __name__ == "__main__":
    os.environ["MPLBACKEND"] = "agg"
    os.chdir(EXAMPLES)
    for path, content in notebooks().items():
        if sys.argv[1:] and path.stem not in sys.argv[1:]:
            continue
        document = json.loads(content)
        run_notebook(document)
        path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        print(path.name, flush=True)
