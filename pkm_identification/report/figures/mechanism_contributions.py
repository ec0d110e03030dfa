# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Bar charts of what contributes to the driven forces of a mechanism."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pkm_identification.mechanisms.multibody.contributions import DriveShares
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.numerics.arrays import FloatArray

from ..contribution_tables import present
from .contributions import shares_panels
from .style import STRUT_COLORS, styled


@styled
def drive_shares_figure(mechanism: Mechanism, shares: DriveShares, title: str) -> Figure:
    """Mean and signed range of each group that contributes, a bar for each drive."""
    shown = present(shares.mean)
    count = len(mechanism.force_names)
    width = 0.8 / count

    def draw(panel: Axes, values: FloatArray) -> None:
        for i, name in enumerate(mechanism.force_names):
            places = np.arange(len(shown)) + (i - (count - 1) / 2) * width
            color = STRUT_COLORS[i % len(STRUT_COLORS)]
            panel.bar(places, np.nan_to_num(values[shown, i]), width=0.9 * width, color=color, label=name)

    names = [shares.names[g] for g in shown]
    return shares_panels(
        names, lambda panel: draw(panel, shares.mean), lambda panel: draw(panel, shares.signed_range), title
    )
