# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Documents name files that are there, and their Python examples run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
PLACES = (ROOT, ROOT / "pkm_identification", ROOT / "docs")
FILE = re.compile(r"`(?:pytest )?((?:[\w.-]+/)+[\w.-]+\.(?:py|md|yaml|xml|toml|yml|rst))`")
EXAMPLE = re.compile(r"^```python\n(.*?)^```", re.S | re.M)
EXAMPLES = [
    pytest.param(block, id=f"{path.name}-{number}")
    for path in DOCUMENTS
    for number, block in enumerate(EXAMPLE.findall(path.read_text(encoding="utf-8")), 1)
]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_files_that_are_named_exist(path):
    named = FILE.findall(path.read_text(encoding="utf-8"))
    assert [name for name in named if not any((place / name).exists() for place in PLACES)] == []


def test_the_readme_stays_short():
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 150
    assert [line for line in lines if len(line) > 120] == []


MADE = (
    "file_keys",
    "reproduction",
    "misfit_benchmark",
)  # tables that programs write, one row a key or a number


@pytest.mark.parametrize("path", sorted((ROOT / "docs").rglob("*.md")), ids=lambda path: path.stem)
def test_pages_are_short(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    built = {"_build", "generated", "gallery"} & set(path.parts)
    assert path.stem in MADE or built or len(lines) <= 200


NUMBERED = re.compile(r"\btexts? 00\d|\(00\d\)", re.I)
WRITTEN = [
    path
    for folder, kinds in (
        ("pkm_identification", "*.py"),
        ("test", "*.py"),
        ("config", "*.yaml"),
        ("docs", "*.md"),
    )
    for path in sorted((ROOT / folder).rglob(kinds))
]


@pytest.mark.slow
def test_reference_texts_are_called_by_their_authors():
    """Their numbers in somebody's folder mean nothing to a reader; CITATION.cff names the texts."""
    assert NUMBERED.search("as in text 001")
    assert len(WRITTEN) > 500
    assert [
        path for path in WRITTEN if NUMBERED.search(path.read_text("utf-8")) and path != Path(__file__)
    ] == []


@pytest.mark.slow
@pytest.mark.parametrize("block", EXAMPLES)
def test_python_examples_run(block, tmp_path, monkeypatch):
    """Each in a folder and a namespace of its own, as a reader would paste it."""
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "example", "exec"), {"__name__": "__main__"})
