# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Figure of the mechanism as a disturbance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from pkm_identification.report.figures.style import ESTIMATE, TRUE, apply_style

if TYPE_CHECKING:
    from .runs import DynamicsStudy


@apply_style
def draw_coupling_figure(study: DynamicsStudy) -> Figure:
    """Return forces on the mechanism in the coupled run, and from the sliders' motion alone."""
    figure = Figure(figsize=(8, 5), layout="constrained")
    for k, panel in enumerate(figure.subplots(3, 1, sharex=True)):
        panel.plot(study.run.time, study.run.force[:, k], color=ESTIMATE, label="coupled machine")
        panel.plot(study.run.time, study.disturbance[:, k], "--", color=TRUE, label="from the motion alone")
        panel.set_ylabel(f"force {k + 1} (N)")
    panel.set_xlabel("time (s)")
    panel.legend()
    figure.suptitle("The mechanism as a disturbance of its axes", x=0.01, ha="left")
    return figure
