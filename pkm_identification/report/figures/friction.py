# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Friction curves: force against rate, of a test of every drive, and as a log shows it next to the identified law."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from pkm_identification.identification.procedures.friction_test import FrictionTest
from pkm_identification.identification.review.friction_curves import FrictionCurve
from pkm_identification.machines.contract import Drive

from ..friction_tables import RATES
from .style import ESTIMATE, MEASURED, NOMINAL, TRUE, apply_style, legend_outside

SIGMAS = 2.0


@apply_style
def draw_friction_figure(test: FrictionTest) -> Figure:
    """Measured friction with bars of two standard errors, the fitted law, and the rates left out."""
    columns = min(3, len(test.struts))
    rows = -(-len(test.struts) // columns)
    figure = Figure(figsize=(3.2 * columns + 0.4, 2.6 * rows + 0.9), layout="constrained")
    tested = [test.machine.drives[number - 1] for number in test.struts]
    alike = len({drive.unit for drive in tested}) == 1
    panels = figure.subplots(rows, columns, sharex=alike, squeeze=False).ravel()
    for panel, (number, strut) in zip(panels, test.struts.items(), strict=False):
        curve, drive, slowest = (
            strut.curve,
            test.machine.drives[number - 1],
            float(test.least_rate[number - 1]),
        )
        factor, unit = RATES[drive.unit]
        window = factor * slowest
        panel.axvspan(-window, window, color="#F2F2F2", label="not used in the fit")
        panel.axhline(0, color="#BBBBBB", linewidth=0.8)
        fastest = float(np.abs(curve.rate).max())
        for k, side in enumerate((-1.0, 1.0)):
            rate = side * np.linspace(slowest, fastest, 60)
            panel.plot(
                factor * rate, strut.friction_force(rate), color=TRUE, label=None if k else "fitted law"
            )
        panel.errorbar(
            factor * curve.rate,
            curve.force,
            yerr=SIGMAS * curve.error,
            fmt="o",
            markersize=3,
            color=ESTIMATE,
            elinewidth=1,
            capsize=2,
            label="measured, ± 2 standard errors",
        )
        transition = test.transitions[number].transition_rate
        note = f"c$_v$ {strut.viscous.value:.3g} {drive.force_unit} s/{drive.unit}\n"
        note += f"F$_c$ {strut.coulomb.value:.3g} {drive.force_unit}" + (
            f"\nv$_t$ {factor * transition.value:.2g} {unit}" if transition else ""
        )
        panel.text(0.04, 0.96, note, transform=panel.transAxes, va="top", fontsize=8, color=NOMINAL)
        panel.set_title(drive.title)
    for panel in panels[len(test.struts) :]:
        panel.set_visible(False)
    rates, forces = (
        {pick(drive): None for drive in tested}
        for pick in (lambda d: RATES[d.unit][1], lambda d: d.force_unit)
    )
    figure.supxlabel(f"{tested[0].part} rate ({', '.join(rates)})", fontsize=9)
    figure.supylabel(f"friction force ({', '.join(forces)})", fontsize=9)
    legend_outside(figure, *panels[0].get_legend_handles_labels(), loc="upper right", ncols=3)
    figure.suptitle(f"{test.machine.name}: friction of the {tested[0].part}s", x=0.01, ha="left")
    return figure


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
