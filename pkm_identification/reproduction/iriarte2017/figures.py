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

_SMALLEST = 1e-80


@styled
def spectra_figure(study: BaseParameterStudy) -> Figure:
    """The suspension's and the low-mobility four-bar's."""
    figure = Figure(figsize=(9, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    _spectrum(left, study.suspension.double, study.precise.precise if study.precise else None, 41)
    _spectrum(right, study.low.double, study.low.precise, 8)
    left.set_title("suspension")
    right.set_title("four-bar of low mobility")
    left.set_ylabel("singular value over the largest")
    for axes in (left, right):
        axes.legend(loc="lower left")
    figure.suptitle("Where the ridge is", x=0.01, ha="left")
    return figure


def _spectrum(axes: Axes, double: DoubleRoute | None, precise: PreciseRoute | None, rank: int) -> None:
    if precise is not None:
        values = [float(value / precise.base.singular_values[0]) for value in precise.base.singular_values]
        label = f"{precise.base.digits[1]} digits"
        axes.semilogy(
            range(1, len(values) + 1),
            np.maximum(values, _SMALLEST),
            "o",
            ms=3,
            color=STRUT_COLORS[0],
            label=label,
        )
    if double is not None:
        values = list(double.spectrum.singular_values / double.spectrum.singular_values[0])
        axes.semilogy(
            range(1, len(values) + 1),
            np.maximum(values, _SMALLEST),
            "x",
            ms=4,
            color=STRUT_COLORS[1],
            label="double",
        )
    axes.axvline(rank + 0.5, color="#555555", lw=0.8)
    axes.set_xlabel("number")
