# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Figures of the servo: steps, and what parameters do to overshoot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from pkm_identification.report.figures.style import (
    ESTIMATE,
    NOMINAL,
    TRUE,
    categories_across,
    legend_outside,
    styled,
)

from .data import SENSITIVITIES, STEP, STEPS

if TYPE_CHECKING:
    from .runs import ServoStudy


@styled
def steps_figure(study: ServoStudy) -> Figure:
    """Four steps, the printed first peak and the one after, and the reduced model."""
    figure = Figure(figsize=(9, 5.2), layout="constrained")
    panels = figure.subplots(2, 2, sharex=True, sharey=True).ravel()
    for k, (panel, run, (load, out, peak, period, overshoot)) in enumerate(
        zip(panels, study.steps, STEPS, strict=True)
    ):
        share = run.measured / (-STEP if out else STEP)
        panel.plot(1e3 * run.time, share, color=ESTIMATE, label="V_me, ours")
        if k == 2:
            panel.plot(
                1e3 * run.time,
                study.reduced.measured / -STEP,
                "--",
                color=NOMINAL,
                label="valve as one delay",
            )
        # overshoot is over where the piston settles
        settled = share.max() / (1.0 + run.metrics.overshoot)
        height = settled * (1.0 + overshoot / 100.0)
        panel.plot([peak], [height], "x", color=TRUE, label="source, first peak")
        panel.axvline(peak + period, color=TRUE, linewidth=0.8, linestyle=":")
        panel.set_title(f"{load:g} kg, {'extending' if out else 'retracting'}")
    for panel in panels[2:]:
        panel.set_xlabel("time (ms)")
    for panel in panels[::2]:
        panel.set_ylabel("part of the step")
    legend_outside(figure, *panels[2].get_legend_handles_labels(), loc="lower center", ncols=3)
    figure.suptitle("Steps of the test set-up (dotted: the source's second peak)", x=0.01, ha="left")
    return figure


@styled
def sensitivities_figure(study: ServoStudy) -> Figure:
    """Overshoot of the 27 runs, ours and the printed."""
    figure = Figure(figsize=(9, 3.8), layout="constrained")
    panel = figure.subplots()
    for place, (name, (_, _, _, printed, _)) in enumerate(SENSITIVITIES.items()):
        ours = [100.0 * one.overshoot for one in study.varied[name]]
        at = place + np.array([-0.25, 0.0, 0.25])
        panel.plot(at, ours, "o-", color=ESTIMATE, markersize=4, label="ours" if place == 0 else None)
        panel.plot(at, printed, "x", color=TRUE, label="source" if place == 0 else None)
    panel.set_xticks(range(len(SENSITIVITIES)), [f"{name}\n±{p[0]:g} %" for name, p in SENSITIVITIES.items()])
    categories_across(panel, "overshoot (%)")
    panel.legend()
    figure.suptitle("Overshoot at 5.1 kg, extending, with each parameter varied", x=0.01, ha="left")
    return figure
