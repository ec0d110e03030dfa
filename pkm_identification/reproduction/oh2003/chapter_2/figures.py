# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Figures of section 2.4: Figs. 2.10 to 2.15 in the source's layout, each machine, and the sensitivities."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from pkm_identification.report.contribution_tables import GROUP_TEXT
from pkm_identification.report.figures.style import (
    NOMINAL,
    STRUT_COLORS,
    apply_style,
    categories_across,
    legend_outside,
)

from ..table_2_2_motions import SOURCE_MOTIONS, SPEEDS
from .data import AXES, CASES, FIGURES, GROUPS
from .runs import MachineRuns

SPEED_COLORS = ("#9ECAE1", "#4292C6", "#08519C")  # light to dark: slow to fast
SPEED_TEXT = ("π rad/s", "2π rad/s", "4π rad/s")
CASE_TEXT = ("1 X", "2 X offset", "3 Z", "4 Z offset", "5 rotation", "6 rotation offset")
CASE_COLORS = ("#2171B5", "#9ECAE1", "#238B45", "#A1D99B", "#D94801", "#FDBE85")
CASE_NAMES = tuple(kind + ("-offset" if aside else "") for kind, aside in CASES)
GEOMETRY = {"uf": "UF geometry .75", "hexel": "6-3 geometry 1.29"}
RATIO = {"uf": "$m_p$ / (6 $m_e$) .45", "hexel": "$m_p$ / (6 $m_e$) 3.34"}


@apply_style
def draw_source_figures(study: MachineRuns) -> Figure:
    """Figs. 2.10 to 2.15: groups along, the six cases of Table 2.2 side by side, one panel a figure."""
    figure = Figure(figsize=(11, 10), layout="constrained")
    panels = figure.subplots(3, 2)
    names = ("F_a", *GROUPS)
    for panel, (label, joints, bodies, speed, kind) in zip(panels.flat, FIGURES, strict=True):
        for k, case in enumerate(CASE_NAMES):
            shares = study.crossed[joints, bodies, f"{case}-{speed}"].shares
            values = shares.variation if kind == "variation" else shares.mean
            bars = [
                shares.total_variation if kind == "variation" else 100.0,
                *(values[shares.names.index(g)] for g in GROUPS),
            ]
            panel.bar(
                np.arange(len(names)) + 0.13 * (k - 2.5),
                bars,
                width=0.13,
                color=CASE_COLORS[k],
                label=CASE_TEXT[k],
            )
        panel.set_xticks(range(len(names)), names)
        if label in AXES:
            panel.set_ylim(0.0, AXES[label])
        panel.set_title(f"Fig. {label}: {kind}, {speed} speed; {GEOMETRY[joints]}, {RATIO[bodies]}")
        categories_across(panel, f"{kind} norm (%)")
    legend_outside(figure, *panels[0, 0].get_legend_handles_labels(), loc="lower center", ncols=6)
    figure.suptitle("Norms of the force groups, in the order of the source's figures", x=0.01, ha="left")
    return figure


@apply_style
def draw_machine_figure(study: MachineRuns, machine: str) -> Figure:
    """One machine in all motions of Table 2.2: mean norm of each group at the three speeds."""
    figure = Figure(figsize=(9, 5), layout="constrained")
    panels = figure.subplots(2, 3, sharex=True, sharey=True)
    kinds = list(dict.fromkeys(motion.kind for motion in SOURCE_MOTIONS.values()))
    for motion in SOURCE_MOTIONS.values():
        panel = panels[int(motion.offset > 0), kinds.index(motion.kind)]
        speed = list(SPEEDS).index(motion.speed)
        shares = study.cases[machine, motion.name].shares
        panel.bar(
            np.arange(len(GROUPS)) + 0.27 * (speed - 1),
            [shares.share(name) for name in GROUPS],
            width=0.27,
            color=SPEED_COLORS[speed],
            label=SPEED_TEXT[speed],
        )
        suffix = f", {1e3 * motion.offset:.1f} mm to the side" if motion.offset else ", about home"
        panel.set_title(
            (motion.kind if motion.kind == "rotation" else f"along {motion.kind.upper()}") + suffix
        )
        panel.set_xticks(range(len(GROUPS)), GROUPS)
        categories_across(panel, "")
    for panel in panels[:, 0]:
        panel.set_ylabel("mean norm (%)")
    legend_outside(figure, *panels[0, 0].get_legend_handles_labels(), loc="upper right", ncols=3)
    meaning = ", ".join(f"{name} {GROUP_TEXT[name]}" for name in GROUPS)
    figure.supxlabel(meaning, fontsize=8, color=NOMINAL)
    figure.suptitle(f"{machine}: mean ‖group‖ / mean ‖F$_a$‖ over the struts", x=0.01, ha="left")
    return figure


@apply_style
def draw_sensitivity_figure(study: MachineRuns) -> Figure:
    """Over-all sensitivity by direction on each machine: mean over the motions, and their range."""
    machines = list(dict.fromkeys(machine for machine, _ in study.sensitivities))
    directions = next(iter(study.sensitivities.values())).sensitivity.directions
    figure = Figure(figsize=(7, 3.6), layout="constrained")
    panel = figure.add_subplot()
    width = 0.8 / len(machines)
    for k, machine in enumerate(machines):
        values = np.array(
            [c.sensitivity.overall for (name, _), c in study.sensitivities.items() if name == machine]
        )
        middle = values.mean(axis=0)
        panel.bar(
            np.arange(len(directions)) + width * (k - (len(machines) - 1) / 2),
            middle,
            width,
            yerr=[middle - values.min(axis=0), values.max(axis=0) - middle],
            color=STRUT_COLORS[k],
            ecolor=NOMINAL,
            capsize=2,
            label=machine,
        )
    panel.set_xticks(range(len(directions)), directions)
    panel.set_xlabel(
        "direction of the error, base axes at home (source's platform axes: x = Xp, y = Zp, z = −Yp)"
    )
    categories_across(panel, "% of force per 1 % of the travel")
    legend_outside(figure, *panel.get_legend_handles_labels(), loc="lower center", ncols=len(machines))
    figure.suptitle("Wrong centre of mass: mean and range over the motions", x=0.01, ha="left")
    return figure
