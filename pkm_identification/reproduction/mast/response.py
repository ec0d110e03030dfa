# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Frequency responses of the axes of `mast_belt` along z: transfer functions, resonance, the closed position loop."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from pkm_identification.control.laws.computed_torque import ComputedTorque
from pkm_identification.control.laws.space import Space
from pkm_identification.control.laws.workspace import WorkspaceControl
from pkm_identification.machines.multibody import Multibody
from pkm_identification.mechanisms.actuators import TwoInertia
from pkm_identification.mechanisms.actuators.base import Actuator
from pkm_identification.mechanisms.actuators.loops import DriveLoops
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.report.figures.style import ESTIMATE, NOMINAL, STRUT_COLORS, TRUE, apply_style
from pkm_identification.simulation.actuated.control_design import measure_law
from pkm_identification.simulation.actuated.frequency_response import bandwidths, response, response_alone
from pkm_identification.simulation.actuated.subject import Subject

MACHINE, AXIS = "mast_belt", "z"
PRINTED = np.array([0.4, 5.0, 10.0])  # Hz, at which the paper prints magnitude and phase
FREQUENCIES = np.array(
    [0.4, 2.0, 3.0, 3.25, 3.5, 3.75, 4.0, 4.25, 5.0, 10.0]
)  # Hz, close where bandwidths are
AMPLITUDE = 1e-3  # m; without friction it decides nothing
LAWS, LAW_BANDWIDTH = ("workspace", "computed torque"), 4.0  # Hz
STEP, SHORT_PERIOD = (
    1e-3,
    1e-6,
)  # m, off the wanted place; s, between two calls of a law: an equation of one instant
EQUAL = 1e-3  # of what an equation asks for: friction and the period are above rounding
INERTIA_FACTOR = 1.56  # J_1 is divided by it in the paper's identification


@dataclass(frozen=True)
class ResponseStudy:
    """Gains (F,) at FREQUENCIES by variant of the axis, and values by their names in the study's file."""

    gains: dict[str, np.ndarray]
    values: dict[str, Any]


def run_study() -> ResponseStudy:
    """Compute everything."""
    shipped = Subject.load(MACHINE)
    prompt = shipped.with_loops(lambda one: _change(one, cycles_late=0))
    tachometer = shipped.with_loops(lambda one: _change(one, tachometer=True))
    light = shipped.with_actuators(tuple(_compute_lighten(one) for one in shipped.actuators))
    gains = {
        name: np.asarray(response_alone(subject, AXIS, FREQUENCIES.tolist(), AMPLITUDE))
        for name, subject in (
            ("shipped", shipped),
            ("prompt", prompt),
            ("tachometer", tachometer),
            ("light", light),
        )
    }
    gains["mechanism"] = response(shipped, AXIS, FREQUENCIES.tolist(), AMPLITUDE).gain
    values: dict[str, Any] = {}
    for name, gain in gains.items():
        values |= _read(name, gain)
    first = shipped.actuators[0]
    assert isinstance(first, TwoInertia)
    values["resonance"] = first.resonance
    for law in LAWS:
        frequency, gain = measure_law(law, shipped, AXIS, LAW_BANDWIDTH, AMPLITUDE)
        at = int(np.argmin(np.abs(frequency - 0.25 * LAW_BANDWIDTH)))
        values[f"{law} error"] = 100.0 * abs(1.0 - gain[at])
    values |= _check_laws(Multibody(shipped.mechanism), 2.0 * np.pi * LAW_BANDWIDTH)
    values["change"] = values["mechanism_bandwidth"] - values["shipped_bandwidth"]
    values["parting"] = 100.0 * float(np.abs(gains["mechanism"] / gains["shipped"] - 1.0)[1:].max())
    return ResponseStudy(gains, values)


def _check_laws(machine: Multibody, w: float) -> dict[str, list[bool]]:
    """Return in which axes both laws give what the equations of Fig. 3 ask for, with the machine's own J and M."""
    held: dict[str, list[bool]] = {"workspace law": [], "computed torque law": []}
    home, still = machine.home, np.zeros_like(machine.home)
    space = Space(machine, workspace=True)
    here = space.move(home)
    for along in np.eye(len(home)):
        wanted = home + STEP * along
        error = space.compute_error(space.move(wanted), here)
        rate = space.compute_jacobian(here) @ (w * (WorkspaceControl(machine).step(home, wanted) - home))
        held["workspace law"].append(np.allclose(rate, w * error, rtol=EQUAL, atol=EQUAL * w * STEP))
        force = ComputedTorque(machine, w**2, 2.0 * w, SHORT_PERIOD).step(
            home, wanted, w * STEP * along, still
        )
        asked = w**2 * (wanted - home) + 2.0 * w * w * STEP * along
        mass, bias = machine.compute_mass_and_bias(here, np.asarray(machine.basis.nominal))
        done = np.linalg.solve(mass[0], force - bias[0])
        held["computed torque law"].append(np.allclose(done, asked, rtol=EQUAL, atol=EQUAL * w**2 * STEP))
    return held


def _read(name: str, gain: np.ndarray) -> dict[str, Any]:
    """Magnitude and phase where the paper prints them, and both bandwidths."""
    at = np.isin(FREQUENCIES, PRINTED)
    magnitude, phase = np.abs(gain[at]), np.degrees(np.angle(gain[at]))
    width, lag = bandwidths(FREQUENCIES, gain)
    found: dict[str, Any] = {
        f"{name}_bandwidth": width,
        f"{name}_lag": lag,
        f"{name}_listed": _list(magnitude, phase),
    }
    for k in range(len(PRINTED)):
        found[f"{name}_magnitude_{k}"], found[f"{name}_phase_{k}"] = float(magnitude[k]), float(phase[k])
    return found


def _list(magnitude: FloatArray, phase: FloatArray) -> str:
    return ", ".join(f"{m:.3f} {p:.1f} deg" for m, p in zip(magnitude, phase, strict=True))


def _change(loops: DriveLoops, cycles_late: int | None = None, tachometer: bool = False) -> DriveLoops:
    position, velocity = loops.position, loops.velocity
    assert velocity is not None
    late = position.cycles_late if cycles_late is None else cycles_late
    return replace(
        loops,
        position=replace(position, cycles_late=late),
        velocity=replace(velocity, tachometer=tachometer),
    )


def _compute_lighten(actuator: Actuator) -> Actuator:
    assert isinstance(actuator, TwoInertia)
    return replace(actuator, motor_inertia=actuator.motor_inertia / INERTIA_FACTOR)


MAGNITUDES, PHASES = (0.994, 0.654, 0.432), (-6.3, -62.5, -103.7)  # the paper's, l. 595
CURVES = (
    ("shipped", "mast_belt, one axis", ESTIMATE, "-"),
    ("mechanism", "with the mechanism", STRUT_COLORS[2], "--"),
    ("tachometer", "with a tachometer", STRUT_COLORS[1], ":"),
    ("prompt", "no delay", NOMINAL, "-"),
)


@apply_style
def draw_closed_loop_figure(study: ResponseStudy) -> Figure:
    """Bode plot of the position loop, the paper's points as well."""
    figure = Figure(figsize=(8, 5.5), layout="constrained")
    magnitude, phase = figure.subplots(2, 1, sharex=True)
    for name, label, color, style in CURVES:
        gain = study.gains[name]
        magnitude.plot(FREQUENCIES, 20.0 * np.log10(np.abs(gain)), style, color=color, label=label)
        phase.plot(FREQUENCIES, np.degrees(np.unwrap(np.angle(gain))), style, color=color)
    magnitude.plot(PRINTED, 20.0 * np.log10(MAGNITUDES), "o", color=TRUE, label="the paper")
    phase.plot(PRINTED, PHASES, "o", color=TRUE)
    magnitude.set_ylabel("magnitude (dB)")
    phase.set_ylabel("phase (deg)")
    phase.set_xlabel("frequency (Hz)")
    phase.set_xscale("log")
    phase.set_xticks((0.4, 1, 2, 5, 10), ("0.4", "1", "2", "5", "10"))
    phase.minorticks_off()
    magnitude.legend(loc="lower left")
    figure.suptitle("Closed position loop in z", x=0.01, ha="left")
    return figure
