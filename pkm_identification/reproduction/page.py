# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The page `docs/reproduction.md`, written from the documents of the studies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .finding import count_verdicts
from .number import Count, format_number

HEAD = """# Reproduction

What of the texts this package works with comes out again, and what does not; "the source" in a section is the text that
the section is about:

- `oh2003-*`: Y. H. Oh, *Dynamic parameter identification of parallel kinematic machines* (University of Florida, 2003)
- `epaas-*`: K. Machielsen, *Some aspects of the dynamic behaviour of an assembly robot* (TH Eindhoven, 1983)
- `mast-*`: the paper on the 3PRS table (*Mechatronic model of a 3PRS multi-axial simulation table*, authors unknown)
- `iriarte2017-*`: X. Iriarte et al., *Drawbacks and alternatives to the numerical calculation of the base inertial
  parameters expressions for low mobility mechanisms* (2017)
- `ebrahimi2009-*`: Ebrahimi and Kövecses, on unit homogenisation and sensitivity (accepted 2009; two pages of it)

This page is written by `pkm reproduce all --page docs/reproduction.md` from the studies' documents; verdicts follow
from the numbers by the rule that `pkm reproduce NAME --json FILE` states for each. `pkm reproduce --help` lists the
studies; `--out DIR` writes their documents and figures. Written on another processor the page is the same but for what
is rounding itself: errors of 1e-12 and the like, and what a decomposition makes of a rank that rounding decides.

The sources are only partly legible. Marks: **S** sure, **P** probable, **G** guess, **R** reconstructed (`+`, `-`
between). *Line* is the line of the recovered text.

| verdict | when |
|---|---|
| agrees | our number keeps what its rule asks for |
| agrees in part | most entries of a row, most cases of a statement; of a finding, some of its numbers and not others |
| agrees in kind | same sign and size (within a factor of two) |
| not reproduced | anything else |
| cannot be judged | the source's number is lost or a guess, or ours is decided by what the text does not say |
| not in the text | ours alone |

All numbers of a finding that the text has count for its verdict, also those that cannot be judged.
"""


def page(documents: Sequence[dict[str, Any]]) -> str:
    """Markdown of the documents, in their order."""
    return "\n".join((HEAD, *(_write_section(document) for document in documents)))


def _write_section(document: dict[str, Any]) -> str:
    verdicts = [one["verdict"] for one in document["numbers"]]
    return "\n".join(
        (
            f"## {document['study']}: {document['title']}",
            f"{len(verdicts)} numbers: {count_verdicts(verdicts)}.\n",
            *_write_numbers(document["numbers"]),
            "",
            *(_write_finding(one) for one in document["findings"]),
            "\nWhat is assumed, and what the text says:\n",
            *(f"- {_clean_text(note)}" for note in document["notes"]),
            f"\nFigures: {', '.join(f'`{name}`' for name in document['figures'])}.\n",
        )
    )


def _write_numbers(numbers: Sequence[dict[str, Any]]) -> list[str]:
    rows = ["| number | source | ours | unit | mark | verdict | line |", "|---|---|---|---|---|---|---|"]
    for one in numbers:
        source, ours = (_write_entry(one[key]) for key in ("source", "ours"))
        cells = (
            one["name"], source, ours, one["unit"], one["mark"], one["verdict"], one["line"] or "-"
        )  # fmt: skip
        rows.append(f"| {' | '.join(_clean_text(str(cell)) for cell in cells)} |")
    return rows


def _write_entry(entry: Any) -> str:
    if isinstance(entry, dict):
        entry = Count(**entry) if "holds" in entry else (entry["from"], entry["to"])
    return format_number(entry)


def _write_finding(finding: dict[str, Any]) -> str:
    return "\n".join(
        (
            f"- {_clean_text(finding['source'])} **{finding['verdict'].capitalize()}.**",
            f"  {_clean_text(finding['ours'])}",
            f"  *{_clean_text(finding['why'])}*",
        )
    )


def _clean_text(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*").replace("_", "\\_")
