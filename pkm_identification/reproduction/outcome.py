# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a study hands back: a text for people, a document for programs, and figures for those who ask."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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
