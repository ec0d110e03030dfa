"""Singular values in double precision beside those in many digits: where the ridge is, and where it is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from pkm_identification.mechanisms.multibody.analysis.routes import DoubleRoute, PreciseRoute
from pkm_identification.report.figures.style import STRUT_COLORS, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .runs import BaseParameterStudy

_SMALLEST = 1e-130  # below rounding in 120 digits; zeros are drawn here


@styled
def spectra_figure(study: BaseParameterStudy) -> Figure:
    """The suspension's and the low-mobility four-bar's."""
    figure = Figure(figsize=(9, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    _spectrum(left, study.suspension.double, study.precise.precise if study.precise else None, 41)
    _spectrum(right, study.low.double, study.low.precise, 8)
    left.set_title("suspension")
    right.set_title("four-bar of low mobility")
    left.set_ylabel(f"singular value over the largest (zero: at {_SMALLEST:g})")
    for axes in (left, right):
        axes.legend(loc="lower left")
    figure.suptitle("Where the ridge is", x=0.01, ha="left")
    return figure


def _spectrum(axes: Axes, double: DoubleRoute | None, precise: PreciseRoute | None, rank: int) -> None:
    if precise is not None:
        largest = precise.base.singular_values[0]
        values = [float(value / largest) for value in precise.base.singular_values]
        _dots(axes, values, "o", 0, f"{precise.base.digits[1]} digits")
    if double is not None:
        values = list(double.spectrum.singular_values / double.spectrum.singular_values[0])
        _dots(axes, values, "x", 1, "double")
    axes.axvline(rank + 0.5, color="#555555", lw=0.8)
    axes.set_xlabel("number")


def _dots(axes: Axes, values: list[float], marker: str, color: int, label: str) -> None:
    places = range(1, len(values) + 1)
    shown = np.maximum(values, _SMALLEST)
    axes.semilogy(places, shown, marker, ms=3.5, color=STRUT_COLORS[color], label=label)
