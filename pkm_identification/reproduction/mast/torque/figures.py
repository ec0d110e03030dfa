# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Figure of the torques: position and torque at the paper's frequencies, file and machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from pkm_identification.report.figures.style import NOMINAL, TRUE, apply_style, legend_outside

if TYPE_CHECKING:
    from .runs import TorqueStudy


@apply_style
def draw_torque_figure(study: TorqueStudy) -> Figure:
    """Return columns are frequencies, rows the motor's angle and its torque over one period."""
    figure = Figure(figsize=(10, 5), layout="constrained")
    panels = figure.subplots(2, len(study.logs), sharex="col")
    for column, (frequency, (file, machine)) in enumerate(study.logs.items()):
        for run, color, label in (
            (file, NOMINAL, "manufacturers' data"),
            (machine, TRUE, "J / 1.56, 0.0718 N m"),
        ):
            shown = run.time - run.time[0] <= 1.0 / frequency
            time = 1e3 * (run.time[shown] - run.time[0])
            panels[0, column].plot(time, run.angle[shown], color=color, label=label)
            panels[1, column].plot(time, run.torque[shown], color=color)
        panels[0, column].set_title(f"{frequency:g} Hz")
        panels[1, column].set_xlabel("time (ms)")
    panels[0, 0].set_ylabel("motor angle (rad)")
    panels[1, 0].set_ylabel("motor torque (N m)")
    legend_outside(figure, *panels[0, 0].get_legend_handles_labels(), loc="lower center", ncols=2)
    figure.suptitle("What position hides and torque shows", x=0.01, ha="left")
    return figure
