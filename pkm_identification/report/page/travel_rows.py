# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""How much of the machine's travel, rates and forces was used, as a table with drawings."""

from __future__ import annotations

from html import escape

import numpy as np

from pkm_identification.identification.review.travel import Travel
from pkm_identification.motion import STRUTS

from ..listing import number

WIDTH, HEIGHT = 150, 16
_HEADER = ("strut", "length used (mm)", "of the stroke", "largest rate (m/s)", "of the limit", "largest force (N)",
           "of the limit")  # fmt: skip


def travel_rows(travel: Travel) -> str:
    """One strut a row: what was used, drawn in what is allowed."""
    low, high = travel.length_limits
    rows = []
    for i in range(STRUTS):
        shortest, longest = travel.length[i]
        cells = [
            f'<td class="n">{i + 1}</td>',
            f'<td class="n">{1e3 * shortest:.0f} to {1e3 * longest:.0f}</td>',
            share_cell(
                (shortest - low) / (high - low),
                (longest - low) / (high - low),
                _percent(travel.stroke_used[i]),
            ),
            f'<td class="n">{number(travel.rate[i], 3)}</td>',
            _share(travel.rate[i], travel.rate_limit),
            f'<td class="n">{number(travel.force[i], 4)}</td>',
            _share(travel.force[i], travel.force_limit),
        ]
        rows.append(f"<tr>{''.join(cells)}</tr>")
    head = "".join(
        f"<th{'' if name.startswith('of the') else ' class=n'}>{escape(name)}</th>" for name in _HEADER
    )
    return (
        '<div class="scroll" tabindex="0" role="region" aria-label="Travel"><table><thead><tr>'
        f"{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def travel_sentence(travel: Travel) -> str:
    """How far the platform went."""
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
    """A cell with the part from `first` to `last` of a whole drawn in, and a text behind it."""
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


def _share(value: float, limit: float | None) -> str:
    if limit is None:
        return "<td>no limit stated</td>"
    return share_cell(0.0, value / limit, _percent(value / limit))


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
