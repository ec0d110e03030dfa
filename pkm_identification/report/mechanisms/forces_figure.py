# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Forces of a mechanism's drives, measured and predicted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from ..figures.forces import in_the_middle
from ..figures.style import ESTIMATE, MEASURED, legend_outside, styled

if TYPE_CHECKING:
    from pkm_identification.identification.mechanism.result import Prediction


@styled
def drive_forces_figure(held: Prediction, names: Sequence[str], units: Sequence[str]) -> Figure:
    """Some seconds from the middle, in the estimation band; `names` and `units` are of the n forces."""
    time = held.time - held.time[0]
    chosen = in_the_middle(time)
    figure = Figure(figsize=(11, 1.2 + 1.8 * len(names)), layout="constrained")
    panels = figure.subplots(len(names), 1, sharex=True, squeeze=False)[:, 0]
    for i, (panel, name, unit) in enumerate(zip(panels, names, units, strict=True)):
        panel.plot(time[chosen], held.measured[chosen, i], color=MEASURED, linewidth=4, label="measured")
        panel.plot(time[chosen], held.predicted[chosen, i], color=ESTIMATE, linewidth=0.9, label="predicted")
        panel.set_title(f"{name}: error {100 * held.missed[i]:.2g} % rms over all of it")
        panel.set_ylabel(f"force ({unit})" if unit == "N" else f"torque ({unit})")
    panels[-1].set_xlabel("time (s)")
    legend_outside(figure, *panels[0].get_legend_handles_labels(), loc="upper right", ncols=2)
    figure.suptitle("Forces not used for the estimate, in the estimation band", x=0.01, ha="left")
    return figure
