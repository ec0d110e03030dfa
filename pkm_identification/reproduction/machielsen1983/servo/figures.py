# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Figures of the servo: steps, and what parameters do to overshoot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from pkm_identification.report.figures.style import (
    ESTIMATE,
    NOMINAL,
    TRUE,
    apply_style,
    categories_across,
    legend_outside,
)
from pkm_identification.reproduction.study_file import read_file

from .runs import STEP

if TYPE_CHECKING:
    from .runs import ServoStudy


@apply_style
def steps_figure(study: ServoStudy) -> Figure:
    """Four steps, the printed first peak and the one after, and the reduced model."""
    rows = read_file(__package__)["findings"][2]["numbers"]
    figure = Figure(figsize=(9, 5.2), layout="constrained")
    panels = figure.subplots(2, 2, sharex=True, sharey=True).ravel()
    for k, (panel, ((load, volts), run)) in enumerate(zip(panels, study.steps.items(), strict=True)):
        peak, period, overshoot = (row["text"][k] for row in rows)
        panel.plot(1e3 * run.time, run.share, color=ESTIMATE, label="V_me, ours")
        if (load, volts) == (5.1, -STEP):
            small = study.reduced
            panel.plot(1e3 * small.time, small.share, "--", color=NOMINAL, label="valve as one delay")
        # overshoot is over where the piston settles
        settled = run.share.max() / (1.0 + 0.01 * run.read[2])
        panel.plot([peak], [settled * (1.0 + 0.01 * overshoot)], "x", color=TRUE, label="source, first peak")
        panel.axvline(peak + period, color=TRUE, linewidth=0.8, linestyle=":")
        panel.set_title(f"{load:g} kg, {'extending' if volts < 0.0 else 'retracting'}")
    for panel in panels[2:]:
        panel.set_xlabel("time (ms)")
    for panel in panels[::2]:
        panel.set_ylabel("part of the step")
    legend_outside(figure, *panels[2].get_legend_handles_labels(), loc="lower center", ncols=3)
    figure.suptitle("Steps of the test set-up (dotted: the source's second peak)", x=0.01, ha="left")
    return figure


@apply_style
def draw_sensitivities_figure(study: ServoStudy) -> Figure:
    """Overshoot of the 27 runs, ours and the printed."""
    printed = read_file(__package__)["data"]["sensitivities"]
    figure = Figure(figsize=(9, 3.8), layout="constrained")
    panel = figure.subplots()
    for index, (name, row) in enumerate(printed.items()):
        at = index + np.array([-0.25, 0.0, 0.25])
        ours = [one[2] for one in study.varied[name]]
        panel.plot(at, ours, "o-", color=ESTIMATE, markersize=4, label="ours" if index == 0 else None)
        panel.plot(at, row["overshoot"], "x", color=TRUE, label="source" if index == 0 else None)
    labels = [f"{name}\n±{row['percent']:g} %" for name, row in printed.items()]
    panel.set_xticks(range(len(printed)), labels)
    categories_across(panel, "overshoot (%)")
    panel.legend()
    figure.suptitle("Overshoot at 5.1 kg, extending, with each parameter varied", x=0.01, ha="left")
    return figure
