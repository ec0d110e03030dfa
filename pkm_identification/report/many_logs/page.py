# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The history of a machine as one HTML page."""

from __future__ import annotations

import base64

from pkm_identification.identification.many_logs.history import History, ParameterHistory
from pkm_identification.version import __version__

from ..earlier import GENERATOR
from ..figures.style import png
from ..listing import Listing, number
from ..markup import render
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
    sentences = [sentence for one in history.parameters for sentence in change_sentences(one)]
    alarms = format_alarm_sentences(history)
    good = sentences or [format_no_change_sentence(history)]
    changed_first = sorted(history.parameters, key=lambda one: not one.changed)
    page = render(
        "history.html",
        title=f"History of {history.machine.name}",
        generator=GENERATOR,
        version=__version__,
        lead=f"{count_sentence(history)} {format_times_sentence(history)}",
        verdicts=[*((not sentences, text) for text in good), *((False, text) for text in alarms)],
        trends=build_trend_table(history).html(),
        charts=[
            (one.name, _embed_image(one), " ".join(change_sentences(one)))
            for one in changed_first
            if len(one.values) or one.doubtful
        ],
        logs=_write_logs(history).html(),
    )
    return str(page)


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
