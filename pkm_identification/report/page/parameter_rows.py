# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The table of parameters with a drawing in each row: the estimate on a scale of its own."""

from __future__ import annotations

from html import escape

import numpy as np

from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.estimation.identifiability import IDENTIFIABLE, IN_DOUBT
from pkm_identification.numerics.arrays import FloatArray

from ..listing import Listing, format_page_text, percent, relative
from ..tables import STATUS_TEXT, estimate_table

WIDTH, HEIGHT, MARGIN = 230, 22, 8
SIGMAS = 2.0
MARK = 6.0
CHANGE, DRAWN = "change %", "on a scale of its own"
_EMPTY = '<td class="n">-</td><td></td>'


def parameter_rows(
    estimate: ParameterEstimate,
    truth: FloatArray | None,
    near_zero: tuple[str, ...] = (),
    *,
    compared: bool = False,
) -> str:
    """Return the table of `tables.estimate_table`, with a drawing behind the numbers of what the data show.

    Each row has a scale of its own, which ends where the nominal value, the estimate with two standard deviations, or
    the true value does: parameters of any size stand beside each other.
    """
    table = estimate_table(estimate, truth, near_zero, compared=compared)
    drawings = [
        _build_cells(estimate.status[i], *row, None if truth is None else float(truth[i]))
        if estimate.status[i] in (IDENTIFIABLE, IN_DOUBT)
        else _EMPTY
        for i, row in enumerate(
            zip(estimate.nominal.tolist(), estimate.values.tolist(), estimate.std.tolist(), strict=True)
        )
    ]
    drawings += [
        _build_cells(c.status, c.nominal, c.value, c.std, None if truth is None else float(c.weights @ truth))
        for c in estimate.combinations
    ]
    return _add_drawings(table, drawings)


def key(truth: bool) -> str:
    """Return what the marks of the drawings are."""
    middle = HEIGHT / 2
    marks = [
        (f'<g class="bar identifiable">{_draw_bar(4, 28, 16)}</g>', "estimate ± 2 standard deviations"),
        (f'<g class="bar combination">{_draw_bar(4, 28, 16)}</g>', "the same of a combination"),
        (f'<g class="bar in_doubt">{_draw_bar(4, 28, 16)}</g>', "the same, in doubt"),
        (f'<g class="mark">{_mark(16)}</g>', "nominal (machine file)"),
    ]
    if truth:
        marks.append((f'<g class="truth">{_draw_diamond(16, middle)}</g>', "true"))
    items = "".join(
        f'<span><svg width="32" height="{HEIGHT}" aria-hidden="true">{drawn}</svg>{escape(text)}</span>'
        for drawn, text in marks
    )
    return f'<p class="key">{items}</p>'


def _add_drawings(table: Listing, drawings: list[str]) -> str:
    place = table.header.index("std") + 1
    kinds = ['class="n"' if name in table.numeric else "" for name in table.header]
    head = [f"<th {kind}>{escape(name)}</th>" for name, kind in zip(table.header, kinds, strict=True)]
    head.insert(place, f"<th class=n>{CHANGE}</th><th>{DRAWN}</th>")
    dim = tuple(STATUS_TEXT.values())[1:]
    rows = []
    for row, drawing in zip(table.rows, drawings, strict=True):
        cells = [
            f"<td {kind}>{format_page_text(name, text)}</td>"
            for name, text, kind in zip(table.header, row, kinds, strict=True)
        ]
        cells.insert(place, drawing)
        rows.append(f"<tr{' class=dim' if row[-1] in dim else ''}>{''.join(cells)}</tr>")
    return (
        '<div class="scroll" tabindex="0" role="region" aria-label="Parameters"><table><thead><tr>'
        f"{''.join(head)}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _build_cells(status: str, nominal: float, value: float, std: float, true: float | None) -> str:
    """Change from the nominal value, and the drawing."""
    change = percent(relative(value, nominal))
    return f'<td class="n">{change}</td><td class="drawn">{_draw_row(status, nominal, value, std, true)}</td>'


def _draw_row(status: str, nominal: float, value: float, std: float, true: float | None) -> str:
    """One row: an axis, the nominal value's mark, the bar of the estimate, and the true value's diamond."""
    if not np.isfinite([nominal, value, std]).all():
        return ""
    ends = [value - SIGMAS * std, value + SIGMAS * std, nominal, *([] if true is None else [true])]
    low, high = min(ends), max(ends)
    span = (high - low) or abs(high) or 1.0

    def at(number: float) -> float:
        return MARGIN + (WIDTH - 2 * MARGIN) * (number - low) / span

    middle = HEIGHT / 2
    label = f"estimate {value:.4g}, nominal {nominal:.4g}"
    parts = [
        f'<line class="axis" x1="0" x2="{WIDTH}" y1="{middle}" y2="{middle}"/>',
        f'<g class="mark">{_mark(at(nominal))}</g>',
        f'<g class="bar {status}">{_draw_bar(at(ends[0]), at(ends[1]), at(value))}</g>',
    ]
    if true is not None:
        parts.append(f'<g class="truth">{_draw_diamond(at(true), middle)}</g>')
    return (
        f'<svg width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{label}">{"".join(parts)}</svg>'
    )


def _draw_bar(low: float, high: float, at: float) -> str:
    middle = HEIGHT / 2
    return (
        f'<line x1="{low:.1f}" x2="{high:.1f}" y1="{middle}" y2="{middle}" stroke-width="2"/>'
        f'<line x1="{low:.1f}" x2="{low:.1f}" y1="{middle - 4}" y2="{middle + 4}" stroke-width="1.5"/>'
        f'<line x1="{high:.1f}" x2="{high:.1f}" y1="{middle - 4}" y2="{middle + 4}" stroke-width="1.5"/>'
        f'<circle cx="{at:.1f}" cy="{middle}" r="3"/>'
    )


def _mark(at: float) -> str:
    middle = HEIGHT / 2
    ends = f'y1="{middle - MARK}" y2="{middle + MARK}"'
    return f'<line x1="{at:.1f}" x2="{at:.1f}" {ends} stroke-width="2" stroke-dasharray="3 2"/>'


def _draw_diamond(at: float, middle: float) -> str:
    return f'<path d="M{at:.1f} {middle - 5} l5 5 l-5 5 l-5 -5 z" stroke-width="1.5" fill="none"/>'
