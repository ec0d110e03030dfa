# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What can be known, in figures: parameters against singular directions, and how the weakest direction grows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from pkm_identification.estimation.identifiability.base_parameters import RANK_TOLERANCE
from pkm_identification.estimation.identifiability.directions import Growth, SingularDirections
from pkm_identification.numerics.arrays import FloatArray

from .style import ESTIMATE, MEASURED, NOMINAL, TRUE, apply_style, legend_outside

_LEAST = 1e-17  # where a singular value of zero is drawn
_WRITTEN = 0.1  # share from which on its number is written
_MOST_WRITTEN = 30  # directions that leave room for numbers


@apply_style
def draw_directions_figure(directions: SingularDirections, names: Sequence[str], title: str) -> Figure:
    """Shares of parameters in the singular directions, the singular values above them."""
    count, rank = len(names), directions.rank
    side = max(0.3 * count, 2.4)
    figure = Figure(figsize=(side + 2.2, side + 2.9), layout="constrained")
    above, below = figure.subplots(
        2, 1, sharex=True, gridspec_kw={"height_ratios": [1.6, max(side, 2.4)], "hspace": 0.02}
    )
    index = np.arange(count)
    color = np.where(index < rank, ESTIMATE, TRUE)
    height = np.maximum(directions.relative, _LEAST)
    above.vlines(index, _LEAST, height, colors=color, linewidth=2.5, alpha=0.35)
    above.scatter(index, height, c=color, s=22, zorder=3)
    above.set_yscale("log")
    above.set_ylim(_LEAST if height.min() < 1e-8 else 10 ** np.floor(np.log10(height.min()) - 0.5), 3.0)
    above.set_ylabel("singular value of D\n(largest = 1)")
    above.tick_params(axis="x", length=0, labelbottom=False)
    above.grid(False, axis="x")
    image = below.imshow(directions.shares, cmap="Blues", vmin=0.0, vmax=1.0, aspect="auto")
    for i in range(count):
        for j in range(count):
            share = directions.shares[i, j]
            if count <= _MOST_WRITTEN and share >= _WRITTEN:
                below.text(
                    j,
                    i,
                    f"{100 * share:.0f}",
                    ha="center",
                    va="center",
                    fontsize=6.5,
                    color="white" if share > 0.55 else "#222222",
                )
    if rank < count:
        for panel in (above, below):
            panel.axvline(rank - 0.5, color=TRUE, linewidth=1.2, linestyle="--")
        below.text(
            count - 0.6,
            -0.7,
            "not shown",
            color=TRUE,
            fontsize=8,
            ha="right",
            va="bottom",
        )
    below.set_xticks(index, [str(k + 1) for k in index])
    below.set_yticks(index, names)
    below.set_xlabel("singular direction, best determined first")
    below.tick_params(length=0)
    below.grid(False)
    bar = figure.colorbar(image, ax=below, shrink=0.6, pad=0.01)
    bar.set_label("weight of the parameter in the direction")
    bar.set_ticks([0, 0.5, 1], labels=["0", "50 %", "100 %"])
    figure.suptitle(f"{title}\n{rank} of {count} directions determined", x=0.01, ha="left", fontsize=10)
    return figure


@apply_style
def draw_growth_figure(by_time: Growth, by_amplitude: Growth | None, rank: int, title: str) -> Figure:
    """Weakest shown over strongest singular value, as time passes and as the motion is made larger."""
    panels = [(by_time, "first so many seconds (s)")]
    if by_amplitude is not None:
        panels.append((by_amplitude, "amplitudes, part of the motion's"))
    figure = Figure(figsize=(4.6 * len(panels), 3.4), layout="constrained")
    axes = figure.subplots(1, len(panels), squeeze=False)[0]
    for axis, (one, label) in zip(axes, panels, strict=True):
        seen = one.relative > RANK_TOLERANCE
        axis.plot(one.steps[seen], one.relative[seen], "o-", markersize=3.5, color=ESTIMATE)
        axis.set_xscale("log")
        axis.set_yscale("log")
        bottom = 10 ** (np.floor(np.log10(one.relative[seen].min(initial=1.0))) - 1)
        axis.set_ylim(bottom=bottom)
        if not seen.all():
            few = one.steps[~seen]
            axis.plot(
                few, np.full(len(few), 2 * bottom), "x", color=TRUE, label="fewer directions determined"
            )
            axis.legend(loc="lower right")
        axis.set_xlabel(label)
        axis.set_ylabel(f"s$_{{{rank}}}$ / s$_{{1}}$")
    figure.suptitle(
        f"{title}: the weakest direction determined, and the strongest", x=0.01, ha="left", fontsize=10
    )
    return figure


@apply_style
def draw_deviations_figure(
    names: Sequence[str], scale: FloatArray, expected: FloatArray, std: FloatArray | None, title: str
) -> Figure:
    """Return standard deviations to expect, and those an estimate states, in parts of what is known without data.

    Parameters
    ----------
    names : sequence of str, length P
    scale : ndarray, shape (P,)
        Deviations without data.
    expected, std : ndarray, shape (P,)
        NaN where there is none.
    """
    count = len(names)
    figure = Figure(figsize=(max(5.5, 0.42 * count + 1.2), 3.8), layout="constrained")
    panel = figure.add_subplot()
    index = np.arange(count)
    panel.axhline(1.0, color=NOMINAL, linestyle=":", linewidth=1.2, label="before any data")
    parts = [(expected, MEASURED, "to expect of these data")]
    if std is not None:
        parts.append((std, ESTIMATE, "stated by the estimate"))
    width = 0.8 / len(parts)
    for k, (values, color, label) in enumerate(parts):
        shift = width * (k - 0.5 * (len(parts) - 1))
        panel.bar(index + shift, values / scale, width, color=color, label=label)
    panel.set_yscale("log")
    for unknown in np.flatnonzero(~np.any([np.isfinite(values) for values, _, _ in parts], axis=0)):
        above = panel.get_xaxis_transform()
        panel.text(
            index[unknown], 0.03, "not identifiable", transform=above, rotation=90, ha="center", fontsize=7
        )
    panel.set_xticks(index, names, rotation=60, ha="right", rotation_mode="anchor")
    panel.set_ylabel("standard deviation\n(size of the parameter = 1)")
    panel.grid(False, axis="x")
    panel.tick_params(axis="x", length=0)
    legend_outside(figure, loc="lower center", ncols=3)
    figure.suptitle(title, x=0.01, ha="left", fontsize=10)
    return figure
