# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A picture of the machine in its home pose."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from mpl_toolkits.mplot3d import Axes3D
from mpl_toolkits.mplot3d.art3d import Poly3DCollection

from pkm_identification.machines.capabilities import PlatformPose, has
from pkm_identification.machines.contract import Machine
from pkm_identification.machines.outline import create_outline, place_at_home
from pkm_identification.numerics.arrays import FloatArray

from .style import ESTIMATE, NOMINAL, STRUT_COLORS, apply_style


def show_box(panel: Axes3D, low: FloatArray, high: FloatArray, zoom: float) -> None:
    """Show what lies between two corners (3,) in m, to scale, from the front and a little above."""
    panel.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
    panel.set_box_aspect(high - low, zoom=zoom)
    panel.set(xlabel="x (m)", ylabel="y (m)", zlabel="z (m)")
    panel.view_init(elev=20, azim=-62)
    panel.locator_params(nbins=5)


NUMBER = {
    "fontsize": 9,
    "fontweight": "bold",
    "ha": "center",
    "va": "center",
    "bbox": {"boxstyle": "circle,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.85},
}
SMALLEST = 1e-9  # m
ZOOM, FLAT_ZOOM = 1.12, 0.95  # of a machine that fills its box, and of one that is long or flat
AXES = (("x", "#CC3333"), ("y", "#339933"), ("z", "#3355CC"))


@apply_style
def machine_figure(machine: Machine) -> Figure:
    """Return a picture of the machine at home, in the frame of its base or ground: bodies, drives and their numbers."""
    outline = create_outline(machine)
    ends, owners = place_at_home(machine, outline), np.array(outline.owners)
    figure = Figure(figsize=(6.4, 4.8))
    figure.subplots_adjust(left=0.0, right=0.93, bottom=0.03, top=0.97)
    panel = figure.add_subplot(projection="3d")
    plates: list[Patch] = []
    colors = iter(STRUT_COLORS * len(owners))
    for owner in dict.fromkeys(outline.owners):
        own = owners == owner
        lines, fixed, driven = ends[own], outline.fixed[own][0], outline.driven[own][0]
        ring = len(lines) > 2 and np.allclose(lines[-1, 1], lines[0, 0])
        color = NOMINAL if fixed else ESTIMATE if ring and len(plates) < 2 else next(colors)
        if ring:
            panel.add_collection3d(
                Poly3DCollection([lines[:, 0]], facecolor=color, alpha=0.16, edgecolor=color, linewidth=1.2)
            )
            plates.append(Patch(facecolor=color, edgecolor=color, alpha=0.5, label=owner))
            continue
        for line in lines:
            panel.plot(*line.T, color=color, linewidth=3 if driven else 2.5, solid_capstyle="round")
            panel.scatter(*line.T, color=color, s=18, depthshade=False, marker="^" if fixed else "o")
        if driven:
            # off the middle, where struts seen from the side cross
            number = list(dict.fromkeys(owners[outline.driven])).index(owner) + 1
            panel.text(*(0.65 * lines[0, 0] + 0.35 * lines[0, 1]), str(number), color=color, **NUMBER)
        elif not fixed:
            panel.text(*lines.reshape(-1, 3).mean(axis=0), f"  {owner}", color=color, fontsize=8)
    points = ends.reshape(-1, 3)
    low, high = points.min(axis=0), points.max(axis=0)
    # a planar mechanism has no depth of its own, a slide alone no extent at all
    extent = np.max(high - low) if np.max(high - low) > SMALLEST else machine.size
    margin = np.maximum(0.1 * extent - 0.5 * (high - low), 0.0) + SMALLEST
    frames = [(np.zeros(3), np.eye(3)), *([machine.home_pose] if has(machine, PlatformPose) else [])]
    for origin, rotation in frames:
        for direction, (name, color) in zip(rotation.T, AXES, strict=True):
            end = origin + 0.175 * machine.size * direction
            panel.plot(*np.stack([origin, end], axis=1), color=color, linewidth=1.5)
            panel.text(*end, name, color=color, fontsize=8)
    fills = np.median(high - low) > 0.4 * np.max(high - low)
    show_box(panel, low - margin, high + margin, zoom=ZOOM if fills else FLAT_ZOOM)
    if high[2] - low[2] < SMALLEST:  # of a planar machine a drawing, from above
        panel.view_init(elev=90, azim=-90)
        panel.set_zticks([])
    # zoomed, the box is wider than its panel, which would cut off a joint at the box's edge
    for drawn in (*panel.lines, *panel.collections):
        drawn.set_clip_on(False)
    figure.suptitle(f"{machine.name} at home", x=0.02, ha="left")
    # below the title: beside the plates there is a strut in the way in one machine or another
    if plates:
        figure.legend(handles=plates, loc="upper left", bbox_to_anchor=(0.0, 0.94), ncols=2, fontsize=9)
    return figure
