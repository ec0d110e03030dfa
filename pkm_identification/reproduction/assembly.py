# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""An outcome put together from findings, tables and figures, for studies that need no more than that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from pkm_identification.report.listing import Listing, paragraph

from .document import build_common_document, conclusions
from .finding import Finding
from .outcome import Outcome

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Figures:
    """Figures of a study that its folder's `figures` draws, loaded when they are wanted.

    Attributes
    ----------
    package : str
        The study's.
    functions : mapping of str to str
        Which function of `figures` draws each, by file name without ending.
    study : object
        What the functions take.
    """

    package: str
    functions: Mapping[str, str]
    study: Any

    def draw(self) -> dict[str, Figure]:
        """Return the figures by file name."""
        module = import_module(f"{self.package}.figures")
        return {name: getattr(module, function)(self.study) for name, function in self.functions.items()}


def assemble_study(
    source: str,
    name: str,
    title: str,
    notes: Sequence[str],
    findings: Sequence[Finding],
    figures: Figures,
    tables: Sequence[tuple[str, Listing]] = (),
    results: Mapping[str, Any] | None = None,
) -> Outcome:
    """Text, document and figures of a study.

    Parameters
    ----------
    source : str
        The reference text, before the title.
    name, title : str
    notes : sequence of str
        What is assumed, and what the text says.
    findings : sequence of Finding
    figures : Figures
    tables : sequence of (str, Listing)
        Besides, each with its heading.
    results : mapping, optional
        What the document holds besides: plain numbers, lists, texts.
    """
    judged = tuple(findings)
    parts = (
        f"{source}: {title}",
        "\n".join(paragraph(note) for note in notes),
        *(f"{heading}\n{table}" for heading, table in tables),
        conclusions(judged),
    )
    document = {
        **build_common_document(name, title, notes, judged, list(figures.functions)),
        **(results or {}),
    }
    return Outcome("\n\n".join(parts), document, figures.draw)
