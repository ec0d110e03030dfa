# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Figure of the robot's steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from pkm_identification.report.figures.style import ESTIMATE, NOMINAL, TRUE, legend_outside, styled

from .data import PRINTED, STEPS

if TYPE_CHECKING:
    from .runs import RobotStudy


@styled
def steps_figure(study: RobotStudy) -> Figure:
    """One actuator a panel, sizes compared and others, with the source's first and second peak."""
    figure = Figure(figsize=(9, 5.4), layout="constrained")
    panels = figure.subplots(2, 2).ravel()
    for panel, (name, (peak, period, overshoot)) in zip(panels, PRINTED.items(), strict=True):
        for size in STEPS[name][::-1]:
            if (name, size) not in study.steps:
                continue
            one = study.steps[name, size]
            compared = size == STEPS[name][0]
            panel.plot(
                1e3 * one.time, one.share, color=ESTIMATE if compared else NOMINAL, linewidth=1.4 if compared else 0.8,
                label="compared" if compared else "another size",
            )  # fmt: skip
            if compared:
                settled = one.share.max() / (1.0 + one.metrics.overshoot)
                panel.plot(
                    [peak], [settled * (1.0 + overshoot / 100.0)], "x", color=TRUE, label="source, first peak"
                )
        panel.axvline(peak + period, color=TRUE, linewidth=0.8, linestyle=":")
        panel.set_title(f"{name}, {STEPS[name][0]:+g} V")
        panel.set_xlabel("time (ms)")
        panel.set_ylabel("part of the step")
    legend_outside(figure, *panels[0].get_legend_handles_labels(), loc="lower center", ncols=3)
    figure.suptitle("Setpoint steps of the robot (dotted: the source's second peak)", x=0.01, ha="left")
    return figure
