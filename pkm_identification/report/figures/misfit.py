# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Figure of a diagnosis: what the model leaves of the forces, in units of their noise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from pkm_identification.machines.contract import Drive

from .style import MEASURED, TRUE, apply_style, legend_outside

if TYPE_CHECKING:
    from pkm_identification.identification.diagnosis.findings import Diagnosis

WINDOW = 4.0  # s
SHORT = 3  # characters of a label that stands beside others
NOISE = 2.0  # floors on either side, where 95 % of noise alone would be


@apply_style
def draw_misfit_figure(fit: Diagnosis, drives: Sequence[Drive]) -> Figure:
    """Residual of the worst drive about its largest value, and of all drives against their noise floors.

    Parameters
    ----------
    fit : Diagnosis
        With `residuals` of the model.
    drives : sequence of Drive
    """
    model = fit.residuals[0]
    worst = int(np.argmax(fit.per_strut))
    middle = model.time[np.argmax(np.abs(model.relative[:, worst]))]
    start = np.clip(middle - 0.5 * WINDOW, model.time[0], max(model.time[-1] - WINDOW, model.time[0]))
    figure = Figure(figsize=(9, 2.9), layout="constrained")
    over_time, each = figure.subplots(1, 2, width_ratios=[3, 1])
    over_time.axhspan(-NOISE, NOISE, color=MEASURED, alpha=0.35, linewidth=0, label="noise floor, 95 %")
    chosen = (model.time >= start) & (model.time <= start + WINDOW)
    time = model.time[chosen] - model.time[0]  # stamps of recordings count from 1970
    over_time.plot(
        time, model.relative[chosen, worst], color=TRUE, linewidth=1.0, label="what the model leaves"
    )
    over_time.set_xlabel("time (s)")
    over_time.set_ylabel("residual / noise floor")
    over_time.set_title(f"{drives[worst].title}, where it is largest")
    size = np.sqrt(np.mean(model.relative**2, axis=0))
    each.bar(np.arange(len(drives)), size, 0.8, color=TRUE)
    each.axhline(1.0, color=MEASURED, linewidth=2)
    labels = [drive.label for drive in drives]
    long = max(map(len, labels)) > SHORT
    each.set_xticks(range(len(drives)), labels, rotation=45 if long else 0, ha="right" if long else "center")
    each.set_xlabel(drives[0].part)
    each.set_title("root mean square")
    each.grid(False, axis="x")
    legend_outside(figure, *over_time.get_legend_handles_labels(), loc="lower center", ncols=3)
    return figure
