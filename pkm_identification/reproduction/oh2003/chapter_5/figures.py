# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Friction by trajectory next to the tests of single struts, and Figs. 5.2 to 5.16 in the source's own layout.

Those show a parameter a panel, stage 3 from the results of X on X, Z and XY. Which parameter a figure shows is legible
for Fig. 5.12 alone, the Coulomb friction of strut 4. Three masses, then both friction coefficients strut by strut, as
the source's tables have them, are fifteen and put it there: our reading. The source's axis of iterations ends at 60; an
iteration is read as an equation of the last pass. Its vertical axes are lost but for an unknown power of ten.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from pkm_identification.estimation.identifiability import IDENTIFIABLE
from pkm_identification.motion import STRUTS
from pkm_identification.report.figures.staged import TRAJECTORY_COLORS
from pkm_identification.report.figures.style import NOMINAL, STRUT_COLORS, TRUE, apply_style, legend_outside

from .data import NAMES, PRINTED

if TYPE_CHECKING:
    from .runs import StagedRuns

SIGMAS = 2.0
HIGHEST = 200.0  # %, above which a value is written instead


@apply_style
def draw_friction_by_trajectory_figure(study: StagedRuns) -> Figure:
    """Ends of stage 3 in % of the strut tests: columns the processing, rows viscous and Coulomb friction."""
    figure = Figure(figsize=(9, 5), layout="constrained")
    panels = figure.subplots(2, 2, sharex=True, sharey="row")
    expected = study.experiments.expected
    true = 100.0 * study.experiments.true_values[12:] / expected
    titles = ("both sides in one band", "the source's: positions at 10 Hz, forces raw")
    for column, staged in enumerate((study.ours, study.as_source)):
        for row, kind in enumerate(("viscous coefficient", "Coulomb force")):
            panel, part = panels[row, column], slice(row * STRUTS, (row + 1) * STRUTS)
            panel.axhline(100.0, color=NOMINAL, linewidth=1, label="strut test")
            panel.plot(range(STRUTS), true[part], "_", color=TRUE, markersize=22, label="true")
            for k, (name, result) in enumerate(staged.results.items()):
                places = np.arange(STRUTS) + 0.2 * (k - 1)
                values = 100.0 * result.values[12:][part] / expected[part]
                std = 100.0 * result.estimate.std[12:][part] / expected[part]
                identified = [status == IDENTIFIABLE for status in result.estimate.status[12:][part]]
                for i in range(STRUTS):
                    high = values[i] > HIGHEST
                    panel.errorbar(
                        places[i],
                        min(values[i], HIGHEST),
                        yerr=None if high else SIGMAS * std[i],
                        fmt="^" if high else "o",
                        markersize=4.5,
                        color=TRAJECTORY_COLORS[k],
                        markerfacecolor=TRAJECTORY_COLORS[k] if identified[i] else "white",
                        capsize=2,
                        label=name if i == int(np.argmin(values)) else None,
                    )
                    if high:
                        panel.text(places[i] + 0.15, HIGHEST, f"{values[i]:.0f} %", fontsize=8, va="center")
            panel.set_xticks(range(STRUTS), [f"strut {i + 1}" for i in range(STRUTS)])
            panel.grid(False, axis="x")
            if column == 0:
                panel.set_ylabel(f"{kind}\n(% of the strut test)")
            if row == 0:
                panel.set_title(titles[column])
    legend_outside(figure, *panels[1, 0].get_legend_handles_labels(), loc="lower center", ncols=5)
    figure.suptitle("Friction from each trajectory (open: not identifiable)", x=0.01, ha="left")
    return figure


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
def draw_source_figures(study: StagedRuns) -> Figure:
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
            end = start * (1 - PRINTED["strayed"] / 100)
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
