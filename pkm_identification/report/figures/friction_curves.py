# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Figure of the struts' friction over their rate, as a log shows it and as the identified law has it."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from pkm_identification.identification.review.friction_curves import FrictionCurve
from pkm_identification.machines.contract import Drive

from ..friction_tables import RATES
from .style import ESTIMATE, MEASURED, apply_style, legend_outside

COLUMNS = 3


@apply_style
def draw_friction_curves_figure(curves: Sequence[FrictionCurve], drives: Sequence[Drive]) -> Figure:
    """One panel a drive."""
    rows = -(-len(curves) // COLUMNS)
    figure = Figure(figsize=(11, 2.4 * rows + 0.8), layout="constrained")
    alike = len({drive.unit for drive in drives}) == 1
    panels = figure.subplots(rows, COLUMNS, sharex=alike, squeeze=False).ravel()
    for panel, curve in zip(panels, curves, strict=False):
        drive = drives[curve.strut]
        factor, unit = RATES[drive.unit]
        rate = factor * curve.rate
        panel.axhline(0, color="#BBBBBB", linewidth=0.8)
        panel.errorbar(
            rate,
            curve.measured,
            yerr=curve.spread,
            fmt="o",
            markersize=3.5,
            color="#777777",
            ecolor=MEASURED,
            elinewidth=1,
            label="measured force less the rigid-body part: mean and standard deviation",
        )
        panel.plot(rate, curve.law, color=ESTIMATE, linewidth=1.6, label="identified friction")
        panel.set_title(drive.title)
        panel.set_ylabel(f"friction ({drive.force_unit})")
        panel.set_xlabel(f"{drive.part} rate ({unit})")
    for panel in panels[len(curves) :]:
        panel.set_visible(False)
    handles, labels = panels[0].get_legend_handles_labels()
    legend_outside(figure, handles, labels, loc="upper right", ncols=2)
    figure.suptitle(f"Friction of the {drives[0].part}s", x=0.01, ha="left")
    return figure
