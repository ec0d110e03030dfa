"""A finding: what the reference text states, what we find, the verdict, and why."""

from __future__ import annotations

from dataclasses import dataclass

from pkm_identification.report.paragraphs import paragraph

AGREES, DISAGREES = "agrees", "does not agree"


@dataclass(frozen=True)
class Finding:
    """A statement of the reference text beside ours.

    Attributes
    ----------
    statement : str
        The source's, with the marks of its numbers.
    ours : str
        Our figures for it.
    verdict : str
        In words; `AGREES` or `DISAGREES` where no more is to be said.
    reason : str
        Why, or what was compared.
    """

    statement: str
    ours: str
    verdict: str
    reason: str

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

    def document(self) -> dict[str, str]:
        """The same for JSON."""
        return {"source": self.statement, "ours": self.ours, "verdict": self.verdict, "why": self.reason}


def agreement(agrees: bool) -> str:
    """The verdict on a statement that either agrees or does not."""
    return AGREES if agrees else DISAGREES
