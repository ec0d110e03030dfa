# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The machine with its parameters: `python docs/images/draw_machine.py` writes machine.svg beside this file.

Drawn from the machine file: joint places, home pose and centres of mass are those of the built-in `uf`.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pkm_identification.mechanisms.hexapod.machine import Machine

BASE, PLATFORM, BODY_B, BODY_E, MASS = "#59636e", "#c77700", "#0072b2", "#009e73", "#b2182b"
AZIMUTH, ELEVATION = np.radians(-62.0), np.radians(18.0)
SHOWN = 0  # strut whose parameters are written: in front, at the right


def projected(points: np.ndarray) -> np.ndarray:
    """Points (N, 3) as a camera far away sees them, (N, 2)."""
    right = np.array([-np.sin(AZIMUTH), np.cos(AZIMUTH), 0.0])
    toward = np.array(
        [np.cos(ELEVATION) * np.cos(AZIMUTH), np.cos(ELEVATION) * np.sin(AZIMUTH), np.sin(ELEVATION)]
    )
    return np.stack([points @ right, points @ np.cross(toward, right)], axis=1)


def ring(panel: Axes, corners: np.ndarray, color: str) -> None:
    """A plate through the corners."""
    middle = corners.mean(axis=0)
    order = np.argsort(np.arctan2(corners[:, 1] - middle[1], corners[:, 0] - middle[0]))
    panel.fill(*projected(corners[order]).T, facecolor=color, alpha=0.16, edgecolor=color, linewidth=1.5)


def note(
    panel: Axes, text: str, at: np.ndarray, place: tuple[float, float], color: str, **more: object
) -> None:
    """A text beside the picture, with a thin line to what it names."""
    panel.annotate(
        text,
        xy=tuple(at),
        xytext=place,
        color=color,
        fontsize=11,
        va="center",
        arrowprops={
            "arrowstyle": "-",
            "color": color,
            "linewidth": 0.8,
            "shrinkA": 2,
            "shrinkB": 2,
            "relpos": (0.0 if place[0] > at[0] else 1.0, 0.5),
        },
        **more,
    )


def drawing(machine: Machine) -> Figure:
    """The figure."""
    tips = machine.home_position + machine.platform_joints @ machine.home_rotation.T
    feet = machine.base_joints
    figure = Figure(figsize=(11.0, 4.8))
    panel = figure.add_axes((0.01, 0.01, 0.98, 0.98))
    panel.set_aspect("equal")
    panel.axis("off")
    ring(panel, feet, BASE)
    ring(panel, tips, PLATFORM)
    for i, (foot, tip) in enumerate(zip(feet, tips, strict=True)):
        middle = foot + 0.5 * (tip - foot)
        for ends, color, width in (((foot, middle), BODY_B, 7.0), ((middle, tip), BODY_E, 3.5)):
            panel.plot(*projected(np.array(ends)).T, color=color, linewidth=width, solid_capstyle="round",
                       alpha=1.0 if i == SHOWN else 0.45)  # fmt: skip
        aside = projected((foot + np.array([0.0, 0.0, 0.035]))[None])[0]
        panel.text(*aside, str(i + 1), color=BASE, fontsize=11, fontweight="bold", ha="center", va="center")
    panel.plot(*projected(np.vstack([feet, tips])).T, "o", color="#222222", markersize=4.5)
    foot, tip = feet[SHOWN], tips[SHOWN]
    along = (tip - foot) / np.linalg.norm(tip - foot)
    strut = machine.struts[SHOWN]
    centre_b, centre_e = (
        projected(at[None])[0]
        for at in (foot + strut.body_b.center_of_mass * along, tip - strut.body_e.center_of_mass * along)
    )
    home = projected(machine.home_position[None])[0]
    centre_p = projected(
        (machine.home_position + machine.home_rotation @ machine.platform.center_of_mass)[None]
    )[0]
    for centre in (centre_b, centre_e, centre_p):
        panel.plot(*centre, "o", markersize=8, markerfacecolor="white", markeredgecolor=MASS, markeredgewidth=2.0,
                   zorder=5)  # fmt: skip
    _distances(panel, projected(np.array([foot, tip])), centre_b, centre_e)
    low, high = projected(np.vstack([feet, tips])).min(axis=0), projected(np.vstack([feet, tips])).max(axis=0)
    left, right = low[0] - 0.37, high[0] + 0.46
    panel.set_xlim(left, right)
    panel.set_ylim(low[1] - 0.07, high[1] + 0.08)
    _names(
        panel,
        low,
        high,
        {"b": centre_b, "e": centre_e, "p": centre_p, "home": home, "strut": 0.5 * (centre_b + centre_e)},
    )
    return figure


def _distances(panel: Axes, ends: np.ndarray, centre_b: np.ndarray, centre_e: np.ndarray) -> None:
    """How far the centres of mass of bodies B and E are from their joints, as arrows beside the strut."""
    direction = (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0])
    aside = 0.035 * np.array([-direction[1], direction[0]])
    for joint, centre, text in ((ends[0], centre_b, "$L_B$"), (ends[1], centre_e, "$d$")):
        start, stop = joint + aside, centre + aside
        panel.annotate(
            "", xy=tuple(stop), xytext=tuple(start), arrowprops={"arrowstyle": "<->", "color": MASS}
        )
        panel.text(
            *(0.5 * (start + stop) + 0.7 * aside), text, color=MASS, fontsize=12, ha="center", va="center"
        )


def _names(panel: Axes, low: np.ndarray, high: np.ndarray, at: dict[str, np.ndarray]) -> None:
    right, left = high[0] + 0.06, low[0] - 0.33
    note(panel, "body B\nmass  m_b\nfirst moment  h_b = m_b L_B", at["b"], (right, at["b"][1] + 0.11), BODY_B)
    note(panel, "strut\nmoments  It_b+It_e,  Ia_b+Ia_e\nfriction  viscous_1,  coulomb_1", at["strut"],
         (right, at["strut"][1] + 0.0), BASE)  # fmt: skip
    note(panel, "body E\nmass  m_e\nfirst moment  h_e = m_e d", at["e"], (right, at["e"][1] - 0.12), BODY_E)
    note(panel, "platform\nmass  m_p\ncentre of mass  mx_p, my_p, mz_p\nmoments  Ixx_p, Iyy_p, Izz_p", at["p"],
         (left, low[1] + 0.12), PLATFORM)  # fmt: skip
    panel.text(left, high[1] - 0.02, "base", color=BASE, fontsize=11, va="center")
    panel.text(left, high[1] - 0.07, "joints 1 to 6", color=BASE, fontsize=10, va="center")
    panel.text(left, low[1] - 0.035, "○ centres of mass", color=MASS, fontsize=10, va="center")


if __name__ == "__main__":
    matplotlib.rcParams.update(
        {"svg.fonttype": "none", "svg.hashsalt": "machine", "font.family": "DejaVu Sans"}
    )
    drawing(Machine.load("uf")).savefig(
        Path(__file__).with_name("machine.svg"), metadata={"Date": None}, facecolor="white"
    )
