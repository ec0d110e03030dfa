# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Figures of the simulation study: masses settling, inertias next to the first guess, order of data, noise."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
from matplotlib.figure import Figure

from pkm_identification.report.figures.style import (
    ESTIMATE,
    MEASURED,
    NOMINAL,
    STRUT_COLORS,
    TRUE,
    apply_style,
    legend_outside,
)

from .data import MOTIONS
from .runs import SimulationRuns
from .source_tables import ENERGY_INERTIAS, INERTIAS, MASSES, SOURCE_NOISE, TABLES, SourceNumber
from .tables import case_name

# kg, with room for the source's results
SPANS = ((1.3, 2.2), (6.6, 8.4), (4.0, 6.0))
ORDER_SPANS = ((1.2, 2.0), (5.4, 8.4), (4.0, 8.0))
ORDER_SAMPLES = 80  # shown
ORDER_COLORS = {"sequential": ESTIMATE, "random": STRUT_COLORS[2], "spread": STRUT_COLORS[3]}


@apply_style
def _draw_settling(
    study: SimulationRuns, table: str, motions: tuple[str, ...], title: str, shown: int
) -> Figure:
    """Masses over the first samples, one motion a column; where the source's estimate ended is marked."""
    results = [study.of(table, motion) for motion in motions]
    figure = Figure(figsize=(11, 6.5), layout="constrained")
    panels = figure.subplots(len(MASSES), len(results), sharey="row", sharex="col", squeeze=False)
    for column, result in enumerate(results):
        count = min(shown, len(result.source_history))
        samples = np.arange(count + 1)
        for row, (name, span) in enumerate(zip(MASSES, SPANS, strict=True)):
            panel = panels[row, column]
            i = result.names.index(name)
            for history, color, style, label in (
                (result.history, NOMINAL, "-", "no process noise"),
                (result.source_history, ESTIMATE, "-", "source's filter"),
            ):
                panel.plot(samples, [result.start[i], *history[:count, i]], style, color=color, label=label)
            panel.axhline(result.true[i], color=TRUE, linestyle="--", linewidth=1, label="true")
            printed = TABLES.get((table, result.case.motion), {}).get(name)
            if printed is not None and printed.value is not None:
                panel.plot(
                    count,
                    printed.value,
                    "D",
                    color=STRUT_COLORS[4],
                    markersize=5,
                    clip_on=False,
                    label="source's result",
                )
            panel.set_ylim(span)
            if row == 0:
                panel.set_title(case_name(result.case))
            if column == 0:
                panel.set_ylabel(f"{name} (kg)")
        panels[-1, column].set_xlabel("sample, 1 ms each")
    legend_outside(figure, *panels[0, 0].get_legend_handles_labels(), loc="lower center", ncols=4)
    figure.suptitle(f"{title} (what leaves a panel is out of its range)", x=0.01, ha="left")
    return figure


@apply_style
def _draw_inertias(
    study: SimulationRuns,
    table: str,
    motions: tuple[str, ...],
    source: Mapping[str, SourceNumber],
    title: str,
) -> Figure:
    """Error of every inertia: the first guess, the source's result, ours by motion without process noise."""
    results = [study.of(table, motion) for motion in motions]
    names = list(source)
    figure = Figure(figsize=(10, 4.4), layout="constrained")
    panel = figure.add_subplot()
    first = results[0]
    index = [first.names.index(name) for name in names]
    true = first.true[index]
    places = np.arange(len(names))
    panel.bar(places, 100 * (first.start[index] / true - 1), width=0.8, color=MEASURED, label="first guess")
    for k, result in enumerate(results):
        shift = 0.15 * (k - (len(results) - 1) / 2)
        errors = 100 * (result.estimate.values[index] / true - 1)
        panel.plot(
            places + shift,
            errors,
            "o",
            color=STRUT_COLORS[k],
            markersize=5,
            label=f"ours, {result.case.motion}",
        )
    printed = 100 * (np.array([one.legible for one in source.values()]) / true - 1)
    panel.plot(places, printed, "_", color="black", markersize=26, markeredgewidth=2, label="source's result")
    panel.axhline(0.0, color=NOMINAL, linewidth=0.8)
    panel.set_xticks(places, names)
    panel.grid(False, axis="x")
    panel.set_ylabel("error (% of the truth)")
    legend_outside(figure, *panel.get_legend_handles_labels(), loc="lower center", ncols=6, markerscale=0.7)
    figure.suptitle(title, x=0.01, ha="left")
    return figure


draw_masses, draw_masses_with_friction, draw_masses_by_energy = (
    partial(_draw_settling, table=table, motions=motions, title=title, shown=shown)
    for table, motions, title, shown in (
        ("4.4", MOTIONS, "Masses without friction, force model", 80),
        ("4.6", MOTIONS, "Masses with friction, force model", 200),
        ("4.8", MOTIONS[:3], "Masses without friction, energy model", 1000),
    )
)
draw_inertias, draw_inertias_by_energy = (
    partial(_draw_inertias, table=table, motions=motions, source=source, title=title)
    for table, motions, source, title in (
        (
            "4.4",
            MOTIONS,
            INERTIAS,
            "Inertias without friction (ours without process noise): the source's are its first guess",
        ),
        (
            "4.8",
            MOTIONS[:3],
            ENERGY_INERTIAS["XY"],
            "Inertias by the energy model (Table 4.9, XY; ours without process noise)",
        ),
    )
)


@apply_style
def draw_orders(study: SimulationRuns) -> Figure:
    """Masses over the first samples in three orders of the data, one motion a column."""
    rows = {
        motion: [study.of(table, motion) for table in ("4.4", "4.10", "4.12")] for motion in ("Z", "fall")
    }
    figure = Figure(figsize=(9, 6.5), layout="constrained")
    panels = figure.subplots(len(MASSES), len(rows), sharey="row", squeeze=False)
    for column, (motion, results) in enumerate(rows.items()):
        for row, (name, span) in enumerate(zip(MASSES, ORDER_SPANS, strict=True)):
            panel = panels[row, column]
            for result in results:
                i = result.names.index(name)
                color = ORDER_COLORS[result.case.order]
                count = min(ORDER_SAMPLES, len(result.source_history))
                panel.plot(
                    np.arange(count + 1),
                    [result.start[i], *result.source_history[:count, i]],
                    color=color,
                    label=result.case.order,
                )
                printed = TABLES.get((result.case.table, motion), {}).get(name)
                if printed is not None and printed.value is not None:
                    panel.plot(count, printed.value, "D", color=color, markersize=5, clip_on=False)
            panel.axhline(results[0].true[i], color=TRUE, linestyle="--", linewidth=1, label="true")
            panel.set_ylim(span)
            if row == 0:
                panel.set_title(motion)
            if column == 0:
                panel.set_ylabel(f"{name} (kg)")
        panels[-1, column].set_xlabel("sample in its order (diamond: the source's result)")
    legend_outside(figure, *panels[0, 0].get_legend_handles_labels(), loc="lower center", ncols=4)
    figure.suptitle("Order of data, source's filter", x=0.01, ha="left")
    return figure


@apply_style
def draw_noise(study: SimulationRuns) -> Figure:
    """Worst error of a mass under noise by model and way; a logarithmic scale."""
    figure = Figure(figsize=(9, 4), layout="constrained")
    panels = figure.subplots(1, 3, sharey=True)
    for panel, (way, title) in zip(
        panels,
        (
            ("as_source", "source's filter, sample by sample"),
            ("plain", "no process noise, sample by sample"),
            ("band", "10 s in the narrow band"),
        ),
        strict=True,
    ):
        for model, color, marker in (("force", ESTIMATE, "o"), ("energy", STRUT_COLORS[2], "s")):
            chosen = [one for one in study.noise if one.model == model and one.noise > 0]
            for one in chosen:
                errors = 100 * np.abs(getattr(one, way)).max(axis=1)
                panel.plot(
                    np.full(len(errors), 100 * one.noise),
                    errors,
                    marker,
                    color=color,
                    alpha=0.6,
                    label=f"{model}, ours" if one is chosen[0] else None,
                )
            printed = [
                (100 * n, value) for (m, n), (value, _) in SOURCE_NOISE.items() if m == model and n > 0
            ]
            panel.plot(
                *zip(*printed, strict=True),
                "D",
                color=color,
                markerfacecolor="none",
                markersize=8,
                label=f"{model}, source",
            )
        panel.set_yscale("log")
        panel.set_xticks([100 * n for n in sorted({one.noise for one in study.noise if one.noise > 0})])
        panel.set_xlim(0, 6)
        panel.set_xlabel("noise (% of the range)")
        panel.set_title(title)
    panels[0].set_ylabel("worst error of a mass (%)")
    legend_outside(figure, *panels[0].get_legend_handles_labels(), loc="lower center", ncols=4)
    figure.suptitle("Force and energy model under noise, motion XY", x=0.01, ha="left")
    return figure
