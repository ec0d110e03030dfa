"""Running text for a terminal."""

from __future__ import annotations

import textwrap

WIDTH = 110


def paragraph(text: str, first: str = "- ") -> str:
    """Text wrapped to the terminal's width; `first` stands before it, and the lines after hang below it."""
    return textwrap.fill(text, WIDTH, initial_indent=first, subsequent_indent=" " * len(first))
