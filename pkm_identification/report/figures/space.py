# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""One view for pictures of machines in space."""

from __future__ import annotations

from mpl_toolkits.mplot3d import Axes3D

from pkm_identification.numerics.arrays import FloatArray


def show_box(panel: Axes3D, low: FloatArray, high: FloatArray, zoom: float) -> None:
    """Show what lies between two corners (3,) in m, to scale, from the front and a little above."""
    panel.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
    panel.set_box_aspect(high - low, zoom=zoom)
    panel.set(xlabel="x (m)", ylabel="y (m)", zlabel="z (m)")
    panel.view_init(elev=20, azim=-62)
    panel.locator_params(nbins=5)
