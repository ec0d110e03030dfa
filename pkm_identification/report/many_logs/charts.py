# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A chart of each parameter over the logs of a machine."""

from __future__ import annotations

import numpy as np
from matplotlib.dates import ConciseDateFormatter
from matplotlib.figure import Figure

from pkm_identification.estimation.changes.trend import STEPS, TOO_FEW
from pkm_identification.identification.many_logs.history import ParameterHistory

from ..figures.parameters import UNITS
from ..figures.style import ESTIMATE, MEASURED, NOMINAL, TRUE, apply_style

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
