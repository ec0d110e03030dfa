"""Bar charts of what contributes to the driven forces of a mechanism."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from pkm_identification.mechanisms.multibody.contributions import DriveShares
from pkm_identification.mechanisms.multibody.mechanism import Mechanism

from ..mechanism_contributions import present
from .style import STRUT_COLORS, categories_across, styled


@styled
def drive_shares_figure(mechanism: Mechanism, shares: DriveShares, title: str) -> Figure:
    """Mean and signed range of each group that contributes, a bar for each drive."""
    figure = Figure(figsize=(9, 3.8), layout="constrained")
    left, right = figure.subplots(1, 2)
    shown = present(shares)
    count = len(mechanism.force_names)
    width = 0.8 / count
    for panel, values, label in (
        (left, shares.mean, "mean (% of mean force)"),
        (right, shares.signed_range, "max − min (% of mean force)"),
    ):
        for i, name in enumerate(mechanism.force_names):
            places = np.arange(len(shown)) + (i - (count - 1) / 2) * width
            color = STRUT_COLORS[i % len(STRUT_COLORS)]
            panel.bar(places, np.nan_to_num(values[shown, i]), width=0.9 * width, color=color, label=name)
        panel.set_xticks(range(len(shown)), [shares.names[g] for g in shown])
        categories_across(panel, label)
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=min(count, 7))
    figure.suptitle(title, x=0.01, ha="left")
    return figure
