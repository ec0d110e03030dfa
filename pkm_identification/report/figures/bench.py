# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Figures of steps, responses and modes of machines with actuators."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from pkm_identification.simulation.actuated.frequency_response import Response
from pkm_identification.simulation.actuated.modes import Modes
from pkm_identification.simulation.actuated.step_test import StepAnswer
from pkm_identification.simulation.actuated.subject import Subject

from .style import NOMINAL, STRUT_COLORS, TRUE, apply_style


@apply_style
def step_figure(subject: Subject, axis: str, size: float, answer: StepAnswer) -> Figure:
    """Return the answer over the step, and the forces of the drives below."""
    figure = Figure(figsize=(7.0, 5.2), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    ms = 1e3 * answer.time
    above.axhline(1.0, color="#888888", linewidth=0.8, label="wanted")
    above.plot(ms, answer.answer / size, color=TRUE, label="true")
    above.plot(ms, answer.shown / size, color=NOMINAL, linestyle="--", linewidth=1.0, label="encoders")
    above.set_ylabel(f"answer over {size:g} {subject.unit(axis)}")
    above.set_title(f"{subject.mechanism.name}: step along {axis}")
    above.legend(loc="lower right")
    for k, (name, force) in enumerate(zip(subject.mechanism.drive_names, answer.force.T, strict=True)):
        below.plot(ms, force, color=STRUT_COLORS[k % len(STRUT_COLORS)], linewidth=1.0, label=name)
    units = [drive.force_unit for drive in subject.mechanism.description.drives]
    below.set_ylabel(f"force ({', '.join(dict.fromkeys(units))})")
    below.set_xlabel("time after the step (ms)")
    below.legend(ncols=3, fontsize=7)
    return figure


@apply_style
def draw_response_figure(subject: Subject, axis: str, amplitude: float, answer: Response) -> Figure:
    """Magnitude and phase, and the errors of position and force."""
    figure = Figure(figsize=(7.0, 7.2), layout="constrained")
    magnitude, phase, errors = figure.subplots(3, 1, sharex=True)
    curves = [("encoders", answer.gain, NOMINAL, "-"), ("platform", answer.true_gain, TRUE, "--")]
    if answer.alone is not None:
        curves.append(("drives alone", answer.alone, "#777777", ":"))
    for name, gain, color, line in curves:
        magnitude.semilogx(
            answer.frequency,
            20 * np.log10(np.abs(gain)),
            line,
            color=color,
            marker="o",
            markersize=3,
            label=name,
        )
        phase.semilogx(
            answer.frequency,
            np.rad2deg(np.unwrap(np.angle(gain))),
            line,
            color=color,
            marker="o",
            markersize=3,
        )
    magnitude.axhline(-3.0, color="#bbbbbb", linewidth=0.8)
    phase.axhline(-45.0, color="#bbbbbb", linewidth=0.8)
    magnitude.set_ylabel("magnitude (dB)")
    magnitude.legend()
    magnitude.set_title(f"{subject.mechanism.name}: {amplitude:g} {subject.unit(axis)} along {axis}")
    phase.set_ylabel("phase (°)")
    errors.loglog(
        answer.frequency,
        100 * answer.position_error,
        color=NOMINAL,
        marker="o",
        markersize=3,
        label="position",
    )
    errors.loglog(
        answer.frequency, 100 * answer.force_error, color=TRUE, marker="s", markersize=3, label="force"
    )
    errors.set_ylabel("error (%)")
    errors.set_xlabel("frequency (Hz)")
    errors.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    errors.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    errors.yaxis.set_minor_formatter(NullFormatter())
    for panel in (magnitude, phase, errors):
        panel.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        panel.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        panel.xaxis.set_minor_formatter(NullFormatter())
    errors.legend()
    return figure


@apply_style
def modes_figure(subject: Subject, eigenmodes: Modes) -> Figure:
    """Shapes of the modes, drive by drive."""
    count = len(eigenmodes.modes)
    figure = Figure(figsize=(7.0, 1.1 * count + 1.0), layout="constrained")
    panels = np.atleast_1d(figure.subplots(count, 1, sharex=True, sharey=True))
    index = np.arange(len(subject.mechanism.drive_names))
    for panel, mode in zip(panels, eigenmodes.modes, strict=True):
        panel.bar(index, mode.shape, color=NOMINAL, width=0.6)
        damped = "" if mode.damped is None else f", damped {mode.damped:.1f} Hz, ratio {mode.damping:.3f}"
        panel.set_title(f"{mode.frequency:.1f} Hz{damped}", fontsize=9)
        panel.set_ylim(-1.15, 1.15)
    panels[-1].set_xticks(index, subject.mechanism.drive_names)
    figure.supylabel("driven coordinates (largest = 1)", fontsize=9)
    figure.suptitle(f"{subject.mechanism.name}: modes on the compliance of its drives", x=0.01, ha="left")
    return figure
