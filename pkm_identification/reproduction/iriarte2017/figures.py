# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Singular values in double precision beside those in many digits: where the ridge is, and where it is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from pkm_identification.mechanisms.multibody.analysis.routes import DoubleRoute, PreciseRoute
from pkm_identification.report.figures.style import STRUT_COLORS, apply_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .runs import BaseParameterStudy

_NOTHING = (1e-130, 1e-66)  # below rounding in 120 and in 60 digits; zeros are drawn here


@apply_style
def draw_spectra_figure(study: BaseParameterStudy) -> Figure:
    """Return the suspension's and the low-mobility four-bar's, with the tolerance below which NumPy gives values up."""
    figure = Figure(figsize=(9, 4.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    _draw_spectrum(
        left, study.suspension.double, study.precise.precise if study.precise else None, 41, _NOTHING[0]
    )
    _draw_spectrum(right, study.low.double, study.low.precise, 8, _NOTHING[1])
    left.set_title("suspension")
    right.set_title("four-bar of low mobility")
    left.set_ylabel("singular value over the largest (lowest dots: zero)")
    for axes in (left, right):
        axes.legend(loc="lower left")
    figure.suptitle("Where the ridge is", x=0.01, ha="left")
    return figure


def _draw_spectrum(
    axes: Axes, double: DoubleRoute | None, precise: PreciseRoute | None, rank: int, nothing: float
) -> None:
    if precise is not None:
        largest = precise.base.singular_values[0]
        values = [float(value / largest) for value in precise.base.singular_values]
        _draw_dots(axes, values, "o", 0, f"{precise.base.digits[1]} digits", nothing)
    if double is not None:
        spectrum = double.spectrum
        values = list(spectrum.singular_values / spectrum.singular_values[0])
        _draw_dots(axes, values, "x", 1, "double", nothing)
        tolerance = spectrum.tolerance / spectrum.singular_values[0]
        axes.axhline(
            tolerance,
            color=STRUT_COLORS[1],
            linestyle="--",
            lw=1.0,
            label=f"NumPy's tolerance: rank {spectrum.rank}",
        )
    axes.axvline(rank + 0.5, color="#555555", lw=0.8)
    axes.text(rank + 0.5, 1.0, f" {rank}", ha="left", va="top", color="#555555")
    axes.set_xlabel("number")


def _draw_dots(axes: Axes, values: list[float], marker: str, color: int, label: str, nothing: float) -> None:
    places = range(1, len(values) + 1)
    shown = np.maximum(values, nothing)
    axes.semilogy(places, shown, marker, ms=3.5, color=STRUT_COLORS[color], label=label)
