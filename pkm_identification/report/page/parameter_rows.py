# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The table of parameters with a drawing in each row: the estimate on a scale of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.estimation.identifiability import IDENTIFIABLE, IN_DOUBT
from pkm_identification.numerics.arrays import FloatArray

from ..listing import Listing, format_page_text, percent, relative
from ..markup import Cell, build_table, draw
from ..tables import STATUS_TEXT, estimate_table, label_sums

if TYPE_CHECKING:
    from markupsafe import Markup

WIDTH, HEIGHT, MARGIN = 230, 22, 8  # px
SIGMAS = 2.0
CHANGE, DRAWN = "change %", "on a separate scale"
# A phone shows value, deviation and status without them.
WIDE_COLUMNS = ("nominal", CHANGE, DRAWN)
_EMPTY = ("-", "")


def parameter_rows(
    estimate: ParameterEstimate,
    truth: FloatArray | None,
    near_zero: tuple[str, ...] = (),
    *,
    sums: Mapping[str, Mapping[str, float]] | None = None,
    compared: bool = False,
) -> Markup:
    """Return the table of `tables.estimate_table`, with a drawing behind the numbers of what the data determine.

    Each row has a scale of its own, which ends where the nominal value, the estimate with two standard deviations, or
    the true value does: parameters of any size stand side by side.
    """
    table = label_sums(estimate_table(estimate, truth, near_zero, compared=compared), sums or {})
    drawings = [
        _draw_row(estimate.status[i], *row, None if truth is None else float(truth[i]))
        if estimate.status[i] in (IDENTIFIABLE, IN_DOUBT)
        else _EMPTY
        for i, row in enumerate(
            zip(estimate.nominal.tolist(), estimate.values.tolist(), estimate.std.tolist(), strict=True)
        )
    ]
    drawings += [
        _draw_row(c.status, c.nominal, c.value, c.std, None if truth is None else float(c.weights @ truth))
        for c in estimate.combinations
    ]
    return _add_drawings(table, drawings)


def _add_drawings(table: Listing, drawings: list[tuple[str, str]]) -> Markup:
    index = table.header.index("std") + 1
    names = [*table.header[:index], CHANGE, DRAWN, *table.header[index:]]
    wide = {name: " wide" if name in WIDE_COLUMNS else "" for name in names}
    kinds = [
        ("drawn" if name == DRAWN else "n" if name in {*table.numeric, CHANGE} else "") + wide[name]
        for name in names
    ]
    rows = [
        [
            Cell(format_page_text(name, text), kind)
            for name, text, kind in zip(names, (*row[:index], *drawing, *row[index:]), kinds, strict=True)
        ]
        for row, drawing in zip(table.rows, drawings, strict=True)
    ]
    heads = [Cell(name, kind.replace("drawn", "").strip()) for name, kind in zip(names, kinds, strict=True)]
    faint = tuple(STATUS_TEXT.values())[1:]
    return build_table("Parameters", heads, rows, [row[-1] in faint for row in table.rows])


def _draw_row(status: str, nominal: float, value: float, std: float, true: float | None) -> tuple[str, str]:
    """Return the change from the nominal value, and a drawing: nominal value, bar of the estimate, true value."""
    change = percent(relative(value, nominal))
    if not np.isfinite([nominal, value, std]).all():
        return change, ""
    ends = [value - SIGMAS * std, value + SIGMAS * std, nominal, *([] if true is None else [true])]
    low, high = min(ends), max(ends)
    span = (high - low) or abs(high) or 1.0

    def at(number: float) -> float:
        return MARGIN + (WIDTH - 2 * MARGIN) * (number - low) / span

    label = f"estimate {value:.4g}, nominal {nominal:.4g}"
    places = [at(one) for one in (nominal, ends[0], ends[1], value)]
    return change, draw("estimate", WIDTH, HEIGHT, status, label, *places, None if true is None else at(true))
