"""Bar charts of what contributes to the strut forces and of their sensitivity to the centre of mass."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pkm_identification.mechanisms.hexapod.analysis.center_of_mass_sensitivity import (
    SIGNIFICANT,
    Sensitivity,
)
from pkm_identification.mechanisms.hexapod.analysis.contributions import Contributions
from pkm_identification.motion import STRUTS
from pkm_identification.reproduction.oh2003.chapter_2.findings import GROUPS, Study
from pkm_identification.reproduction.oh2003.table_2_2_motions import SOURCE_MOTIONS, SPEEDS

from .contribution_tables import GROUP_TEXT, present
from .style import (
    MEASURED,
    NOMINAL,
    STRUT_COLORS,
    TRUE,
    styled,
)

SPEED_COLORS = ("#9ECAE1", "#4292C6", "#08519C")  # light to dark: slow to fast
SPEED_TEXT = ("π rad/s", "2π rad/s", "4π rad/s")


@styled
def contributions_figure(shares: Contributions, title: str) -> Figure:
    """Mean share and range of each group that contributes: bars over all struts, a point for each strut."""
    figure = Figure(figsize=(9, 3.8), layout="constrained")
    left, right = figure.subplots(1, 2)
    shown = present(shares)
    for panel, per_strut, overall, label in (
        (left, shares.mean, shares.mean_all, "mean |group| / mean |F$_a$| (%)"),
        (right, shares.range, shares.range_all, "(max − min) / mean |F$_a$| (%)"),
    ):
        panel.bar(range(len(shown)), overall[shown], color=MEASURED, width=0.75, label="all struts")
        _strut_points(panel, per_strut[shown])
        panel.set_xticks(range(len(shown)), [shares.names[g] for g in shown])
        _only_across(panel, label)
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=STRUTS + 1)
    figure.suptitle(title, x=0.01, ha="left")
    return figure


@styled
def sensitivity_figure(sensitivity: Sensitivity, title: str) -> Figure:
    """Sensitivity to an error of the centre of mass along each direction: bars over all struts, a point each."""
    figure = Figure(figsize=(7, 3.8), layout="constrained")
    panel = figure.add_subplot()
    places = range(len(sensitivity.directions))
    panel.bar(places, sensitivity.overall, color=MEASURED, width=0.75, label="all struts")
    _strut_points(panel, sensitivity.per_strut)
    top = 1.15 * float(np.nanmax(sensitivity.per_strut)) or SIGNIFICANT
    if top > 0.5 * SIGNIFICANT:
        panel.axhline(SIGNIFICANT, color=TRUE, linestyle="--", linewidth=1, label="significant")
        top = max(top, 1.15 * SIGNIFICANT)
    panel.set_ylim(0, top)
    panel.set_xticks(places, sensitivity.directions)
    panel.set_xlabel("direction of the error, platform axes")
    _only_across(panel, "% of force per 1 % of the travel")
    figure.legend(*panel.get_legend_handles_labels(), loc="outside lower center", ncols=STRUTS + 2)
    figure.suptitle(f"{title} ({1e3 * sensitivity.travel:.1f} mm)", x=0.01, ha="left")
    return figure


@styled
def study_figure(study: Study, machine: str) -> Figure:
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
        _only_across(panel, "")
    for panel in panels[:, 0]:
        panel.set_ylabel("mean share (%)")
    figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside upper right", ncols=3)
    meaning = ", ".join(f"{name} {GROUP_TEXT[name]}" for name in GROUPS)
    figure.supxlabel(meaning, fontsize=8, color=NOMINAL)
    figure.suptitle(f"{machine}: mean |group| / mean |F$_a$|", x=0.01, ha="left")
    return figure


@styled
def study_sensitivity_figure(study: Study) -> Figure:
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
    _only_across(panel, "% of force per 1 % of the travel")
    figure.legend(*panel.get_legend_handles_labels(), loc="outside lower center", ncols=len(machines))
    figure.suptitle("Wrong centre of mass: mean and range over the motions", x=0.01, ha="left")
    return figure


def _strut_points(panel: Axes, per_strut: np.ndarray) -> None:
    for i in range(STRUTS):
        panel.plot(
            np.arange(len(per_strut)) + 0.1 * (i - (STRUTS - 1) / 2),
            per_strut[:, i],
            "o",
            color=STRUT_COLORS[i],
            markersize=3.5,
            label=f"strut {i + 1}",
        )


def _only_across(panel: Axes, label: str) -> None:
    panel.grid(False, axis="x")
    panel.tick_params(axis="x", length=0)
    panel.set_ylabel(label)
