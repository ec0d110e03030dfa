# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Figures of the responses: the closed loop, the axis, friction at three amplitudes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from pkm_identification.report.figures.style import ESTIMATE, NOMINAL, STRUT_COLORS, TRUE, styled

from ..axis import AXIS, transfer_functions
from ..cascade import Cascade, closed_loop
from ..data import BANDWIDTH_BARE, BANDWIDTH_WITH, FREQUENCIES, IDENTIFIED_FRICTION, MAGNITUDES, PHASES
from ..rubbing import response_at
from .runs import AMPLITUDES

if TYPE_CHECKING:
    from .runs import ResponseStudy

GRID = np.logspace(np.log10(0.4), np.log10(20.0), 120)  # Hz
COARSE = np.logspace(np.log10(1.0), np.log10(12.0), 16)


@styled
def closed_loop_figure(study: ResponseStudy) -> Figure:
    """Bode plot of the position loop with and without delay and mechanism, the paper's points beside."""
    figure = Figure(figsize=(8, 5.5), layout="constrained")
    magnitude, phase = figure.subplots(2, 1, sharex=True)
    three = np.ones(3)
    curves = (
        ("one cycle of delay", closed_loop(AXIS, Cascade(delay=1), np.zeros((3, 3))), ESTIMATE, "-"),
        (
            "the same with the mechanism",
            closed_loop(AXIS, Cascade(delay=1), study.mass),
            STRUT_COLORS[2],
            "--",
        ),
        ("no delay", closed_loop(AXIS, Cascade(delay=0), np.zeros((3, 3))), NOMINAL, "-"),
    )
    for label, loop, color, style in curves:
        values = np.array([loop.response(f, three).mean() for f in GRID])
        magnitude.plot(GRID, 20.0 * np.log10(np.abs(values)), style, color=color, label=label)
        phase.plot(GRID, np.degrees(np.unwrap(np.angle(values))), style, color=color)
    magnitude.plot(FREQUENCIES, 20.0 * np.log10(MAGNITUDES), "o", color=TRUE, label="the paper")
    phase.plot(FREQUENCIES, PHASES, "o", color=TRUE)
    magnitude.plot(
        [BANDWIDTH_BARE, BANDWIDTH_WITH], [-3.0, -3.0], "x", color=TRUE, label="the paper's bandwidths"
    )
    magnitude.set_ylabel("magnitude (dB)")
    phase.set_ylabel("phase (deg)")
    phase.set_xlabel("frequency (Hz)")
    phase.set_xscale("log")
    phase.set_xticks((0.4, 1, 2, 5, 10, 20), ("0.4", "1", "2", "5", "10", "20"))
    phase.minorticks_off()
    magnitude.legend(loc="lower left")
    figure.suptitle("Closed position loop in z", x=0.01, ha="left")
    return figure


@styled
def axis_figure(study: ResponseStudy) -> Figure:
    """Magnitudes of the four transfer functions, and the ringing after a blow."""
    figure = Figure(figsize=(10, 3.8), layout="constrained")
    bode, ringing = figure.subplots(1, 2)
    frequency = np.logspace(1.0, 3.5, 400)
    functions = transfer_functions(AXIS, 2j * np.pi * frequency)
    names = ("TF1 (rad/N m)", "TF2", "TF1d (rad/N m)", "TF2d")
    for name, part, color in zip(
        names, (functions.tf1, functions.tf2, functions.tf1d, functions.tf2d), STRUT_COLORS, strict=False
    ):
        bode.loglog(frequency, np.abs(part), color=color, label=name)
    bode.axvline(AXIS.resonance, color=NOMINAL, linewidth=0.8)
    bode.set_xlabel("frequency (Hz)")
    bode.set_ylabel("magnitude")
    bode.legend()
    bode.set_title(f"One axis, resonance {AXIS.resonance:.0f} Hz")
    shown = study.ringing.time < 6e-3
    ringing.plot(1e3 * study.ringing.time[shown], study.ringing.rate[shown], color=ESTIMATE)
    ringing.set_xlabel("time (ms)")
    ringing.set_ylabel("rate (rad/s)")
    ringing.set_title(
        f"Simulated blow: {study.ringing.frequency:.1f} Hz, C {study.ringing.damping:.2g} N m s"
    )
    return figure


@styled
def friction_figure(study: ResponseStudy) -> Figure:
    """Magnitude with Coulomb friction at several amplitudes."""
    figure = Figure(figsize=(8, 3.8), layout="constrained")
    panel = figure.subplots()
    loop = closed_loop(AXIS, Cascade())
    linear = [abs(loop.response(f, np.ones(1))[0]) for f in COARSE]
    panel.plot(COARSE, linear, color=NOMINAL, label="no friction")
    for amplitude, color in zip(AMPLITUDES, STRUT_COLORS, strict=False):
        values = [abs(response_at(AXIS, Cascade(), f, amplitude, IDENTIFIED_FRICTION)) for f in COARSE]
        panel.plot(COARSE, values, "o-", markersize=3, color=color, label=f"{amplitude:g} rad")
    panel.plot(FREQUENCIES[1:], MAGNITUDES[1:], "x", color=TRUE, label="the paper")
    panel.axhline(np.sqrt(0.5), color=NOMINAL, linewidth=0.8, linestyle=":")
    panel.set_xscale("log")
    panel.set_xticks((1, 2, 5, 10), ("1", "2", "5", "10"))
    panel.minorticks_off()
    panel.set_xlabel("frequency (Hz)")
    panel.set_ylabel("magnitude")
    panel.legend()
    figure.suptitle("First harmonic with .0718 N m of friction, by motor amplitude", x=0.01, ha="left")
    return figure
