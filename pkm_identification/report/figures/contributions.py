# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Bar charts of what contributes to the strut forces and of their sensitivity to the centre of mass."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pkm_identification.mechanisms.center_of_mass_sensitivity import SIGNIFICANT, Sensitivity
from pkm_identification.mechanisms.contributions import Contributions, DriveShares
from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray

from ..contribution_tables import present
from .style import MEASURED, STRUT_COLORS, TRUE, apply_style, categories_across, legend_outside


@apply_style
def draw_contributions_figure(
    drives: Sequence[str], shares: DriveShares, norms: Contributions | None, title: str
) -> Figure:
    """Return mean and range of each group that contributes: bars of the norm over the drives, points of each drive.

    Without a norm there is a bar for each drive.
    """
    shown = present(shares.mean)
    count = len(drives)

    def draw(panel: Axes, each: FloatArray, overall: FloatArray | None) -> None:
        if overall is not None:
            panel.bar(
                range(len(shown)), overall[shown], color=MEASURED, width=0.75, label="norm over the drives"
            )
            return _draw_strut_points(panel, each[shown], drives)
        width = 0.8 / count
        for i, name in enumerate(drives):
            places = np.arange(len(shown)) + (i - (count - 1) / 2) * width
            color = STRUT_COLORS[i % len(STRUT_COLORS)]
            panel.bar(places, np.nan_to_num(each[shown, i]), width=0.9 * width, color=color, label=name)
        return None

    names = [shares.names[g] for g in shown]
    mean, variation = (None, None) if norms is None else (norms.mean, norms.variation)
    return draw_shares_panels(
        names,
        lambda panel: draw(panel, shares.mean, mean),
        lambda panel: draw(panel, shares.signed_range, variation),
        title,
    )


def draw_shares_panels(
    groups: Sequence[str], mean: Callable[[Axes], None], spread: Callable[[Axes], None], title: str
) -> Figure:
    """Two panels with a place for each group: means and ranges of signed forces, as they are drawn by functions."""
    figure = Figure(figsize=(9, 3.8), layout="constrained")
    left, right = figure.subplots(1, 2)
    for panel, draw, what in ((left, mean, "mean"), (right, spread, "max − min")):
        draw(panel)
        panel.set_xticks(range(len(groups)), groups)
        categories_across(panel, f"{what} (% of mean force)")
    handles, labels = left.get_legend_handles_labels()
    legend_outside(figure, handles, labels, loc="lower center", ncols=min(len(labels), STRUTS + 1))
    figure.suptitle(title, x=0.01, ha="left")
    return figure


@apply_style
def sensitivity_figure(sensitivity: Sensitivity, title: str, drives: Sequence[str]) -> Figure:
    """Return sensitivities to an error of the centre of mass by direction: bars over all, a point for each drive."""
    figure = Figure(figsize=(7, 3.8), layout="constrained")
    panel = figure.add_subplot()
    places = range(len(sensitivity.directions))
    panel.bar(
        places,
        sensitivity.overall,
        color=MEASURED,
        width=0.75,
        label="all drives",
    )
    _draw_strut_points(panel, sensitivity.per_strut, drives)
    top = 1.15 * float(np.nanmax(sensitivity.per_strut)) or SIGNIFICANT
    if top > 0.5 * SIGNIFICANT:
        panel.axhline(SIGNIFICANT, color=TRUE, linestyle="--", linewidth=1, label="significant")
        top = max(top, 1.15 * SIGNIFICANT)
    panel.set_ylim(0, top)
    panel.set_xticks(places, sensitivity.directions)
    panel.set_xlabel("direction of the error, platform axes")
    categories_across(panel, "% of force per 1 % of the travel")
    legend_outside(figure, *panel.get_legend_handles_labels(), loc="lower center", ncols=STRUTS + 2)
    figure.suptitle(f"{title} ({1e3 * sensitivity.travel:.1f} mm)", x=0.01, ha="left")
    return figure


def _draw_strut_points(panel: Axes, per_strut: np.ndarray, drives: Sequence[str]) -> None:
    count = per_strut.shape[1]
    for i in range(count):
        panel.plot(
            np.arange(len(per_strut)) + 0.1 * (i - (count - 1) / 2),
            per_strut[:, i],
            "o",
            color=STRUT_COLORS[i % len(STRUT_COLORS)],
            markersize=3.5,
            label=drives[i],
        )
