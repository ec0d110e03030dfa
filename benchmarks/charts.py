# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The findings as pictures: bars beside the peers, and growth with the number of samples."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from pkm_identification.report.figures.style import (
    ESTIMATE,
    MEASURED,
    NOMINAL,
    STRUT_COLORS,
    apply_style,
)

from .results import Findings, Item
from .times import time_text

PROGRAM = 1e-2  # s: slower items are programs, not calls
NEAR = 3.0  # times: a budget's mark that would lie on the text beside a bar


@apply_style
def bars(findings: Findings) -> Figure:
    """Median times of ours and the peers, where there are any, the budgets marked."""
    items = [item for item in findings.items if item.peers]
    groups = [item for item in items if item.ours.median < PROGRAM]
    programs = [item for item in items if item.ours.median >= PROGRAM]
    parts = [part for part in (groups, programs) if part]
    heights = [sum(len(item.peers) + 1.8 for item in part) for part in parts]
    figure = Figure(figsize=(10, 1.6 + 0.2 * sum(heights)), layout="constrained")
    panels = figure.subplots(len(parts), 1, squeeze=False, height_ratios=heights)[:, 0]
    for axes, part in zip(panels, parts):
        _panel(axes, part)
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper right", ncols=3)
    figure.suptitle("Median times, same states in one run", x=0.01, ha="left")
    return figure


def _panel(axes, items: list[Item]) -> None:
    unit, scale = ("s", 1.0) if items[0].ours.median >= PROGRAM else ("µs", 1e-6)
    place, ticks, labels = 0.0, [], []
    for item in items:
        start = place
        entries = [("this package", item.ours), *((peer.name, peer.timing) for peer in item.peers)]
        for k, (name, timing) in enumerate(entries):
            color, label = (ESTIMATE, "this package") if k == 0 else (MEASURED, "peers")
            axes.barh(place, timing.median / scale, height=0.8, color=color, label=label)
            # beside a budget's mark, where the text would lie on it
            marked = k == 0 and item.budget is not None and 1.0 <= item.budget / timing.median < NEAR
            right = (item.budget or 0.0) if marked else timing.median
            axes.annotate(
                time_text(timing.median), (right / scale, place), (4, 0), textcoords="offset points",
                va="center", fontsize=7,
            )  # fmt: skip
            ticks.append(place)
            labels.append(item.name if k == 0 else name)
            place += 1.0
        if item.budget is not None:
            axes.plot(
                [item.budget / scale] * 2, [start - 0.5, start + 0.5], color=STRUT_COLORS[1], linewidth=2,
                label="budget",
            )  # fmt: skip
        place += 0.8
    axes.set_xscale("log")
    axes.set_yticks(ticks, labels, fontsize=8)
    for text in axes.get_yticklabels():
        ours = any(text.get_text() == item.name for item in items)
        text.set_color("#222222" if ours else NOMINAL)
    axes.invert_yaxis()
    axes.margins(x=0.12, y=0.01)
    axes.grid(visible=False, axis="y")
    axes.set_xlabel(f"time ({unit}, logarithmic)")
    handles, names = axes.get_legend_handles_labels()
    seen = dict(zip(names, handles))
    for handle, name in zip(handles, names):
        if seen[name] is not handle:
            handle.set_label("_")


@apply_style
def growth(findings: Findings) -> Figure:
    """Time of one call over the number of samples, and memory over the steps of the online pipeline."""
    figure = Figure(figsize=(10, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    for k, one in enumerate(findings.growth):
        left.loglog(one.counts, one.seconds, "o-", color=STRUT_COLORS[k], label=one.name)
    if findings.growth:
        counts = np.array(findings.growth[0].counts, dtype=float)
        last = findings.growth[0].seconds[-1]
        left.loglog(counts, last * counts / counts[-1], ":", color=NOMINAL, label="proportional")
        left.legend()
    left.set_xlabel("samples in one call")
    left.set_ylabel("time (s)")
    left.set_title("Cost grows in proportion")
    for memory in findings.memory:
        right.plot(np.array(memory.steps) / 1000, memory.resident, "o-", color=STRUT_COLORS[0])
        right.set_ylim(0, 1.25 * max(memory.resident))
    right.set_xlabel("online steps (thousands)")
    right.set_ylabel("resident memory of the process (MB)")
    right.set_title("Memory of the online pipeline")
    return figure
