# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A finding: what the reference text states, what we find, the numbers compared, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pkm_identification.report.listing import paragraph

from .number import Number, together


@dataclass(frozen=True)
class Finding:
    """A statement of the reference text beside ours.

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
