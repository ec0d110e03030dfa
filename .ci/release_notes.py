# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Notes of a release: its section of CHANGELOG.rst. `python .ci/release_notes.py [VERSION]`, the newest by default."""

from __future__ import annotations

import re
import sys
from pathlib import Path

HEADING = r"^{} \(\d{{4}}-\d\d-\d\d\)\n-+\n"
ANY = r"\d+\.\d+\.\d+"


def notes(changelog: str, version: str | None = None) -> str:
    """The section of a version, or of the newest that has a number; ends the program where there is none."""
    heading = re.search(HEADING.format(re.escape(version) if version else ANY), changelog, re.MULTILINE)
    if heading is None:
        raise SystemExit(f"CHANGELOG.rst has no section of {version or 'a version'}")
    rest = changelog[heading.end() :]
    following = re.search(HEADING.format(ANY), rest, re.MULTILINE)
    return rest[: following.start() if following else None].strip()


if __name__ == "__main__":
    file = Path(__file__).resolve().parents[1] / "CHANGELOG.rst"
    print(notes(file.read_text(encoding="utf-8"), *sys.argv[1:2]))
