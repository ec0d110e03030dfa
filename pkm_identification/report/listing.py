# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Tables with aligned columns and running text: built once, for a terminal or a page."""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from .markup import Cell, build_table

if TYPE_CHECKING:
    from markupsafe import Markup

ABSENT = "-"
WIDTH = 110  # letters of a line of running text
LONG = 24  # letters: such a cell is not squeezed on a narrow screen


@dataclass(frozen=True)
class Listing:
    """A table of texts.

    Attributes
    ----------
    header : tuple of str
    rows : tuple of tuple of str
        As long as the header each.
    numeric : frozenset of str
        Columns of the header that hold numbers and stand flush right.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: frozenset[str] = field(default_factory=frozenset)

    def __str__(self) -> str:
        """The table for a terminal, without a line end after the last row."""
        widths = [max(map(len, column)) for column in zip(self.header, *self.rows, strict=True)]
        rule = tuple("-" * width for width in widths)
        lines = []
        for row in (self.header, rule, *self.rows):
            cells = [
                cell.rjust(width) if name in self.numeric else cell.ljust(width)
                for name, cell, width in zip(self.header, row, widths, strict=True)
            ]
            lines.append("  ".join(cells).rstrip())
        return "\n".join(lines)

    def html(self) -> Markup:
        """Return the table for a page."""
        kinds = [
            ["n" if name in self.numeric else "long" if len(text) > LONG else ""
             for name, text in zip(self.header, row, strict=True)]
            for row in (self.header, *self.rows)
        ]  # fmt: skip
        heads, *rows = (
            [Cell(format_page_text(name, text), kind)
             for name, text, kind in zip(self.header, row, of_row, strict=True)]
            for row, of_row in zip((self.header, *self.rows), kinds, strict=True)
        )  # fmt: skip
        return build_table(", ".join(self.header[:2]), heads, rows)


def paragraph(text: str, first: str = "- ") -> str:
    """Return text wrapped to a terminal's width; `first` stands before it, and the lines after hang below it."""
    return textwrap.fill(text, WIDTH, initial_indent=first, subsequent_indent=" " * len(first))


def format_page_text(column: str, text: str) -> str:
    """A cell's text for a page, where units have raised exponents; terminals and files have those of the files."""
    return text.replace("^2", "²") if column == "unit" else text


def number(value: float | None, digits: int = 5) -> str:
    """Return a number with so many significant digits; '-' for None and what is not finite."""
    if value is None or not math.isfinite(value):
        return ABSENT
    return f"{value:.{digits}g}"


def percent(value: float | None) -> str:
    """Return a percentage with a sign and two decimals; '-' for None and what is not finite."""
    if value is None or not math.isfinite(value):
        return ABSENT
    return f"{value:+.2f}"


def with_deviation(value: float, std: float) -> tuple[str, str]:
    """Value and standard deviation with two digits of the deviation, as measurements are quoted.

    Both stand with an exponent when that takes more than eight decimals.
    """
    if not (math.isfinite(value) and math.isfinite(std)):
        return number(value), number(std)
    if std <= 0:
        return number(value, 8), "0"
    decimals = 1 - math.floor(math.log10(std))
    if decimals > 8:
        digits = max(1, 2 + math.floor(math.log10(max(abs(value), std))) - math.floor(math.log10(std)))
        return f"{value:.{digits - 1}e}", f"{std:.1e}"
    decimals = max(decimals, 0)
    return f"{value:.{decimals}f}", f"{std:.{decimals}f}"


def relative(value: float, reference: float) -> float | None:
    """Deviation from a reference in %, None when that is zero or either is not finite."""
    if reference == 0 or not np.isfinite([value, reference]).all():
        return None
    return 100.0 * (value - reference) / abs(reference)


def write_term(factor: float, name: str, digits: int) -> str:
    """Return a further term of a sum, as ' - 0.3 mx_rod'."""
    size = f"{abs(factor):.{digits}g} "
    return (" - " if factor < 0 else " + ") + ("" if size == "1 " else size) + name
