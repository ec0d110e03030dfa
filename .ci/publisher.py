# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Who publishes this, and where: `make publisher` writes both into package.xml and CITATION.cff.

PKM_REPOSITORY is the address of the public repository, the one `make dist` takes; PKM_MAINTAINER is "Name <mail>".
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

ROOT = Path(__file__).resolve().parents[1]


def manifest(text: str, repository: str, maintainer: str) -> str:
    """package.xml with these; refuses what its schema does, and ends the program with a line."""
    named = re.fullmatch(
        r"\s*([^<>]*[^<>\s])\s*<([-\w.%+]+@[-\w%]+(?:\.[-\w%]+)*\.[a-zA-Z]{2,})>\s*", maintainer
    )
    if named is None:
        raise SystemExit(f'PKM_MAINTAINER = "{maintainer}": must be "Name <mail>"')
    home = repository.strip().rstrip("/")
    if not re.fullmatch(r"https://[^\s/]+/\S+", home):
        raise SystemExit(f'PKM_REPOSITORY = "{repository}": must be the https:// address of a repository')
    name, mail = named.groups()
    text = re.sub(r" *<(?:url |!-- where the index )[^\n]*\n", "", text)
    person = f"<maintainer email={quoteattr(mail)}>{escape(name)}</maintainer>"
    text = re.sub(r"<maintainer [^\n]*", lambda _: person, text)
    places = (("repository", home), ("bugtracker", f"{home}/issues"))
    urls = "".join(f'  <url type="{kind}">{escape(place)}</url>\n' for kind, place in places)
    return re.sub(r"( *<license [^\n]*\n)", lambda found: found[0] + urls, text)


def citation(text: str, repository: str) -> str:
    """CITATION.cff with the address."""
    text = re.sub(r"^repository-code:[^\n]*\n", "", text, flags=re.MULTILINE)
    line = f'repository-code: "{repository.strip().rstrip("/")}"\n'
    return re.sub(r"^license: ", lambda found: line + found[0], text, count=1, flags=re.MULTILINE)


def main() -> None:
    """Write both files."""
    names = ("PKM_REPOSITORY", "PKM_MAINTAINER")
    repository, maintainer = (os.environ.get(name, "").strip() for name in names)
    if missing := [name for name, given in zip(names, (repository, maintainer), strict=True) if not given]:
        raise SystemExit(
            f"{' and '.join(missing)} must be stated: make publisher "
            + " ".join(f"{name}=..." for name in missing)
        )
    for name, written in (
        ("package.xml", lambda text: manifest(text, repository, maintainer)),
        ("CITATION.cff", lambda text: citation(text, repository)),
    ):
        path = ROOT / name
        path.write_text(written(path.read_text(encoding="utf-8")), encoding="utf-8")
        print(name)


if __name__ == "__main__":
    main()
