# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Figs. 4.8 to 4.18, 4.35 to 4.44, C.1 and C.2 in the source's own layout, to lay pages side by side.

One panel is one figure of the source: the three masses of a case together over the iterations, or one mass of a model
at every level of noise. Axes are the source's where they are legible, otherwise ours; which case a figure shows is
legible or follows from its place in the source's order (X, XY, Z, free fall). An iteration is read as a sample. Of
Figs. 4.19, 4.20, 4.22 to 4.34, C.3 and C.4 nothing has been recovered; of 4.21 the model and the iterations, of C.5 to
C.9 the mass and its axis, but not the case.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from pkm_identification.report.figures.style import STRUT_COLORS, apply_style, legend_outside

from .source_tables import ENERGY_ITERATIONS, MASSES, TABLES
from .tables import case_name

if TYPE_CHECKING:
    from .cases import CaseResult
    from .runs import SimulationRuns

KILOGRAMS = (1.0, 9.0)  # where the source's axis is not legible
NOISE_STYLES = {0.0: "-", 0.01: "--", 0.05: ":"}


@dataclass(frozen=True)
class SourceFigure:
    """A figure of the source.

    Attributes
    ----------
    number : str
    table, motion : str
        Of the case.
    iterations : int
        End of the axis.
    read : str
        What of it is legible in the source: any of 'case', 'iterations', 'span'.
    span : tuple of float
        kg.
    """

    number: str
    table: str
    motion: str
    iterations: int
    read: str = ""
    span: tuple[float, float] = KILOGRAMS


MASS_FIGURES = (
    SourceFigure("4.8", "4.4", "X", 5, "case iterations"),
    SourceFigure("4.9", "4.4", "XY", 5, "case iterations"),
    SourceFigure("4.10", "4.4", "Z", 80, "case iterations span", (1.0, 8.0)),
    SourceFigure("4.11", "4.4", "fall", 35, "case iterations span", (1.0, 10.0)),
    SourceFigure("4.12", "4.6", "X", 80, "case iterations span", (1.0, 9.0)),
    SourceFigure("4.13", "4.6", "XY", 200, "case iterations"),
    SourceFigure("4.14", "4.6", "Z", 80, "case span", (1.0, 8.0)),
    SourceFigure("4.15", "4.6", "fall", 35),
    SourceFigure("4.16", "4.8", "X", ENERGY_ITERATIONS),
    SourceFigure("4.17", "4.8", "XY", ENERGY_ITERATIONS),
    SourceFigure("4.18", "4.8", "Z", ENERGY_ITERATIONS),
)
ORDER_FIGURES = (
    SourceFigure("4.35", "4.10", "X", 60, "iterations"),
    SourceFigure("4.36", "4.10", "XY", 120, "iterations"),
    SourceFigure("4.37", "4.10", "Z", 30, "iterations"),
    SourceFigure("4.38", "4.10", "fall", 35, "iterations"),
    SourceFigure("4.39", "4.12", "X", 4, "case iterations"),
    SourceFigure("4.40", "4.12", "XY", 11, "case iterations"),
    SourceFigure("4.41", "4.12", "Z", 80),
    SourceFigure("4.42", "4.12", "fall", 35, "case iterations"),
)
# figure, mass, table without its noise, iterations, kg; all legible but the span of 4.44
NOISE_FIGURES = (
    ("4.43", "m_e", "4.14", 40, (1.5, 1.9)),
    ("4.44", "m_e", "4.16", 20, None),
    ("C.1", "m_b", "4.14", 40, (7.4, 8.4)),
    ("C.2", "m_p", "4.14", 40, (4.4, 6.0)),
)


@apply_style
def draw_source_masses(study: SimulationRuns) -> Figure:
    """Figs. 4.8 to 4.18: force model without and with friction, energy model; the source's filter."""
    return _draw_grid(study, MASS_FIGURES, 3, "Figs. 4.8 to 4.18: masses by the source's filter")


@apply_style
def draw_source_orders(study: SimulationRuns) -> Figure:
    """Figs. 4.35 to 4.42: data in random order, and spread."""
    return _draw_grid(
        study, ORDER_FIGURES, 2, "Figs. 4.35 to 4.42: random order, and spread, by the source's filter"
    )


@apply_style
def draw_source_noise(study: SimulationRuns) -> Figure:
    """Figs. 4.43, 4.44, C.1, C.2: one mass by level of noise, motion XY."""
    figure = Figure(figsize=(9, 6), layout="constrained")
    panels = figure.subplots(2, 2)
    for panel, (number, mass, table, iterations, span) in zip(panels.flat, NOISE_FIGURES, strict=True):
        k = MASSES.index(mass)
        for noise, style in NOISE_STYLES.items():
            result = study.of(f"{table}, {100 * noise:g} %", "XY")
            samples, values = _trace(result, k, iterations)
            panel.plot(samples, values, style, color=STRUT_COLORS[k], label=f"{100 * noise:g} % noise")
        panel.axhline(result.true[k], color="black", linewidth=0.8, label="true")
        model = "force" if result.case.model == "force" else "energy"
        star = "" if span else "*"
        panel.set_title(f"Fig. {number}{star}: {mass}, {model} model")
        if span:
            panel.set_ylim(span)
        panel.set_ylabel(f"{mass} (kg)")
        panel.set_xlim(0, iterations)
        panel.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    for panel in panels[-1]:
        panel.set_xlabel("iteration (sample)")
    legend_outside(figure, *panels[0, 0].get_legend_handles_labels(), loc="lower center", ncols=4)
    figure.suptitle(
        "Noise of the states, XY, by the source's filter (* axis of kg not legible; what leaves a panel is out of it)",
        x=0.01,
        ha="left",
        fontsize=10,
    )
    return figure


def _draw_grid(study: SimulationRuns, figures: Sequence[SourceFigure], rows: int, title: str) -> Figure:
    columns = -(-len(figures) // rows)
    figure = Figure(figsize=(12, 2.9 * rows + 0.9), layout="constrained")
    grid = figure.subplots(rows, columns)
    panels = grid.ravel()
    for panel, one in zip(panels, figures, strict=False):
        result = study.of(one.table, one.motion)
        _draw_masses(panel, result, one)
        stars = ("" if "case" in one.read else "†") + (
            "" if {"iterations", "span"} <= set(one.read.split()) else "*"
        )
        panel.set_title(f"Fig. {one.number}{stars}: {case_name(result.case)}")
    for panel in panels[len(figures) :]:
        panel.set_visible(False)
    for panel in grid[:, 0]:
        panel.set_ylabel("kg")
    handles, labels = panels[0].get_legend_handles_labels()
    legend_outside(figure, handles, labels, loc="upper right", ncols=len(labels))
    figure.supxlabel(
        "iteration (sample)      * an axis is not legible and ours      † the case follows from the figure's place",
        fontsize=9,
    )
    figure.suptitle(title, x=0.01, ha="left")
    return figure


def _draw_masses(panel: Axes, result: CaseResult, one: SourceFigure) -> None:
    """The three masses, their true values, and where the source's estimates end."""
    printed = TABLES.get((one.table, one.motion), {})
    for k, name in enumerate(MASSES):
        samples, values = _trace(result, k, one.iterations)
        panel.plot(samples, values, color=STRUT_COLORS[k], label=name)
        panel.axhline(
            result.true[k],
            color=STRUT_COLORS[k],
            linestyle="--",
            linewidth=0.8,
            label="true" if name == MASSES[-1] else None,
        )
        source = printed.get(name)
        if source is not None and source.value is not None:
            panel.plot(
                one.iterations,
                source.value,
                "D",
                color=STRUT_COLORS[k],
                markersize=5,
                clip_on=False,
                label="source's result" if name == MASSES[-1] else None,
            )
    panel.set_ylim(one.span)
    panel.set_xlim(0, one.iterations)
    panel.xaxis.set_major_locator(MaxNLocator(5, integer=True))


def _trace(result: CaseResult, k: int, iterations: int) -> tuple[np.ndarray, list[float]]:
    """Estimates of one parameter from the first guess on, over the shown iterations."""
    count = min(iterations, len(result.source_history))
    return np.arange(count + 1), [result.start[k], *result.source_history[:count, k]]
