# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Figs. 5.2 to 5.16 in the source's own layout: a parameter a panel, stage 3 from the results of X on X, Z and XY.

Which parameter a figure shows is legible for Fig. 5.12 alone, the Coulomb friction of strut 4. Three masses, then both
friction coefficients strut by strut, as the source's tables have them, are fifteen and put it there: our reading. The
source's axis of iterations ends at 60; an iteration is read as an equation of the last pass. Its vertical axes are
lost but for an unknown power of ten.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from pkm_identification.motion import STRUTS
from pkm_identification.report.figures.staged import TRAJECTORY_COLORS
from pkm_identification.report.figures.style import NOMINAL, STRUT_COLORS, TRUE, apply_style, legend_outside

from .data import NAMES, STRAYED

if TYPE_CHECKING:
    from .runs import StagedStudy

FIRST_FIGURE = 2
ITERATIONS = 60  # end of the axis of Fig. 5.12
COLUMNS = 3
LEGIBLE = "coulomb_4"
PARAMETERS = (
    "m_e",
    "m_b",
    "m_p",
    *(f"{kind}_{strut}" for strut in range(1, STRUTS + 1) for kind in ("viscous", "coulomb")),
)


@apply_style
def source_figures(study: StagedStudy) -> Figure:
    """Stage 3 from the results of X, by the source's processing, iteration by iteration."""
    parameters = study.as_source.trajectories.parameters
    rows = len(PARAMETERS) // COLUMNS
    figure = Figure(figsize=(10, 2.1 * rows + 0.8), layout="constrained")
    panels = figure.subplots(rows, COLUMNS, sharex=True)
    for k, (panel, name) in enumerate(zip(panels.flat, PARAMETERS, strict=True)):
        i = parameters.names.index(name)
        for trajectory, color in zip(NAMES, TRAJECTORY_COLORS, strict=False):
            stage = study.third["x"][trajectory]
            values = [stage.start[i], *stage.trace[:ITERATIONS, i]]
            panel.plot(np.arange(len(values)), values, color=color, label=f"FA_{trajectory.upper()}")
        panel.axhline(study.experiments.true_values[i], color=TRUE, linestyle="--", linewidth=1, label="true")
        start = study.third["x"]["x"].start[i]
        panel.axhline(start, color=NOMINAL, linestyle=":", linewidth=1, label="start")
        if name == LEGIBLE:
            end = start * (1 - STRAYED / 100)
            panel.plot(ITERATIONS, end, "D", color=STRUT_COLORS[4], markersize=5, clip_on=False)
        panel.set_title(f"Fig. 5.{k + FIRST_FIGURE}: {name} ({parameters.units[i]})")
        panel.set_xlim(0, ITERATIONS)
    for panel in panels[-1]:
        panel.set_xlabel("iteration (equation)")
    legend_outside(figure, *panels[0, 0].get_legend_handles_labels(), loc="lower center", ncols=5)
    figure.suptitle(
        "Figs. 5.2 to 5.16: stage 3 from the results of X (diamond: end of Fig. 5.12, trajectory not said)",
        x=0.01,
        ha="left",
        fontsize=11,
    )
    return figure
