# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Figures of the pendulum study: the fall, Gauss and Newton's iterations, and how the filters settle."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from pkm_identification.mechanisms.pendulum.model import NAMES, UNITS
from pkm_identification.report.figures.style import (
    ESTIMATE,
    STRUT_COLORS,
    TRUE,
    apply_style,
    legend_outside,
)

from .data import TRUE as TRUE_VALUES
from .runs import STARTS, FallRuns

SHOWN = 2500  # samples, the axis of the source's figures
LABELS = {
    ("ekf", "none"): "EKF",
    ("ukf", "none"): "UKF",
    ("ekf", "robbins_monro"): "EKF, Robbins-Monro",
    ("ukf", "robbins_monro"): "UKF, Robbins-Monro (as the source)",
}
STYLES = {"none": "-", "robbins_monro": "--"}
START_COLORS = (STRUT_COLORS[0], STRUT_COLORS[2], STRUT_COLORS[3])
COLORS = {"ekf": STRUT_COLORS[2], "ukf": ESTIMATE}
# panel: name, range as in the source's figures where it gives one, its figure without noise
ROWS = (("l2", (0.4, 1.3), "Fig. 3.3: "), ("M", (1.0, 2.0), "Fig. 3.6: "), ("m1/M", (0.2, 1.0), ""))


@apply_style
def draw_fall_figure(study: FallRuns) -> Figure:
    """Cart and links over time."""
    motion = study.motion
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    cart, links = figure.subplots(1, 2)
    cart.plot(motion.time, motion.position[:, 0], color=ESTIMATE)
    cart.set_ylabel("cart x (m)")
    for k, color in ((1, STRUT_COLORS[2]), (2, STRUT_COLORS[1])):
        links.plot(motion.time, motion.position[:, k] / (2 * np.pi), color=color, label=f"link {k}")
    links.set_ylabel("angle from upright (turns)")
    links.legend()
    for panel in (cart, links):
        panel.set_xlabel("time (s)")
    figure.suptitle("Free fall of the double inverted pendulum on a cart", x=0.01, ha="left")
    return figure


@apply_style
def draw_iterations_figure(study: FallRuns) -> Figure:
    """Least squares from three starts: lengths meet, masses only their ratios."""
    figure = Figure(figsize=(10, 3.6), layout="constrained")
    panels = figure.subplots(1, 4)
    for start, fit, color in zip(STARTS, study.by_start, START_COLORS, strict=False):
        series = (
            fit.iterates[:, 0],
            fit.iterates[:, 1],
            fit.iterates[:, 4],
            fit.iterates[:, 2] / fit.iterates[:, 4],
        )
        for panel, values in zip(panels, series, strict=True):
            panel.plot(values, "o-", color=color, markersize=3, label=f"from {start:g}")
    for panel, name, truth in zip(
        panels,
        ("l1 (m)", "l2 (m)", "M (kg)", "m1 / M"),
        (TRUE_VALUES[0], TRUE_VALUES[1], TRUE_VALUES[4], TRUE_VALUES[2] / TRUE_VALUES[4]),
        strict=True,
    ):
        panel.axhline(truth, color=TRUE, linestyle="--", linewidth=1, label="true")
        panel.set_title(name)
        panel.set_xlabel("iteration")
        panel.locator_params(axis="x", integer=True)
    legend_outside(figure, *panels[0].get_legend_handles_labels(), loc="lower center", ncols=4)
    figure.suptitle("Least squares, no noise: M ends where its start leads it", x=0.01, ha="left")
    return figure


@apply_style
def settling_figure(study: FallRuns) -> Figure:
    """Return the source's figures 3.3 (l2) and 3.6 (M) in their ranges, and a ratio of masses below."""
    figure = Figure(figsize=(10, 7), layout="constrained")
    panels = figure.subplots(len(ROWS), 2, sharex=True, sharey="row")
    for column, (runs, title) in enumerate(((study.exact, "no noise"), (study.noisy, "1 % noise"))):
        for row, (name, span, number) in enumerate(ROWS):
            panel = panels[row, column]
            for run in runs:
                if run.estimator == "ls":
                    continue
                values = run.history[:SHOWN]
                shown = values[:, 2] / values[:, 4] if "/" in name else values[:, NAMES.index(name)]
                panel.plot(
                    np.arange(1, len(shown) + 1),
                    shown,
                    STYLES[run.adaptation],
                    color=COLORS[run.estimator],
                    label=LABELS[run.estimator, run.adaptation],
                )
            truth = TRUE_VALUES[2] / TRUE_VALUES[4] if "/" in name else TRUE_VALUES[NAMES.index(name)]
            panel.axhline(truth, color=TRUE, linewidth=1, label="true")
            panel.set_ylim(span)
            if row == 0:
                panel.set_title(title)
            if column == 0:
                unit = "" if "/" in name else f" ({UNITS[NAMES.index(name)]})"
                panel.set_ylabel(f"{number}{name}{unit}")
    for panel in panels[-1]:
        panel.set_xlabel("sample (iteration), 1 ms each")
    legend_outside(figure, *panels[0, 0].get_legend_handles_labels(), loc="upper right", ncols=5)
    figure.suptitle("Filters from ones, in the ranges of the source", x=0.01, ha="left", fontsize=10)
    return figure
