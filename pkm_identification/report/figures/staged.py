# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The staged procedure in figures: the way of the parameters through the stages, and how ends depend on starts."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from pkm_identification.estimation.identifiability import IDENTIFIABLE
from pkm_identification.identification.procedures.staged_experiment import StagedIdentification
from pkm_identification.numerics.arrays import FloatArray

from .style import (
    NOMINAL,
    STRUT_COLORS,
    TRUE,
    apply_style,
    legend_outside,
)

SIGMAS = 2.0
# the truth has the colour left out
TRAJECTORY_COLORS = tuple(color for color in STRUT_COLORS if color != TRUE)
LEAST_SPREAD = 1e-3  # of the scale, the lightest shade


@apply_style
def draw_stages_figure(
    staged: StagedIdentification, names: tuple[str, ...], truth: FloatArray | None = None
) -> Figure:
    """Named parameters after each stage on each trajectory, at last with two standard deviations."""
    parameters = staged.trajectories.parameters
    columns = min(4, len(names))
    rows = -(-len(names) // columns)
    figure = Figure(figsize=(2.6 * columns + 0.4, 2.3 * rows + 0.9), layout="constrained")
    panels = figure.subplots(rows, columns, squeeze=False, sharex=True).ravel()
    labels = ["start", *(stage.name for stage in next(iter(staged.results.values())).stages)]
    for panel, name in zip(panels, names, strict=False):
        i = parameters.names.index(name)
        panel.axhline(
            parameters.nominal[i], color=NOMINAL, linestyle=":", linewidth=1.2, label="machine file"
        )
        if truth is not None:
            panel.axhline(truth[i], color=TRUE, linestyle="--", linewidth=1.2, label="true")
        for k, (trajectory, result) in enumerate(staged.results.items()):
            values = [staged.start[i], *(stage.values[i] for stage in result.stages)]
            identified = result.estimate.status[i] == IDENTIFIABLE
            color = TRAJECTORY_COLORS[k % len(TRAJECTORY_COLORS)]
            offset = np.arange(len(values)) + 0.08 * (k - (len(staged.results) - 1) / 2)
            panel.plot(offset, values, "-", color=color, linewidth=1.2, alpha=0.8, label=trajectory)
            panel.errorbar(
                offset[-1:],
                values[-1:],
                yerr=SIGMAS * result.estimate.std[i],
                fmt="o",
                markersize=4.5,
                markerfacecolor=color if identified else "white",
                color=color,
                capsize=2,
            )
        panel.set_title(f"{name} ({parameters.units[i]})")
        panel.set_xticks(range(len(labels)), labels)
    for panel in panels[len(names) :]:
        panel.set_visible(False)
    legend_outside(figure, *panels[0].get_legend_handles_labels(), loc="lower center", ncols=6)
    figure.suptitle(
        f"{staged.machine.name}: stages on each trajectory (open: not identifiable)", x=0.01, ha="left"
    )
    return figure


@apply_style
def draw_dependence_figure(staged: StagedIdentification) -> Figure:
    """Spread of the ends of every parameter on every trajectory over the starts, in % of what a large error is."""
    names, cross = staged.joint.estimate.names, staged.cross
    spread = cross.spread / staged.trajectories.parameters.scale[: len(names)]
    figure = Figure(figsize=(1.2 * len(cross.names) + 3.2, 0.24 * len(names) + 1.4), layout="constrained")
    panel = figure.add_subplot()
    shade = np.log10(np.maximum(spread, LEAST_SPREAD)).T
    image = panel.imshow(shade, cmap="Oranges", aspect="auto", vmin=np.log10(LEAST_SPREAD), vmax=0.5)
    for j, name in enumerate(cross.names):
        for i in range(len(names)):
            identified = staged.results[name].estimate.status[i] == IDENTIFIABLE
            text = _shorten(100 * spread[j, i]) + ("" if identified else " *")
            panel.text(j, i, text, ha="center", va="center", fontsize=7.5,
                       color="white" if shade[i, j] > -0.4 else "#222222")  # fmt: skip
    panel.set_xticks(range(len(cross.names)), [f"on {name}" for name in cross.names])
    panel.set_yticks(range(len(names)), names)
    panel.grid(False)
    panel.tick_params(length=0)
    bar = figure.colorbar(image, ax=panel, shrink=0.6)
    bar.set_ticks([-3, -2, -1, 0], labels=["0.1", "1", "10", "100"])
    bar.set_label("spread of the ends over the starts (%)")
    figure.suptitle("Does the end depend on the start? (* not identifiable)", x=0.01, ha="left", fontsize=10)
    return figure


def _shorten(value: float) -> str:
    if value < 0.01:
        return "< 0.01"
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"
