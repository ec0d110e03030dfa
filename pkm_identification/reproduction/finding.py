"""A finding as text: what the source says, what we find, the verdict, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from pkm_identification.report.paragraphs import paragraph


class Judged(Protocol):
    """What a finding of any study has."""

    @property
    def source(self) -> str: ...
    @property
    def ours(self) -> str: ...
    @property
    def verdict(self) -> str: ...
    @property
    def why(self) -> str: ...


@dataclass(frozen=True)
class Judgement:
    """A statement of the source, our figures for it, a verdict in words, and why or what was compared."""

    source: str
    ours: str
    verdict: str
    why: str


def finding_text(number: int, finding: Judged) -> str:
    """Four paragraphs, numbered."""
    return "\n".join(
        (
            paragraph(finding.source, f"{number}. source:  "),
            paragraph(finding.ours, "   ours:    "),
            paragraph(finding.verdict, "   verdict: "),
            paragraph(finding.why, "   why:     "),
        )
    )


def finding_document(finding: Judged) -> dict[str, Any]:
    """The same for JSON."""
    return {
        "source": finding.source,
        "ours": finding.ours,
        "verdict": finding.verdict,
        "why": finding.why,
    }
