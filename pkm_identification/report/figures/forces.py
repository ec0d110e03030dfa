# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Figures of a validation: forces measured and predicted, and what is left between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from pkm_identification.machines.contract import Drive
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.signals.power_density import power_density

from .style import (
    ESTIMATE,
    MEASURED,
    apply_style,
    color_of,
    legend_outside,
)

if TYPE_CHECKING:
    from pkm_identification.identification.validation import Validation

POINTS = 1000
COLUMNS = 2
BLOCK = 8.0  # s, of the spectrum: its resolution is the inverse
DECADES = 1e-6  # of the strongest spectral line; below is rounding


@apply_style
def forces_figure(validation: Validation, drives: Sequence[Drive]) -> Figure:
    """Return measured and predicted forces over the whole log, low-passed alike.

    Parameters
    ----------
    validation : Validation
        `time` (N,), `measured` and `predicted` (N, n), `rms_percent` (n,).
    drives : sequence of Drive, length n
    """
    time = validation.time - validation.time[0]
    chosen = _thin(len(time))
    columns = min(len(drives), COLUMNS)
    rows = -(-len(drives) // columns)
    figure = Figure(figsize=(11, 0.9 + 1.7 * rows), layout="constrained")
    axes = figure.subplots(rows, columns, sharex=True, squeeze=False)
    for panel in axes.T.flat[len(drives) :]:
        panel.set_visible(False)
    for i, (panel, drive) in enumerate(zip(axes.T.flat, drives, strict=False)):
        panel.plot(
            time[chosen], validation.measured[chosen, i], color=MEASURED, linewidth=2.4, label="measured"
        )
        panel.plot(
            time[chosen], validation.predicted[chosen, i], color=ESTIMATE, linewidth=0.7, label="predicted"
        )
        panel.set_title(f"{drive.title}: error {validation.rms_percent[i]:.2g} % rms")
        panel.set_ylabel(f"{'torque' if drive.unit == 'rad' else 'force'} ({drive.force_unit})")
    for column in axes.T:
        lowest = [panel for panel in column if panel.get_visible()][-1]
        lowest.tick_params(labelbottom=True)
        lowest.set_xlabel("time (s)")
    legend_outside(figure, *axes.flat[0].get_legend_handles_labels(), loc="upper right", ncols=2)
    figure.suptitle("Forces that were not used for the estimate", x=0.01, ha="left")
    return figure


@apply_style
def draw_residual_figure(validation: Validation, drives: Sequence[Drive]) -> Figure:
    """Return what the prediction leaves, over time and over frequency.

    Parameters
    ----------
    validation : Validation
    drives : sequence of Drive
        As `forces_figure`; of drives with different units residuals are drawn over the rms of their forces.
    """
    unit, scale = residual_units(validation, drives)
    validation = replace(
        validation, measured=validation.measured / scale, predicted=validation.predicted / scale
    )
    residual = validation.measured - validation.predicted
    time = validation.time - validation.time[0]
    chosen = _thin(len(time))
    figure = Figure(figsize=(11, 4.8), layout="constrained")
    over_time, over_frequency = figure.subplots(1, 2, width_ratios=[3, 2])
    spacing = _round_up(8 * float(np.max(np.std(residual, axis=0))))
    for i in range(len(drives)):
        over_time.plot(time[chosen], residual[chosen, i] - i * spacing, color=color_of(i), linewidth=0.9)
    over_time.set_yticks([-i * spacing for i in range(len(drives))], [drive.title for drive in drives])
    over_time.set_xlabel("time (s)")
    over_time.set_ylabel(f"measured − predicted (one division is {spacing:g} {unit})")
    over_time.set_title("residual")

    frequency, force, error = compute_residual_spectrum(validation)
    top = max(force.max(), error.max(), 1e-12)
    over_frequency.loglog(
        frequency,
        np.sqrt(np.mean(force**2, axis=1)),
        color=MEASURED,
        linewidth=2.4,
        label=f"force, all {drives[0].part}s",
    )
    for i, drive in enumerate(drives):
        over_frequency.loglog(
            frequency, error[:, i], color=color_of(i), linewidth=0.9, label=f"residual of {drive.title}"
        )
    over_frequency.set_xlim(frequency[0], 1.2 * frequency[format_visible_lines(force, error) - 1])
    over_frequency.set_ylim(DECADES * top, 2 * top)
    over_frequency.set_xlabel("frequency (Hz)")
    over_frequency.set_ylabel(f"amplitude density ({unit}/√Hz)")
    over_frequency.set_title("its spectrum")
    # a line of a quiet drive may run anywhere in the panel
    legend_outside(figure, *over_frequency.get_legend_handles_labels(), loc="lower center", ncols=7)
    figure.suptitle("Error of the prediction", x=0.01, ha="left")
    return figure


def residual_units(validation: Validation, drives: Sequence[Drive]) -> tuple[str, FloatArray]:
    """Return the unit in which residuals of all drives stand side by side, and what (n,) of theirs is one."""
    units = {drive.force_unit for drive in drives}
    if len(units) == 1:
        return units.pop(), np.ones(len(drives))
    return "of the rms force", np.maximum(validation.rms[0], 1e-300)


def compute_residual_spectrum(validation: Validation) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Frequencies (F,) in Hz, and amplitude densities (F, n) of the force and of the error.

    Of the longest segment without a hole; values far below the largest are raised to a floor, since a logarithmic axis
    has no zero.
    """
    part = _find_longest_segment(validation.time)
    residual = validation.measured[part] - validation.predicted[part]
    frequency, force = _compute_spectrum(validation.time[part], validation.measured[part])
    _, error = _compute_spectrum(validation.time[part], residual)
    floor = 0.1 * DECADES * max(force.max(), error.max(), 1e-12)
    return frequency, np.maximum(force, floor), np.maximum(error, floor)


def format_visible_lines(force: FloatArray, error: FloatArray) -> int:
    """Return how many of the first spectral lines of the error (F, n) stand out of rounding."""
    top = max(force.max(), error.max(), 1e-12)
    seen = np.flatnonzero(np.any(error > DECADES * top, axis=1))
    return int(seen[-1]) + 1 if len(seen) else len(error)


def _thin(count: int) -> slice:
    return slice(None, None, max(1, count // POINTS))


def _round_up(value: float) -> float:
    """Return the next larger 1, 2 or 5 times a power of ten; 1 for zero."""
    if value <= 0:
        return 1.0
    power = 10.0 ** np.floor(np.log10(value))
    return float(power * next(step for step in (1, 2, 5, 10) if step * power >= value))


def _find_longest_segment(time: FloatArray) -> slice:
    """Return the longest segment without a hole."""
    steps = np.diff(time)
    holes = (np.flatnonzero(steps > 1.5 * np.median(steps)) + 1).tolist() if len(steps) else []
    edges = np.array([0, *holes, len(time)])
    longest = int(np.argmax(np.diff(edges)))
    return slice(edges[longest], edges[longest + 1])


def _compute_spectrum(time: FloatArray, signal: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Frequencies in Hz without zero, and amplitude densities, shape (F, n)."""
    rate = 1.0 / float(np.median(np.diff(time)))
    frequency, power = power_density(signal, min(len(time), int(BLOCK * rate)), rate)
    return frequency[1:], np.sqrt(power[1:])
