# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Figures of the arm: effective masses, modes, forces by cause."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from pkm_identification.report.figures.style import (
    ESTIMATE,
    NOMINAL,
    TRUE,
    apply_style,
    categories_across,
    legend_outside,
)

from .data import ACTUATORS, PRINTED

if TYPE_CHECKING:
    from .runs import ArmStudy


@apply_style
def draw_effective_mass_figure(study: ArmStudy) -> Figure:
    """Effective masses of L3 and L1 over their angle, the printed ranges beside."""
    figure = Figure(figsize=(9, 6), layout="constrained")
    panels = figure.subplots(2, 2, sharex="col")
    columns = (
        ("L3 (kg)", "alpha (deg)", study.lift, "L3"),
        ("L1 (kg)", "gamma (deg)", study.grip, "L1"),
    )
    for column, (name, angle, curves, drive) in enumerate(columns):
        ends = [PRINTED[f"Effective mass of {drive}{load}"] for load in ("", " with 4 kg")]
        for row, (values, printed, load) in enumerate(
            zip((curves.bare, curves.loaded), ends, ("no load", "4 kg"), strict=True)
        ):
            panel = panels[row, column]
            panel.axhspan(*printed, color=TRUE, alpha=0.12, label="printed range")
            panel.plot(np.degrees(curves.angle), values, color=ESTIMATE, label="ours")
            panel.set_ylabel(f"{name}, {load}")
            panel.set_ylim(0.0, None)
        panels[1, column].set_xlabel(angle)
    legend_outside(figure, *panels[0, 0].get_legend_handles_labels(), loc="lower center", ncols=2)
    figure.suptitle("What an actuator moves while the others stand still", x=0.01, ha="left")
    return figure


@apply_style
def modes_figure(study: ArmStudy) -> Figure:
    """Modes of each actuator alone and of all together, beside the source's."""
    figure = Figure(figsize=(8, 4), layout="constrained")
    panel = figure.subplots()
    order = np.argsort(study.alone)
    for index, k in enumerate(order):
        name = ACTUATORS[k]
        first = index == 0
        panel.plot(
            index - 0.1, study.alone[k], "o", color=ESTIMATE, label="ours, the others held" if first else None
        )
        together = study.modes.frequency[study.modes.leading == k]
        panel.plot(
            np.full(len(together), index + 0.1), together, "s", color=ESTIMATE, markerfacecolor="white",
            label="ours, all together, damped" if first else None,
        )  # fmt: skip
        bare = ", no load" if name == "vane" else ", measured on the robot"
        for source, marker, label, color in (
            (f"Mode of {name}", "_", "source, model", TRUE),
            (f"Mode of {'the vane' if name == 'vane' else name}{bare}", "x", "source, measured", NOMINAL),
        ):
            if source in PRINTED:
                panel.plot(index, PRINTED[source], marker, color=color, markersize=14 if marker == "_" else 7,
                           label=label if first else None)  # fmt: skip
    panel.set_yscale("log")
    panel.set_xticks(range(len(order)), [ACTUATORS[k] for k in order])
    ticks = (20, 30, 50, 100, 200, 400)
    panel.set_yticks(ticks, [str(tick) for tick in ticks])
    panel.minorticks_off()
    categories_across(panel, "frequency (Hz)")
    panel.legend(loc="upper left")
    figure.suptitle("Modes on the oil at start-up", x=0.01, ha="left")
    return figure


@apply_style
def forces_figure(study: ArmStudy) -> Figure:
    """Return forces of L3, L4 and L1 by cause at five-fold speed, ours and the printed."""
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    panels = figure.subplots(1, 3)
    names = ("F_in", "F_vis", "F_V2", "F_ext", "F_tot")
    for panel, actuator in zip(panels, (2, 3, 0), strict=True):
        places = np.arange(len(names))
        panel.bar(
            places - 0.2,
            [study.forces[5].forces[n][actuator] for n in names],
            0.38,
            color=ESTIMATE,
            label="ours",
        )
        printed = [PRINTED[f"{n} at 5 x speed"][actuator] for n in names]
        panel.bar(
            places + 0.2,
            [np.nan if p is None else p for p in printed],
            0.38,
            color=TRUE,
            alpha=0.6,
            label="source",
        )
        panel.set_xticks(places, names)
        panel.set_title(ACTUATORS[actuator])
        categories_across(panel, "N")
    legend_outside(figure, *panels[0].get_legend_handles_labels(), loc="lower center", ncols=2)
    figure.suptitle("Forces by cause at the printed state, five-fold speed", x=0.01, ha="left")
    return figure
