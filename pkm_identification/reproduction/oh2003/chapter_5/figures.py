# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Friction by trajectory, with either processing, beside the tests of single struts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from pkm_identification.estimation.identifiability import IDENTIFIABLE
from pkm_identification.motion import STRUTS
from pkm_identification.report.figures.staged import TRAJECTORY_COLORS
from pkm_identification.report.figures.style import NOMINAL, TRUE, apply_style, legend_outside

if TYPE_CHECKING:
    from .runs import StagedStudy

SIGMAS = 2.0
HIGHEST = 200.0  # %, above which a value is written instead


@apply_style
def draw_friction_by_trajectory_figure(study: StagedStudy) -> Figure:
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
