# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What every study's document holds alike, and its numbers and findings as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pkm_identification.report.listing import Listing

from .finding import Finding, numbers_of
from .number import VERDICTS, Number, format_number

SCHEMA = 2


def build_common_document(
    name: str, title: str, notes: Sequence[str], findings: tuple[Finding, ...], figures: Sequence[str]
) -> dict[str, Any]:
    """Name, title, what was assumed, every number compared, findings, and the figures' names."""
    return {
        "schema": SCHEMA,
        "study": name,
        "title": title,
        "notes": list(notes),
        "numbers": [one.document() for one in numbers_of(findings)],
        "findings": [finding.document() for finding in findings],
        "figures": list(figures),
    }


def number_table(numbers: Sequence[Number]) -> Listing:
    """One number a row: the text's, ours, verdict, and where the text has it."""
    header = ("number", "source", "ours", "unit", "mark", "verdict", "line")
    rows = tuple(
        (
            one.name,
            format_number(one.source),
            format_number(one.ours),
            one.unit,
            one.mark,
            one.verdict,
            one.line or "-",
        )
        for one in numbers
    )
    return Listing(header, rows)


def conclusions(findings: tuple[Finding, ...]) -> str:
    """Return all findings, their numbers and the count of each verdict."""
    numbers = numbers_of(findings)
    return "\n\n".join(
        (
            *(finding.text(k) for k, finding in enumerate(findings, 1)),
            "Numbers compared",
            str(number_table(numbers)),
            f"{len(numbers)} numbers: {count_verdicts([one.verdict for one in numbers])}.",
        )
    )


def count_verdicts(verdicts: Sequence[str]) -> str:
    """Return how many of each verdict."""
    return ", ".join(f"{name} {verdicts.count(name)}" for name in VERDICTS if name in verdicts)
