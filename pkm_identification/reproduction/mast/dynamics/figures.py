# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Figures of the coupling: sliders, forces, and how far the disturbance is from the coupled equations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from pkm_identification.report.figures.style import STRUT_COLORS, styled

if TYPE_CHECKING:
    from .runs import DynamicsStudy


@styled
def coupling_figure(study: DynamicsStudy) -> Figure:
    """Slider forces of the coupled equations, and the torques' differences by scheme."""
    figure = Figure(figsize=(9, 5.2), layout="constrained")
    force, torque, difference = figure.subplots(3, 1, sharex=True)
    time = study.coupled.time
    for k in range(3):
        force.plot(time, study.coupled.force[:, k], color=STRUT_COLORS[k], label=f"axis {k + 1}")
        torque.plot(time, study.coupled.torque[:, k], color=STRUT_COLORS[k])
    for (name, run), color in zip(study.schemes.items(), STRUT_COLORS[3:], strict=True):
        off = np.abs(run.torque - study.coupled.torque).max(axis=1)
        difference.semilogy(time, 1e3 * np.maximum(off, 1e-9), color=color, label=name)
    force.set_ylabel("slider force (N)")
    torque.set_ylabel("motor torque (N m)")
    difference.set_ylabel("torque off (mN m)")
    difference.set_xlabel("time (s)")
    force.legend(ncols=3, loc="upper right")
    difference.legend(ncols=3, loc="lower right")
    figure.suptitle("Coupled equations, and the mechanism as a disturbance", x=0.01, ha="left")
    return figure
