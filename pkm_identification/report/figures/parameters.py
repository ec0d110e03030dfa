# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Figures of the parameters: how the estimates converged, where they ended, and which errors go together."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pkm_identification.estimation.identifiability.correlation import Correlation
from pkm_identification.estimation.statuses import is_known, is_shown
from pkm_identification.numerics.arrays import FloatArray

from .style import (
    ESTIMATE,
    NOMINAL,
    TRUE,
    apply_style,
    legend_outside,
)

if TYPE_CHECKING:
    from pkm_identification.estimation.estimate import ParameterEstimate
    from pkm_identification.estimation.trace import EstimateTrace

COLUMNS = 5
POINTS = 600  # as many as a panel has pixels
TRANSIENT = 0.2  # part of the run after which the values decide a panel's range
SIGMAS = 2.0
INERTIAL_UNITS = ("kg", "kg m", "kg m^2")  # of parameters shown relative to their nominal values
_MOST_WRITTEN = 24  # parameters of a matrix that leave room for numbers
_WRITTEN = 0.2  # correlation from which on its number is written
UNITS = {"kg m^2": "kg m²", "N s/m": "N s/m"}


def converging(trace: EstimateTrace, estimate: ParameterEstimate) -> list[int]:
    """Return which parameters there is a convergence of: of a recursive estimator's, those whose values are shown."""
    if len(trace) < 2:
        return []
    return [i for i, status in enumerate(estimate.status) if is_shown(status)]


@apply_style
def draw_convergence_figure(
    trace: EstimateTrace, estimate: ParameterEstimate, truth: FloatArray | None = None
) -> Figure:
    """Each parameter of `converging` over time, with its band of two standard deviations.

    Parameters
    ----------
    trace : EstimateTrace
        Of a recursive estimator, at least two entries.
    estimate : ParameterEstimate
        At least one parameter must be identifiable or in doubt.
    truth : ndarray, shape (P,), optional
        True values, where they are known.
    """
    time, label = time_axis(trace.time)
    chosen = np.unique(np.linspace(0, len(time) - 1, min(POINTS, len(time))).astype(int))
    time, values, std = time[chosen], trace.values[chosen], trace.std[chosen]
    identified = converging(trace, estimate)
    rows = math.ceil(len(identified) / COLUMNS)
    figure = Figure(figsize=(11, 1.65 * rows + 0.8), layout="constrained")
    axes = figure.subplots(rows, COLUMNS, sharex=True, squeeze=False).flatten()
    for panel in axes[len(identified) :]:
        panel.set_visible(False)
    for index, (panel, i) in enumerate(zip(axes, identified, strict=False)):
        band = SIGMAS * std[:, i]
        panel.fill_between(
            time,
            values[:, i] - band,
            values[:, i] + band,
            color=ESTIMATE,
            alpha=0.22,
            linewidth=0,
            label="± 2 standard deviations",
        )
        panel.plot(time, values[:, i], color=ESTIMATE, label="estimate")
        panel.axhline(
            estimate.nominal[i], color=NOMINAL, linestyle=":", linewidth=1, label="nominal, where in range"
        )
        if truth is not None:
            panel.axhline(truth[i], color=TRUE, linestyle="--", linewidth=1, label="true")
        panel.set_title(estimate.names[i], fontsize=9)
        panel.set_ylabel(_choose_unit(estimate.units[i]))
        panel.set_ylim(settled_range(values[:, i], band, None if truth is None else truth[i]))
        panel.locator_params(axis="y", nbins=4)
        if index + COLUMNS >= len(identified):
            panel.set_xlabel(label)
            panel.tick_params(labelbottom=True)
    legend_outside(figure, *axes[0].get_legend_handles_labels(), loc="upper right", ncols=4)
    figure.suptitle("Convergence of the estimates", x=0.01, ha="left")
    return figure


@apply_style
def draw_estimates_figure(estimate: ParameterEstimate, truth: FloatArray | None = None) -> Figure:
    """Estimates with bars of two standard deviations.

    Inertial parameters stand relative to their nominal values; friction, and what is nominally zero, in its own
    unit with the nominal value as a mark.

    Parameters
    ----------
    estimate : ParameterEstimate
    truth : ndarray, shape (P,), optional
        True values, where they are known.
    """
    rows_of = _split_panels(estimate)
    longest = max(len(rows) for rows in rows_of.values())
    figure = Figure(figsize=(4.2 * len(rows_of), 0.3 * longest + 1.6), layout="constrained")
    axes = np.atleast_1d(figure.subplots(1, len(rows_of)))
    for panel, (unit, rows) in zip(axes, rows_of.items(), strict=True):
        _draw_bars(panel, estimate, rows, unit, truth)
        # rows as high in all panels
        panel.set_ylim(longest - 0.4, -0.6)
    legend_outside(figure, *axes[0].get_legend_handles_labels(), loc="upper right", ncols=4)
    figure.suptitle("Estimates", x=0.01, ha="left")
    return figure


@apply_style
def draw_correlation_figure(correlation: Correlation) -> Figure:
    """Return the matrix: blue where errors go against each other, red where they go together."""
    count = len(correlation.names)
    side = max(0.32 * count, 2.2)
    figure = Figure(figsize=(side + 2.4, side + 1.3), layout="constrained")
    panel = figure.add_subplot()
    image = panel.imshow(correlation.matrix, cmap="RdBu_r", vmin=-1.0, vmax=1.0)
    for i in range(count):
        for j in range(count):
            value = correlation.matrix[i, j]
            if count <= _MOST_WRITTEN and i != j and abs(value) >= _WRITTEN:
                color = "white" if abs(value) > 0.6 else "#222222"
                text = f"{value:.1f}".replace("0.", ".").replace("-", "−")
                panel.text(j, i, text, ha="center", va="center", fontsize=7, color=color)
    panel.set_xticks(range(count), correlation.names, rotation=90)
    panel.set_yticks(range(count), correlation.names)
    panel.tick_params(length=0)
    panel.grid(False)
    bar = figure.colorbar(image, ax=panel, shrink=0.6, pad=0.02)
    bar.set_label("correlation")
    figure.suptitle("Correlation of the estimates", x=0.01, ha="left")
    return figure


def time_axis(time: FloatArray) -> tuple[FloatArray, str]:
    """Time from zero, or the number of the equation where several logs follow each other."""
    if np.all(np.diff(time) > 0):
        return time - time[0], "time (s)"
    return np.arange(len(time), dtype=float), "equation (-)"


def settled_range(values: FloatArray, band: FloatArray, true: float | None) -> tuple[float, float]:
    """Limits that show the estimate after its transient with its band and the truth."""
    first = int(TRANSIENT * len(values))
    converged, band = values[first:], band[first:]
    everything = np.concatenate([converged - band, converged + band, [] if true is None else [true]])
    low, high = float(everything.min()), float(everything.max())
    margin = 0.15 * (high - low) or 0.1 * abs(high) or 1.0
    return low - margin, high + margin


def _choose_unit(unit: str) -> str:
    return UNITS.get(unit, unit)


def _split_panels(estimate: ParameterEstimate) -> dict[str, list[int]]:
    """Return rows of each panel, by its unit; '%' holds those that stand relative to their nominal values."""
    rows_of: dict[str, list[int]] = {}
    for i, (unit, nominal) in enumerate(zip(estimate.units, estimate.nominal, strict=True)):
        relative = unit in INERTIAL_UNITS and nominal != 0
        rows_of.setdefault("%" if relative else unit, []).append(i)
    return rows_of


def _draw_bars(
    panel: Axes, estimate: ParameterEstimate, rows: list[int], unit: str, truth: FloatArray | None
) -> None:
    index = np.arange(len(rows))
    nominal = estimate.nominal[rows]
    values, std = estimate.values[rows], estimate.std[rows]
    true = None if truth is None else np.asarray(truth, dtype=float)[rows]
    if unit == "%":
        scale = 100 / np.abs(nominal)
        values, std = (values - nominal) * scale, std * scale
        true = None if true is None else (true - nominal) * scale
        nominal = np.zeros(len(rows))
    identified = np.array([is_known(estimate.status[i]) for i in rows])
    panel.barh(
        index[identified], values[identified], height=0.62, color=ESTIMATE, alpha=0.35, label="estimate"
    )
    panel.errorbar(
        values[identified],
        index[identified],
        xerr=SIGMAS * std[identified],
        fmt="none",
        ecolor=ESTIMATE,
        elinewidth=1.4,
        capsize=3,
        label="± 2 standard deviations",
    )
    if unit == "%":
        panel.axvline(0, color=NOMINAL, linewidth=1.2, label="nominal")
    else:
        panel.scatter(
            nominal, index, marker="|", s=140, linewidth=1.6, color=NOMINAL, label="nominal", zorder=3
        )
    if true is not None:
        panel.scatter(true, index, marker="D", s=22, facecolor="none", edgecolor=TRUE, label="true", zorder=4)
    left = panel.get_xlim()[0]
    for at in index[~identified]:
        panel.text(
            left,
            at,
            " not identifiable ",
            color=NOMINAL,
            va="center",
            fontsize=8,
            style="italic",
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5},
        )
    panel.set_yticks(index, [estimate.names[i] for i in rows])
    panel.grid(axis="y", visible=False)
    panel.set_xlabel("change from nominal (%)" if unit == "%" else f"value ({_choose_unit(unit)})")
