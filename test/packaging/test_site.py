# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a build of the documentation site would stumble over, without Sphinx: lists of pages, links, headings, pictures.

The build itself, with warnings as errors, is `make docs`, after all tests in `.ci/run`: its tools are 100 MB that
nothing else here needs.
"""

from __future__ import annotations

import re
import runpy
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.glob("*.md"), *(DOCS / "nodes").glob("*.md")])
# Made by the build, of examples/ and of the code
MADE = re.compile(r"(gallery|generated)/")
DEEPEST = 4  # headings that are link targets: myst_heading_anchors of docs/conf.py


def prose(page: Path) -> str:
    """A page without its blocks of code."""
    text = page.read_text(encoding="utf-8")
    return re.sub(r"^ *```(?!\{).*?^ *```", "", text, flags=re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    """Link targets of a page's headings, as repositories' pages and MyST make them."""
    found: set[str] = set()
    for title in re.findall(rf"^#{{1,{DEEPEST}}} (.+)$", prose(page), re.MULTILINE):
        name = re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")
        found.add(next(one for one in (name, *(f"{name}-{k}" for k in range(1, 99))) if one not in found))
    return found


def listed(page: Path) -> list[str]:
    """Pages in the lists of contents of a page."""
    blocks = re.findall(
        r"^```\{toctree\}\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    return [line for block in blocks for line in block.splitlines() if line and not line.startswith(":")]


def test_every_page_is_in_one_list_and_every_entry_is_a_page():
    entries = [entry for page in PAGES for entry in listed(page)]
    written = [entry for entry in entries if not MADE.match(entry)]
    pages = {page.relative_to(DOCS).with_suffix("").as_posix() for page in PAGES} - {"index"}
    assert sorted(written) == sorted(pages)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_and_pictures_of_a_page_are_there(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", prose(page))):
        if re.match(r"https?:|mailto:", target):
            continue
        path, _, anchor = target.partition("#")
        place = (page.parent / path) if path else page
        if MADE.match(path):
            example = ROOT / "examples" / f"{Path(path).name}.py"
            assert path.startswith("generated/") or example.is_file() or path == "gallery/index", target
            continue
        assert place.is_file(), f"{page.name}: {target}"
        assert place.resolve().is_relative_to(DOCS), f"{page.name}: {target} is not on the site"
        assert not anchor or anchor in anchors(place), f"{page.name}: {target}"


def test_headings_of_a_page_begin_with_its_title_and_skip_no_level():
    for page in PAGES:
        levels = [len(marks) for marks in re.findall(r"^(#+) ", prose(page), re.MULTILINE)]
        assert levels[0] == 1, page.name
        assert all(after <= before + 1 for before, after in pairwise(levels)), page.name


def test_pages_made_of_the_code_can_be_made(tmp_path):
    runpy.run_path(str(DOCS / "generated_pages.py"))["write_pages"](tmp_path)
    made = {path.stem for path in tmp_path.glob("*.md")}
    in_lists = {
        entry.partition("/")[2] for entry in listed(DOCS / "index.md") if entry.startswith("generated/")
    }
    assert in_lists <= made
