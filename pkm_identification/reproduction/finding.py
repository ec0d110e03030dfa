# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A finding: what the reference text states, what we find, the numbers compared, and why; and findings as text.

What every study's document holds alike is made of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pkm_identification.report.listing import Listing, paragraph

from .number import VERDICTS, Number, format_number, together

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Finding:
    """A statement of the reference text next to ours.

    Attributes
    ----------
    statement : str
        The source's, with the marks of its numbers.
    ours : str
        Our figures for it.
    reason : str
        Why, or what is ambiguous.
    numbers : tuple of Number
        What was compared; the verdict is the worst of theirs.
    """

    statement: str
    ours: str
    reason: str
    numbers: tuple[Number, ...] = ()

    @property
    def verdict(self) -> str:
        """One of `number.VERDICTS`."""
        return together(self.numbers)

    def text(self, number: int) -> str:
        """Four paragraphs for a terminal, numbered."""
        return "\n".join(
            (
                paragraph(self.statement, f"{number}. source:  "),
                paragraph(self.ours, "   ours:    "),
                paragraph(self.verdict, "   verdict: "),
                paragraph(self.reason, "   why:     "),
            )
        )

    def document(self) -> dict[str, Any]:
        """Return the same for JSON."""
        return {
            "source": self.statement,
            "ours": self.ours,
            "verdict": self.verdict,
            "why": self.reason,
            "numbers": [one.name for one in self.numbers],
        }


def numbers_of(findings: tuple[Finding, ...]) -> list[Number]:
    """Return all numbers of several findings, in their order."""
    return [number for finding in findings for number in finding.numbers]


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


@dataclass(frozen=True)
class Outcome:
    """A finished study.

    Attributes
    ----------
    text : str
        Title, notes, tables and verdicts, as the terminal shows them.
    document : dict
        The numbers, fit for JSON: no value that is not finite.
    figures : callable
        Draws the figures and returns them by file name (without ending). Called only when they are wanted, as
        matplotlib takes longer to load than many a study to run.
    """

    text: str
    document: dict[str, Any]
    figures: Callable[[], dict[str, Figure]]
