# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""How much of the machine's travel, rates and forces was used, as a table with drawings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

import numpy as np

from pkm_identification.identification.review.travel import Travel
from pkm_identification.machines.contract import Drive

from ..listing import number

WIDTH, HEIGHT = 150, 16
# How coordinates and rates are shown, by a drive's unit: factor and unit
_SHOWN = {"m": (1e3, "mm", "m/s"), "rad": (180.0 / math.pi, "°", "rad/s")}


def travel_rows(travel: Travel, drives: Sequence[Drive]) -> str:
    """One drive a row: what was used, drawn in what is allowed."""
    alike = len({drive.unit for drive in drives}) == 1
    limits = np.broadcast_to(travel.length_limits, travel.length.shape)
    rows = []
    for i, drive in enumerate(drives):
        (least, largest), (low, high) = travel.length[i], limits[i]
        factor, length, rate = _SHOWN[drive.unit]
        units = ("", "", "") if alike else (f" {length}", f" {rate}", f" {drive.force_unit}")
        stroke = "<td>no limit stated</td>"
        if np.isfinite(high - low):
            used = _format_percent(travel.stroke_used[i])
            stroke = share_cell((least - low) / (high - low), (largest - low) / (high - low), used)
        cells = [
            f'<td class="n">{escape(drive.label)}</td>',
            f'<td class="n">{factor * least:.0f} to {factor * largest:.0f}{units[0]}</td>',
            stroke,
            f'<td class="n">{number(travel.rate[i], 3)}{units[1]}</td>',
            _format_share(travel.rate[i], travel.rate_limit[i]),
            f'<td class="n">{number(travel.force[i], 4)}{units[2]}</td>',
            _format_share(travel.force[i], travel.force_limit[i]),
        ]
        rows.append(f"<tr>{''.join(cells)}</tr>")
    what = "length" if {drive.unit for drive in drives} == {"m"} else "travel"
    _, length, rate = _SHOWN[drives[0].unit]
    units = (f" ({length})", f" ({rate})", f" ({drives[0].force_unit})") if alike else ("", "", "")
    header = (
        drives[0].part, f"{what} used{units[0]}", "of the stroke", f"largest rate{units[1]}", "of the limit",
        f"largest force{units[2]}", "of the limit",
    )  # fmt: skip
    head = "".join(
        f"<th{'' if name.startswith('of the') else ' class=n'}>{escape(name)}</th>" for name in header
    )
    return (
        '<div class="scroll" tabindex="0" role="region" aria-label="Travel"><table><thead><tr>'
        f"{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def format_travel_sentence(travel: Travel) -> str:
    """Return how far the platform went; empty where there is none with a pose."""
    if travel.position is None or travel.turning is None:
        return ""
    moved = [
        f"{name} {1e3 * low:.0f} to {1e3 * high:.0f} mm"
        for name, (low, high) in zip("xyz", travel.position, strict=True)
    ]
    turned = [
        f"{name} {low:.1f} to {high:.1f}°"
        for name, (low, high) in zip("xyz", np.degrees(travel.turning), strict=True)
    ]
    return f"The platform went {', '.join(moved)}, and turned from home about {', '.join(turned)}."


def share_cell(first: float, last: float, text: str) -> str:
    """Return a cell with the part from `first` to `last` of a whole drawn in, and a text behind it."""
    begin, end = (float(np.clip(part, 0.0, 1.0)) * WIDTH for part in (first, last))
    over = " over" if first < 0 or last > 1 else ""
    label = escape(text or f"{100 * last:.0f} %")
    drawing = (
        f'<svg width="{WIDTH + 48}" height="{HEIGHT}" viewBox="0 0 {WIDTH + 48} {HEIGHT}" role="img" '
        f'aria-label="{label}">'
        f'<rect class="room" x="0" y="5" width="{WIDTH}" height="6" rx="3"/>'
        f'<rect class="used{over}" x="{begin:.1f}" y="3" width="{max(end - begin, 1.5):.1f}" height="10" rx="3"/>'
        f'<text x="{WIDTH + 6}" y="13" font-size="12.5" fill="currentColor">{escape(text)}</text></svg>'
    )
    return f'<td class="drawn">{drawing}</td>'


def _format_share(value: float, limit: float) -> str:
    if not np.isfinite(limit):
        return "<td>no limit stated</td>"
    return share_cell(0.0, value / limit, _format_percent(value / limit))


def _format_percent(share: float) -> str:
    return f"{100 * share:.0f} %"
