# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Figures of what a machine reaches, coloured by dexterity: along lines from home, and in slices of poses."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from matplotlib.figure import Figure

from pkm_identification.machines.contract import Machine
from pkm_identification.machines.reach import Reach
from pkm_identification.mechanisms.hexapod.kinematics.workspace import PLANES, WorkspaceSlice
from pkm_identification.mechanisms.hexapod.machine import Machine as Description

from .style import NOMINAL, TRUE, apply_style

SHOWN = 3  # outputs of which each pair has a panel


@apply_style
def reach_figure(machine: Machine, reach: Reach) -> Figure:
    """Return panels of pairs of outputs, points coloured by dexterity; one output over the first drive."""
    count = min(len(reach.names), SHOWN)
    labels = [f"{name} ({unit})" for name, unit in zip(reach.names, reach.units, strict=True)]
    first = machine.drives[0]
    panels = [
        (reach.value[:, i], reach.value[:, j], labels[i], labels[j], reach.units[i] == reach.units[j])
        for i, j in combinations(range(count), 2)
    ]
    if not panels:
        over = f"{first.name} ({first.unit})"
        panels = [(reach.coordinate[:, 0], reach.value[:, 0], over, labels[0], False)]
    figure = Figure(figsize=(0.8 + 4.0 * len(panels), 3.8), layout="constrained")
    axes = figure.subplots(1, len(panels), squeeze=False)[0]
    for axis, (across, up, name, other, alike) in zip(axes, panels, strict=True):
        points = axis.scatter(across, up, c=reach.dexterity, s=3, cmap="viridis", vmin=0.0, rasterized=True)
        axis.plot(across[0], up[0], "o", color="white", markeredgecolor="#222222", markersize=6)
        axis.set(xlabel=name, ylabel=other)
        if alike:
            axis.set_aspect("equal", adjustable="datalim")
    figure.colorbar(points, ax=list(axes), shrink=0.85, pad=0.02).set_label("dexterity")
    figure.suptitle(f"{machine.name}: reach along lines of the drives from home", x=0.01, ha="left")
    return figure


NAMES = "xyz"


@apply_style
def draw_workspace_figure(machine: Description, piece: WorkspaceSlice, turn: str = "") -> Figure:
    """Return where the lengths are within their limits, coloured by dexterity; singularities as a line.

    Parameters
    ----------
    machine : hexapod.machine.Machine
    piece : WorkspaceSlice
    turn : str
        The orientation in words, for the title; home's if empty.
    """
    first, second = PLANES[piece.plane]
    tall = np.ptp(piece.vertical) / np.ptp(piece.horizontal)
    # room for the titles and the axis around a picture 4.6 in wide
    figure = Figure(figsize=(6.4, float(np.clip(4.6 * tall + 1.1, 3.2, 7.0))), layout="constrained")
    panel = figure.add_subplot()
    extent = (piece.horizontal[0], piece.horizontal[-1], piece.vertical[0], piece.vertical[-1])
    shown = np.ma.masked_where(~piece.inside, piece.dexterity)
    highest = float(shown.max()) if np.any(piece.inside) else 1.0
    image = panel.imshow(
        shown, origin="lower", extent=extent, cmap="viridis", vmin=0.0, vmax=highest, interpolation="nearest"
    )
    across = np.meshgrid(piece.horizontal, piece.vertical)
    panel.grid(False)
    if np.any(piece.inside) and np.ptp(shown.compressed()) > 1e-6:
        lines = panel.contour(*across, shown, levels=6, colors="white", linewidths=0.6)
        panel.clabel(lines, fontsize=7)
    if np.any(piece.inside) and not np.all(piece.inside):
        panel.contour(*across, piece.inside.astype(float), levels=[0.5], colors=NOMINAL, linewidths=1.0)
    if piece.sign.min() < 0 < piece.sign.max():
        # signed, so that the line runs between the points
        panel.contour(
            *across, piece.dexterity * piece.sign, levels=[0.0], colors=TRUE, linewidths=1.4, linestyles="--"
        )
        panel.plot([], [], color=TRUE, linestyle="--", label="singular")
    home = machine.home_position
    normal = ({0, 1, 2} - {first, second}).pop()
    shows_home = extent[0] <= home[first] <= extent[1] and extent[2] <= home[second] <= extent[3]
    if shows_home and abs(piece.center[normal] - home[normal]) < 1e-9:
        panel.plot(
            home[first],
            home[second],
            "o",
            color="white",
            markeredgecolor="#222222",
            markersize=6,
            label="home position",
        )
    if panel.get_legend_handles_labels()[0]:
        panel.legend(loc="upper right", frameon=True, framealpha=0.9, edgecolor="none")
    if not np.any(piece.inside):
        panel.text(0.5, 0.62, "no pose within the length limits", transform=panel.transAxes, ha="center")
    else:
        bar = figure.colorbar(image, ax=panel, shrink=0.85, pad=0.02)
        bar.set_label(f"dexterity (length scale {piece.length_scale:.3f} m)")
        bar.outline.set_visible(False)
    panel.set(xlabel=f"{NAMES[first]} (m)", ylabel=f"{NAMES[second]} (m)", aspect="equal")
    panel.set_title(
        f"{NAMES[normal]} = {piece.center[normal]:.3f} m, {turn or 'orientation of home'}, {1e4 * piece.area:.0f} cm²"
    )
    figure.suptitle(f"{machine.name}: workspace within the length limits", x=0.01, ha="left")
    return figure
