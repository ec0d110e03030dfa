# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Notebooks of the examples are their scripts, cell by cell, and run; `make docs` runs the scripts."""

from __future__ import annotations

import json
import runpy
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MADE = runpy.run_path(str(ROOT / "docs" / "notebooks.py"))["notebooks"]()


def cells(text: str, kind: str) -> list[str]:
    return ["".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == kind]


def without_outputs(text: str) -> dict:
    document = json.loads(text)
    for cell in document["cells"]:
        if cell["cell_type"] == "code":
            cell["execution_count"], cell["outputs"] = None, []
    return document


def test_there_are_twelve():
    assert len(MADE) >= 12
    assert set((ROOT / "examples").glob("*.ipynb")) == set(MADE)


@pytest.mark.parametrize("path", MADE, ids=lambda path: path.stem)
def test_a_notebook_is_its_script(path):
    text = path.read_text(encoding="utf-8")
    assert without_outputs(text) == json.loads(MADE[path]), "write it again: python docs/notebooks.py"
    outputs = [one for cell in json.loads(text)["cells"] for one in cell.get("outputs", ())]
    assert {one["output_type"] for one in outputs} == {"stream", "display_data"}
    lines = [line for line in "\n".join(cells(text, "code")).splitlines() if line]
    script = path.with_suffix(".py").read_text(encoding="utf-8").split('"""', 2)[2]
    expected = [line for line in script.splitlines() if line and not line.startswith("#")]
    assert [line for line in lines if not line.startswith("#")] == expected
    assert all(line.isprintable() for line in "".join(cells(text, "markdown")).splitlines())
    assert cells(text, "markdown")[0].startswith("# ")


@pytest.mark.parametrize("path", MADE, ids=lambda path: path.stem)
def test_it_is_a_notebook_of_the_format(path):
    pytest.importorskip("nbformat").validate(json.loads(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", MADE, ids=lambda path: path.stem)
def test_each_cell_is_python_alone(path):
    """What only a kernel knows (magics, `!`) would be a syntax error; `make docs` runs what the cells are made of."""
    for cell in cells(path.read_text(encoding="utf-8"), "code"):
        compile(cell, "cell", "exec")


@pytest.mark.slow
def test_cells_of_a_notebook_run_one_after_the_other(tmp_path, monkeypatch, capsys):
    """In one namespace, as a kernel does it; one notebook stands for all, which differ from it in their scripts."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path / "examples")
    monkeypatch.setenv("MPLBACKEND", "agg")
    names: dict[str, object] = {}
    for cell in cells((ROOT / "examples" / "predict_another_log.ipynb").read_text(encoding="utf-8"), "code"):
        exec(compile(cell, "cell", "exec"), names)
    assert capsys.readouterr().out
