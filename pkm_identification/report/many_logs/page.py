# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The history of a machine as one HTML page."""

from __future__ import annotations

import base64
from html import escape

from pkm_identification.identification.many_logs.history import History, ParameterHistory
from pkm_identification.version import __version__

from ..earlier import GENERATOR
from ..figures.style import png
from ..listing import Listing, number
from ..page.frame import build_frame_page
from .charts import draw_parameter_chart
from .history_text import (
    build_trend_table,
    change_sentences,
    count_sentence,
    day,
    format_alarm_sentences,
    format_no_change_sentence,
    format_times_sentence,
)


def build_history_page(history: History) -> str:
    """Return the page: what changed, alarms, a chart for each parameter, and every log."""
    title = f"History of {history.machine.name}"
    sentences = [sentence for one in history.parameters for sentence in change_sentences(one)]
    alarms = format_alarm_sentences(history)
    good = sentences or [format_no_change_sentence(history)]
    verdicts = "".join(
        [
            *(f"<li{' class=bad' if sentences else ''}>{escape(text)}</li>" for text in good),
            *(f"<li class=bad>{escape(text)}</li>" for text in alarms),
        ]
    )
    changed_first = sorted(history.parameters, key=lambda one: not one.changed)
    charts = [
        f'<figure><img alt="{escape(one.name)} over time" src="data:image/png;base64,{_embed_image(one)}">'
        f"<figcaption>{escape(' '.join(change_sentences(one)))}</figcaption></figure>"
        for one in changed_first
        if len(one.values) or one.doubtful
    ]
    body = "\n".join(
        [
            f"<h1>{escape(title)}</h1>",
            f'<p class="lead">{escape(count_sentence(history))} {escape(format_times_sentence(history))}</p>',
            f'<ul class="verdicts">{verdicts}</ul>',
            "<h2>Parameters</h2>",
            build_trend_table(history).html(),
            "<p>Levels are means of logs between which nothing changed. Bars and std are without the errors that all "
            "logs of the machine share (tolerances of its file). Scatter is by how much more logs differ than their "
            "deviations say; all deviations are widened by it.</p>",
            "<h2>Charts</h2>",
            *charts,
            "<h2>Logs</h2>",
            _write_logs(history).html(),
            f"<footer>{GENERATOR} {escape(__version__)}</footer>",
        ]
    )
    return build_frame_page(title, body)


def _embed_image(one: ParameterHistory) -> str:
    return base64.b64encode(png(draw_parameter_chart(one))).decode("ascii")


def _write_logs(history: History) -> Listing:
    header = ("log", "time (UTC)", "from", "samples", "fit", "held out %", "said")
    rows = [
        (
            entry.name,
            day(entry.time) if entry.time_source else "-",
            entry.time_source or "-",
            str(entry.record.get("samples", "-")),
            number(entry.record.get("fit_ratio"), 3),
            number(entry.record.get("validation_percent"), 3),
            entry.record["failure"] or entry.record.get("remark", ""),
        )
        for entry in history.entries
    ]
    return Listing(header, tuple(rows), frozenset(header[3:6]))
