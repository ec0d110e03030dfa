# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The history of a machine as one HTML page."""

from __future__ import annotations

import base64

import numpy as np
from matplotlib.dates import ConciseDateFormatter
from matplotlib.figure import Figure

from pkm_identification.estimation.changes.trend import STEPS, TOO_FEW
from pkm_identification.identification.many_logs.history import History, ParameterHistory
from pkm_identification.version import __version__

from ..earlier import GENERATOR
from ..figures.parameters import UNITS
from ..figures.style import ESTIMATE, MEASURED, NOMINAL, TRUE, apply_style, png
from ..listing import Listing, number
from ..markup import render
from .history_text import (
    build_trend_table,
    change_sentences,
    count_sentence,
    day,
    format_alarm_sentences,
    format_no_change_sentence,
    format_times_sentence,
)

SIGMAS = 2.0
AROUND = np.timedelta64(15, "D")  # on either side of a single log


@apply_style
def draw_parameter_chart(one: ParameterHistory) -> Figure:
    """Return values with bars of two of their own standard deviations, the level found, and where it steps."""
    figure = Figure(figsize=(9, 2.4), layout="constrained")
    panel = figure.subplots()
    times = np.array([time.replace(tzinfo=None) for time in one.times], dtype="datetime64[us]")
    if one.doubtful:
        doubted = np.array([time.replace(tzinfo=None) for time, _ in one.doubtful], dtype="datetime64[us]")
        panel.plot(
            doubted,
            [value for _, value in one.doubtful],
            "x",
            color=MEASURED,
            label="affected by a misfit, not used",
        )
    if len(times):
        panel.errorbar(
            times, one.values, SIGMAS * one.own_std, fmt="o", markersize=3.5, color=ESTIMATE, linewidth=1,
            label="logs, ± 2 standard deviations",
        )  # fmt: skip
        # a level through too few logs would be a line from one to the next
        if one.trend.kind != TOO_FEW:
            style = "steps-post" if one.trend.kind == STEPS else "default"
            panel.plot(times, one.trend.level, color=TRUE, drawstyle=style, label=one.trend.kind)
        for step in one.trend.steps:
            panel.axvline(times[step.first], color=NOMINAL, linestyle=":", linewidth=1)
    if len(times) == 1 and not one.doubtful:
        panel.set_xlim(times[0] - AROUND, times[0] + AROUND)
    panel.set_title(one.name)
    panel.set_ylabel(UNITS.get(one.unit, one.unit))
    panel.locator_params(axis="y", nbins=5)
    panel.tick_params(axis="x", labelrotation=0)
    locator = panel.xaxis.get_major_locator()
    if hasattr(locator, "maxticks") and len(times) + len(one.doubtful):
        panel.xaxis.set_major_formatter(ConciseDateFormatter(locator))
    if len(times) or one.doubtful:
        panel.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


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
