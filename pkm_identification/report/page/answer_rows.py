# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Values of the full model as rows of a page, each with a bar of its variance split into the data's and the file's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pkm_identification.estimation.posterior.answer import Answer
from pkm_identification.estimation.posterior.status import KnownValue
from pkm_identification.estimation.statuses import is_known

from ..listing import format_page_text
from ..markup import Cell, build_table, draw
from ..tables import label_sums
from ..total_deviations import answer_table

if TYPE_CHECKING:
    from markupsafe import Markup

WIDTH, HEIGHT = 120, 12  # px
# A phone shows value, deviation and status without them.
WIDE_COLUMNS = ("unit", "nominal", "data", "file", "rests on")


def answer_rows(
    answer: Answer, truth: Mapping[str, float] | None, sums: Mapping[str, Mapping[str, float]] | None = None
) -> Markup:
    """Return the table of `answer_table` with a bar of each variance, and true values where they are known."""
    table = label_sums(answer_table(answer, truth=truth), sums or {})
    after = table.header.index("file") + 1
    kinds = [_kind(name, table.numeric) for name in table.header]
    heads = [Cell(name, kind) for name, kind in zip(table.header, kinds, strict=True)]
    heads.insert(after, Cell("data | file", "wide"))
    rows = []
    for one, row in zip(answer.values, table.rows, strict=True):
        cells = [
            Cell(format_page_text(name, text), kind)
            for name, text, kind in zip(table.header, row, kinds, strict=True)
        ]
        cells.insert(after, Cell(_draw_split(one), "drawn wide"))
        rows.append(cells)
    return build_table("Parameters", heads, rows, [not is_known(one.status) for one in answer.values])


def _kind(name: str, numeric: frozenset[str]) -> str:
    """Return the classes of a column: numbers, long texts, and what a phone leaves out."""
    kinds = {
        "n": name in numeric,
        "long": name == "rests on",
        "unit": name == "unit",
        "wide": name in WIDE_COLUMNS,
    }
    return " ".join(kind for kind, holds in kinds.items() if holds)


def _draw_split(value: KnownValue) -> Markup:
    """Return a bar split where the data's share of the variance ends and the file's begins."""
    share = (value.data_std / value.std) ** 2 if value.std > 0.0 else 0.0
    return draw("split", WIDTH, HEIGHT, min(share, 1.0))
