"""Figures of section 2.4: each machine in all motions, and the sensitivity of all machines."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from pkm_identification.report.contribution_tables import GROUP_TEXT
from pkm_identification.report.figures.style import NOMINAL, STRUT_COLORS, categories_across, styled

from ..table_2_2_motions import SOURCE_MOTIONS, SPEEDS
from .data import GROUPS
from .runs import Study

SPEED_COLORS = ("#9ECAE1", "#4292C6", "#08519C")  # light to dark: slow to fast
SPEED_TEXT = ("π rad/s", "2π rad/s", "4π rad/s")


@styled
def machine_figure(study: Study, machine: str) -> Figure:
    """One machine in all motions of Table 2.2: mean share of each group at the three speeds."""
    figure = Figure(figsize=(9, 5), layout="constrained")
    panels = figure.subplots(2, 3, sharex=True, sharey=True)
    kinds = list(dict.fromkeys(motion.kind for motion in SOURCE_MOTIONS.values()))
    for motion in SOURCE_MOTIONS.values():
        panel = panels[int(motion.offset > 0), kinds.index(motion.kind)]
        speed = list(SPEEDS).index(motion.speed)
        shares = study[machine, motion.name].shares
        panel.bar(
            np.arange(len(GROUPS)) + 0.27 * (speed - 1),
            [shares.share(name) for name in GROUPS],
            width=0.27,
            color=SPEED_COLORS[speed],
            label=SPEED_TEXT[speed],
        )
        place = f", {1e3 * motion.offset:.1f} mm to the side" if motion.offset else ", about home"
        panel.set_title(
            (motion.kind if motion.kind == "rotation" else f"along {motion.kind.upper()}") + place
        )
        panel.set_xticks(range(len(GROUPS)), GROUPS)
        categories_across(panel, "")
    for panel in panels[:, 0]:
        panel.set_ylabel("mean share (%)")
    figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside upper right", ncols=3)
    meaning = ", ".join(f"{name} {GROUP_TEXT[name]}" for name in GROUPS)
    figure.supxlabel(meaning, fontsize=8, color=NOMINAL)
    figure.suptitle(f"{machine}: mean |group| / mean |F$_a$|", x=0.01, ha="left")
    return figure


@styled
def sensitivity_figure(study: Study) -> Figure:
    """Over-all sensitivity by direction on each machine: mean over the motions, and their range."""
    machines = list(dict.fromkeys(machine for machine, _ in study))
    directions = next(iter(study.values())).sensitivity.directions
    figure = Figure(figsize=(7, 3.6), layout="constrained")
    panel = figure.add_subplot()
    width = 0.8 / len(machines)
    for k, machine in enumerate(machines):
        values = np.array([c.sensitivity.overall for (name, _), c in study.items() if name == machine])
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
    panel.set_xlabel("direction of the error, platform axes")
    categories_across(panel, "% of force per 1 % of the travel")
    figure.legend(*panel.get_legend_handles_labels(), loc="outside lower center", ncols=len(machines))
    figure.suptitle("Wrong centre of mass: mean and range over the motions", x=0.01, ha="left")
    return figure
