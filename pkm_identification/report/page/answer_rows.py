# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Values of the full model as rows of a page, each with a bar of its variance split into the data's and the file's."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from pkm_identification.estimation.posterior.answer import Answer
from pkm_identification.estimation.posterior.status import KnownValue
from pkm_identification.estimation.statuses import is_known

from ..listing import format_page_text, number
from ..total_deviations import answer_table

WIDTH, HEIGHT = 120, 12
# A phone shows value, deviation and status without them.
WIDE_COLUMNS = ("nominal", "data", "file", "rests on")
ANSWER_KEY = (
    '<p class="key"><span><svg width="24" height="12" aria-hidden="true"><rect class="of-data" width="24" '
    'height="12"/></svg>share of the variance that is the data\'s</span><span><svg width="24" height="12" '
    'aria-hidden="true"><rect class="of-file" width="24" height="12"/></svg>share that is the file\'s</span></p>'
)


def answer_rows(answer: Answer, truth: Mapping[str, float]) -> str:
    """Return the table of `answer_table` with a bar of each variance, and true values where they are known."""
    table = answer_table(answer)
    after = table.header.index("file") + 1
    heads = [f"<th {_kind(name, table.numeric)}>{escape(name)}</th>" for name in table.header]
    heads.insert(after, '<th class="wide">data | file</th>')
    if truth:
        heads.insert(after, '<th class="n">true</th>')
    rows = []
    for one, row in zip(answer.values, table.rows, strict=True):
        cells = [
            f"<td {_kind(name, table.numeric)}>{format_page_text(name, text)}</td>"
            for name, text in zip(table.header, row, strict=True)
        ]
        cells.insert(after, f'<td class="drawn wide">{_draw_split(one)}</td>')
        if truth:
            cells.insert(after, f'<td class="n">{number(truth.get(one.name))}</td>')
        rows.append(f"<tr{'' if is_known(one.status) else ' class=dim'}>{''.join(cells)}</tr>")
    return (
        '<div class="scroll" tabindex="0" role="region" aria-label="Parameters"><table><thead><tr>'
        f"{''.join(heads)}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _kind(name: str, numeric: frozenset[str]) -> str:
    """Return the class attribute of a column: numbers, long texts, and what a phone leaves out."""
    kinds = [
        kind
        for kind, holds in (
            ("n", name in numeric),
            ("long", name == "rests on"),
            ("unit", name == "unit"),
            ("wide", name in WIDE_COLUMNS),
        )
        if holds
    ]
    return f'class="{" ".join(kinds)}"'


def _draw_split(value: KnownValue) -> str:
    """Return a bar split where the data's share of the variance ends and the file's begins."""
    share = (value.data_std / value.std) ** 2 if value.std > 0.0 else 0.0
    middle = WIDTH * min(share, 1.0)
    label = f"{100.0 * share:.0f} % of the variance are the data's, the rest the file's"
    return (
        f'<svg width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}">'
        f'<rect class="of-data" width="{middle:.1f}" height="{HEIGHT}"/>'
        f'<rect class="of-file" x="{middle:.1f}" width="{WIDTH - middle:.1f}" height="{HEIGHT}"/></svg>'
    )
