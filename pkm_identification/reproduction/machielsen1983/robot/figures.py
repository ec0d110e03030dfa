# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Figure of the robot's steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from pkm_identification.report.figures.style import ESTIMATE, NOMINAL, TRUE, apply_style, legend_outside
from pkm_identification.reproduction.study_file import read_file

from .runs import SIZES

if TYPE_CHECKING:
    from .runs import RobotStudy


@apply_style
def steps_figure(study: RobotStudy) -> Figure:
    """One actuator a panel, both sizes, with the source's first and second peak."""
    rows = [one["text"] for one in read_file(__package__)["findings"][1]["numbers"]]
    figure = Figure(figsize=(9, 5.4), layout="constrained")
    panels = figure.subplots(2, 2).ravel()
    for k, (panel, (name, step)) in enumerate(zip(panels, study.steps.items(), strict=True)):
        peak, period, overshoot = rows[3 * k : 3 * k + 3]
        other = study.others[name]
        panel.plot(1e3 * other.time, other.share, color=NOMINAL, linewidth=0.8, label="another size")
        panel.plot(1e3 * step.time, step.share, color=ESTIMATE, linewidth=1.4, label="compared")
        settled = step.share.max() / (1.0 + 0.01 * step.read[2])
        panel.plot([peak], [settled * (1.0 + 0.01 * overshoot)], "x", color=TRUE, label="source, first peak")
        panel.axvline(peak + period, color=TRUE, linewidth=0.8, linestyle=":")
        panel.set_title(f"{name}, {SIZES[name][0]:+g} V")
        panel.set_xlabel("time (ms)")
        panel.set_ylabel("part of the step")
    legend_outside(figure, *panels[0].get_legend_handles_labels(), loc="lower center", ncols=3)
    figure.suptitle("Setpoint steps of the robot (dotted: the source's second peak)", x=0.01, ha="left")
    return figure
