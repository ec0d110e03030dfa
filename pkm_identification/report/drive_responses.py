# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Steps, responses and modes of machines with actuators, as text and as documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pkm_identification.signals.step_metrics import StepMetrics
from pkm_identification.simulation.actuated.frequency_response import Response, bandwidths
from pkm_identification.simulation.actuated.modes import Modes
from pkm_identification.simulation.actuated.step_test import Sensitivity, StepAnswer
from pkm_identification.simulation.actuated.subject import Subject

METRICS = ("first_peak", "period", "settling", "overshoot")


def _format_seconds(value: float | None) -> str:
    return "-" if value is None else f"{1e3 * value:.2f} ms"


def _list_metrics(metrics: StepMetrics) -> dict[str, Any]:
    return {
        "first_peak_s": metrics.first_peak,
        "period_s": metrics.period,
        "overshoot_percent": 100 * metrics.overshoot,
        "end": metrics.end,
        "settling_s": metrics.settling,
    }


def step_text(
    subject: Subject,
    axis: str,
    size: float,
    answer: StepAnswer,
    varied: Sequence[Sensitivity],
    percent: float | None,
) -> str:
    """Return a step's metrics, and a ranked table of sensitivities."""
    m, force = answer.metrics, answer.force
    lines = [
        f"{subject.mechanism.name}: step of {size:g} {subject.unit(axis)} along '{axis}' from home, "
        f"{subject.actuators[0].type} drives",
        f"  first peak   {_format_seconds(m.first_peak)}",
        f"  period       {_format_seconds(m.period)}",
        f"  overshoot    {100 * m.overshoot:.1f} % of the end value, {m.end:.4f} of the step",
        f"  settling     {_format_seconds(m.settling)} (within 2 %)",
        f"  forces       from {force.min():.1f} to {force.max():.1f}; at the start {np.round(force[0], 1).tolist()}",
    ]
    if varied:
        lines.append(
            f"each number of the actuators by -{percent:g} / 0 / +{percent:g} %, largest change first:"
        )
        heads = "".join(
            f"{name:>24s}" for name in ("first peak, ms", "period, ms", "settling, ms", "overshoot, %")
        )
        lines.append(f"  {'number':28s}{heads}{'% per %':>9s}")
        for entry in varied:
            cells = ["".join(_format_cell(metric, a) for a in entry.answers) for metric in METRICS]
            slope = entry.slope("overshoot", percent or 1.0)
            lines.append(
                f"  {entry.quantity.name:28s}"
                + "".join(f"{cell:>24s}" for cell in cells)
                + ("" if slope is None else f"{100 * slope:9.3f}")
            )
    return "\n".join(lines)


def _format_cell(metric: str, metrics: StepMetrics) -> str:
    value = getattr(metrics, metric)
    if value is None:
        return "       -"
    return f"{100 * value:8.1f}" if metric == "overshoot" else f"{1e3 * value:8.2f}"


def step_document(
    subject: Subject,
    axis: str,
    size: float,
    answer: StepAnswer,
    varied: Sequence[Sensitivity],
    percent: float | None,
) -> dict[str, Any]:
    """Return the same for programs."""
    return {
        "machine": subject.mechanism.name,
        "axis": axis,
        "size": size,
        "unit": subject.unit(axis),
        "metrics": _list_metrics(answer.metrics),
        "force_range": [float(answer.force.min()), float(answer.force.max())],
        "percent": percent,
        "sensitivities": [
            {
                "number": entry.quantity.name,
                "value": entry.quantity.value,
                "unit": entry.quantity.unit,
                "answers": [_list_metrics(metrics) for metrics in entry.answers],
                "slopes": {metric: entry.slope(metric, percent or 1.0) for metric in METRICS},
            }
            for entry in varied
        ],
    }


def _format_degrees(gain: np.ndarray) -> np.ndarray:
    return np.rad2deg(np.unwrap(np.angle(gain)))


def format_response_text(subject: Subject, axis: str, amplitude: float, answer: Response) -> str:
    """Return a table by frequency and the bandwidths."""
    lines = [
        f"{subject.mechanism.name}: response to {amplitude:g} {subject.unit(axis)} along '{axis}'",
        "      Hz   gain   phase, deg | platform gain   phase | "
        + ("alone  phase | " if answer.alone is not None else "")
        + "position error, %   force error, %",
    ]
    phase, true_phase = _format_degrees(answer.gain), _format_degrees(answer.true_gain)
    alone_phase = None if answer.alone is None else _format_degrees(answer.alone)
    for k, f in enumerate(answer.frequency):
        alone = ""
        if answer.alone is not None and alone_phase is not None:
            alone = f"{abs(answer.alone[k]):5.3f} {alone_phase[k]:6.1f} | "
        lines.append(
            f"{f:8.3f}  {abs(answer.gain[k]):5.3f}  {phase[k]:11.1f} | "
            f"{abs(answer.true_gain[k]):13.3f} {true_phase[k]:7.1f} | "
            f"{alone}{100 * answer.position_error[k]:17.1f} {100 * answer.force_error[k]:16.1f}"
        )
    lines.append(f"bandwidth {_format_bandwidth(answer.frequency, answer.gain)}")
    if answer.alone is not None:
        lines.append(f"without the mechanism {_format_bandwidth(answer.frequency, answer.alone)}")
    return "\n".join(lines)


def _format_bandwidth(frequency: np.ndarray, gain: np.ndarray) -> str:
    shown = [("not reached" if value is None else f"{value:.2f} Hz") for value in bandwidths(frequency, gain)]
    return f"at -3 dB: {shown[0]}; at -45 deg: {shown[1]}"


def build_response_document(
    subject: Subject, axis: str, amplitude: float, answer: Response
) -> dict[str, Any]:
    """Return the same for programs."""

    def shown(gain: np.ndarray | None) -> dict[str, Any] | None:
        if gain is None:
            return None
        magnitude, phase = bandwidths(answer.frequency, gain)
        return {
            "gain": np.abs(gain).tolist(),
            "phase_deg": _format_degrees(gain).tolist(),
            "bandwidth_3db_hz": magnitude,
            "bandwidth_45deg_hz": phase,
        }

    return {
        "machine": subject.mechanism.name,
        "axis": axis,
        "amplitude": amplitude,
        "frequency_hz": answer.frequency.tolist(),
        "with_mechanism": shown(answer.gain),
        "platform": shown(answer.true_gain),
        "without_mechanism": shown(answer.alone),
        "position_error": answer.position_error.tolist(),
        "force_error": answer.force_error.tolist(),
    }


def modes_text(subject: Subject, eigenmodes: Modes) -> str:
    """Modes, lowest first, and what each drive feels."""
    names = subject.mechanism.drive_names
    lines = [
        f"{subject.mechanism.name}: modes on the compliance of its drives; motors and valves held (locked) and free, "
        "natural and damped"
    ]
    lines.append(
        "locked, Hz  free, Hz  damped, Hz  ratio  drives (share of energy)          motion per unit of the shape"
    )
    for mode in eigenmodes.modes:
        free = "       -           -      -"
        if mode.natural is not None and mode.damped is not None:
            free = f"{mode.natural:8.2f}  {mode.damped:10.2f} {mode.damping:6.3f}"
        order = np.argsort(-mode.share)[:3]
        drives = ", ".join(f"{names[i]} {100 * mode.share[i]:.0f} %" for i in order)
        along = np.argsort(-np.abs(mode.motion))[:2]
        motion = ", ".join(f"{eigenmodes.axes[k]} {mode.motion[k]:+.2f}" for k in along)
        lines.append(f"{mode.frequency:10.2f}  {free}  {drives:34s} {motion}")
    lines.append("    drive           effective mass   coupling, %   stiffness")
    for i, name in enumerate(names):
        lines.append(
            f"    {name:14s} {eigenmodes.mass[i, i]:15.4g} {100 * eigenmodes.coupling[i]:13.1f} "
            f"{eigenmodes.stiffness[i]:11.4g}"
        )
    return "\n".join(lines)


def modes_document(subject: Subject, eigenmodes: Modes) -> dict[str, Any]:
    """Return the same for programs."""
    return {
        "machine": subject.mechanism.name,
        "drives": list(subject.mechanism.drive_names),
        "axes": list(eigenmodes.axes),
        "modes": [
            {
                "frequency_hz": mode.frequency,
                "natural_hz": mode.natural,
                "damped_hz": mode.damped,
                "damping": mode.damping,
                "shape": mode.shape.tolist(),
                "share": mode.share.tolist(),
                "motion": mode.motion.tolist(),
            }
            for mode in eigenmodes.modes
        ],
        "mass": eigenmodes.mass.tolist(),
        "coupling": eigenmodes.coupling.tolist(),
        "stiffness": eigenmodes.stiffness.tolist(),
    }
