# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Figure of a machine's reach: points of lines from home, seen along the axes of its outputs."""

from __future__ import annotations

from itertools import combinations

from matplotlib.figure import Figure

from pkm_identification.machines.contract import Machine
from pkm_identification.machines.reach import Reach

from .style import apply_style

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
