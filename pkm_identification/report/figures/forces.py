# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Figures of a validation: strut forces measured and predicted, and what is left between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.signals.power_density import power_density

from .style import (
    ESTIMATE,
    MEASURED,
    STRUT_COLORS,
    legend_outside,
    styled,
)

if TYPE_CHECKING:
    from pkm_identification.identification.validation import Validation

POINTS = 1500
WINDOW = 6.0  # s, of the forces: more would be a smear
BLOCK = 8.0  # s, of the spectrum: its resolution is the inverse
DECADES = 1e-6  # of the strongest spectral line; below is rounding


@styled
def forces_figure(validation: Validation) -> Figure:
    """Measured and predicted strut forces over some seconds from the middle, in the estimation band.

    Parameters
    ----------
    validation : Validation
        `time` (N,), `measured` and `predicted` (N, 6), `rms_percent` (6,).
    """
    time = validation.time - validation.time[0]
    chosen = in_the_middle(time)
    figure = Figure(figsize=(11, 6), layout="constrained")
    axes = figure.subplots(3, 2, sharex=True)
    for i, panel in enumerate(axes.T.flat):
        panel.plot(
            time[chosen], validation.measured[chosen, i], color=MEASURED, linewidth=4, label="measured"
        )
        panel.plot(
            time[chosen], validation.predicted[chosen, i], color=ESTIMATE, linewidth=0.9, label="predicted"
        )
        panel.set_title(f"strut {i + 1}: error {validation.rms_percent[i]:.2g} % rms over the whole log")
        panel.set_ylabel("force (N)")
    for panel in axes[-1]:
        panel.set_xlabel("time (s)")
    legend_outside(figure, *axes.flat[0].get_legend_handles_labels(), loc="upper right", ncols=2)
    figure.suptitle("Forces of a log not used for the estimate, in the estimation band", x=0.01, ha="left")
    return figure


@styled
def residual_figure(validation: Validation) -> Figure:
    """What the prediction leaves, over time and over frequency.

    Parameters
    ----------
    validation : Validation
        As `forces_figure`.
    """
    residual = validation.measured - validation.predicted
    time = validation.time - validation.time[0]
    chosen = _thinned(len(time))
    figure = Figure(figsize=(11, 4.8), layout="constrained")
    over_time, over_frequency = figure.subplots(1, 2, width_ratios=[3, 2])
    spacing = _round_up(8 * float(np.max(np.std(residual, axis=0))))
    for i, color in enumerate(STRUT_COLORS):
        over_time.plot(time[chosen], residual[chosen, i] - i * spacing, color=color, linewidth=0.9)
    over_time.set_yticks([-i * spacing for i in range(STRUTS)], [f"strut {i + 1}" for i in range(STRUTS)])
    over_time.set_xlabel("time (s)")
    over_time.set_ylabel(f"measured − predicted (one division is {spacing:g} N)")
    over_time.set_title("residual")

    frequency, force, error = residual_spectrum(validation)
    top = max(force.max(), error.max(), 1e-12)
    over_frequency.loglog(
        frequency,
        np.sqrt(np.mean(force**2, axis=1)),
        color=MEASURED,
        linewidth=2.4,
        label="force, all struts",
    )
    for i, color in enumerate(STRUT_COLORS):
        over_frequency.loglog(
            frequency, error[:, i], color=color, linewidth=0.9, label=f"residual of strut {i + 1}"
        )
    over_frequency.set_xlim(frequency[0], 1.2 * frequency[visible_lines(force, error) - 1])
    over_frequency.set_ylim(DECADES * top, 2 * top)
    over_frequency.set_xlabel("frequency (Hz)")
    over_frequency.set_ylabel("amplitude density (N/√Hz)")
    over_frequency.set_title("its spectrum")
    # a line of a quiet strut may run anywhere in the panel
    legend_outside(figure, *over_frequency.get_legend_handles_labels(), loc="lower center", ncols=7)
    figure.suptitle("What the prediction leaves, in the estimation band", x=0.01, ha="left")
    return figure


def in_the_middle(time: FloatArray) -> NDArray[np.int64]:
    """Places of samples in WINDOW seconds of the middle, not more than can be drawn; times (N,) begin at zero."""
    window = np.flatnonzero(np.abs(time - 0.5 * time[-1]) <= 0.5 * WINDOW)
    return window[_thinned(len(window))]


def residual_spectrum(validation: Validation) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Frequencies (F,) in Hz, and amplitude densities (F, 6) in N/√Hz of the force and of the error.

    Of the longest stretch without a hole; values far below the largest are raised to a floor, since a logarithmic axis
    has no zero.
    """
    part = _longest_part(validation.time)
    residual = validation.measured[part] - validation.predicted[part]
    frequency, force = _spectrum(validation.time[part], validation.measured[part])
    _, error = _spectrum(validation.time[part], residual)
    floor = 0.1 * DECADES * max(force.max(), error.max(), 1e-12)
    return frequency, np.maximum(force, floor), np.maximum(error, floor)


def visible_lines(force: FloatArray, error: FloatArray) -> int:
    """How many of the first spectral lines of the error (F, 6) stand out of rounding."""
    top = max(force.max(), error.max(), 1e-12)
    seen = np.flatnonzero(np.any(error > DECADES * top, axis=1))
    return int(seen[-1]) + 1 if len(seen) else len(error)


def _thinned(count: int) -> slice:
    return slice(None, None, max(1, count // POINTS))


def _round_up(value: float) -> float:
    """The next larger 1, 2 or 5 times a power of ten; 1 for zero."""
    if value <= 0:
        return 1.0
    power = 10.0 ** np.floor(np.log10(value))
    return float(power * next(step for step in (1, 2, 5, 10) if step * power >= value))


def _longest_part(time: FloatArray) -> slice:
    """The longest stretch without a hole."""
    steps = np.diff(time)
    holes = (np.flatnonzero(steps > 1.5 * np.median(steps)) + 1).tolist() if len(steps) else []
    edges = np.array([0, *holes, len(time)])
    longest = int(np.argmax(np.diff(edges)))
    return slice(edges[longest], edges[longest + 1])


def _spectrum(time: FloatArray, signal: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Frequencies in Hz without zero, and amplitude densities, shape (F, 6)."""
    rate = 1.0 / float(np.median(np.diff(time)))
    frequency, power = power_density(signal, min(len(time), int(BLOCK * rate)), rate)
    return frequency[1:], np.sqrt(power[1:])
