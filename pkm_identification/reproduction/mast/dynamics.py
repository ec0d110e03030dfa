# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The mechanism of `mast_belt` as a disturbance of its axes, from the sliders' motion, against coupled equations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from pkm_identification.mechanisms.multibody import dynamics, kinematics
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.report.figures.style import ESTIMATE, TRUE, apply_style
from pkm_identification.simulation.actuated.subject import BenchRun, Subject

from .response import MACHINE

POSES, SEED = 100, 0
DURATION, PERIOD = 0.4, 5e-4  # s
POSE = np.array([0.45, np.radians(10.0), np.radians(-8.0)])  # where printed coefficients are compared
# z in m, psi and theta in rad: amplitude and frequency in Hz, ours
MOTION = ((0.005, 5.0), (np.radians(3.0), 2.0), (np.radians(3.0), 3.0))
CLAIMED = 0.01  # of the largest force: from where a difference would matter, our reading
COEFFICIENT_NEAR = 1e-9


@dataclass(frozen=True)
class DynamicsStudy:
    """A run of the machine under its cascade, forces (N, 3) in N from its sliders' motion alone, and values by name."""

    run: BenchRun
    disturbance: FloatArray
    values: dict[str, Any]


def run_study() -> DynamicsStudy:
    """Compute everything."""
    subject = Subject.load(MACHINE)
    mast = subject.mechanism
    gravity = float(np.linalg.norm(np.asarray(mast.description.gravity, dtype=float)))
    carried = _compute_support(mast) / gravity
    run = _follow(subject)
    motion = kinematics.motion_of_drives(mast, run.drive, run.rate, run.acceleration)
    disturbance = np.asarray(dynamics.forces(mast, motion, friction=False), dtype=float)
    gap = np.abs(disturbance - run.force).max() / np.abs(disturbance).max()
    coefficients = _compute_coefficients(mast)
    values: dict[str, Any] = {
        "carried": (float(carried.min()), float(carried.max())),
        "least": float(carried.min()),
        "most": float(carried.max()),
        "gap": 100.0 * float(gap),
        "claimed": [gap < CLAIMED],
        "read": [abs(ours - true) < COEFFICIENT_NEAR for true, _, ours in coefficients.values()],
        "listed": "; ".join(
            f"{name} printed {printed:.4f}, by the mechanism {true:.4f}"
            for name, (true, printed, _) in coefficients.items()
        ),
    }
    values |= {name: true for name, (true, _, _) in coefficients.items()}
    return DynamicsStudy(run, disturbance, values)


def _compute_support(mast: Mechanism) -> FloatArray:
    """Sums of the sliders' forces at rest at random poses, (POSES,), N."""
    spread = np.array([0.05, np.radians(15.0), np.radians(15.0)])
    poses = kinematics.read(mast, "outputs", mast.home)[0]
    poses = poses + spread * np.random.default_rng(SEED).uniform(-1.0, 1.0, (POSES, 3))
    still = np.zeros_like(poses)
    motion = kinematics.motion_of_outputs(mast, poses, still, still)
    return np.asarray(dynamics.forces(mast, motion, friction=False).sum(axis=1), dtype=float)


def _follow(subject: Subject) -> BenchRun:
    """z, psi and theta at once under the machine's own cascade."""
    along = np.array([subject.direction(name) for name in ("z", "psi", "theta")])

    def wanted(t: float) -> FloatArray:
        sizes = np.array([size * np.sin(2.0 * np.pi * f * t) for size, f in MOTION])
        return np.asarray(subject.home + sizes @ along, dtype=float)

    return subject.run(wanted, DURATION, PERIOD)


def _compute_coefficients(mast: Mechanism) -> dict[str, tuple[float, float, float]]:
    """Coefficients of the paper's Jacobians at POSE, by name: by the mechanism, as printed, as read here."""
    constants = mast.description.full_document["constants"]
    radius, bar = float(constants["r"]), float(constants["L"])
    _, psi, theta = POSE
    turning = np.array([[0.0, 0.0, 1.0]])
    motion = kinematics.motion_of_outputs(mast, POSE[None], turning, np.zeros((1, 3)))
    rates = kinematics.rates(mast, "readings", motion)[0][0]
    gamma = kinematics.read(mast, "readings", motion.configuration)[0, :3]
    s, c = np.sin, np.cos
    tilt, fall = radius * s(theta), radius * c(theta) * s(psi)
    third = bar * s(gamma[2])
    parts = {
        "rho_2' per theta' (A.7)": (
            motion.drive_rate[0, 1],
            tilt * s(psi) * s(gamma[0]) / s(gamma[1]),
            -tilt * s(psi),
        ),
        "x' of bar 3 per theta' (A.29)": (-0.5 * third * rates[2], -0.5 * (tilt - fall), 0.5 * (tilt - fall)),
        "gamma_3' per theta' (A.29)": (rates[2], -(tilt + fall) / third, -(tilt - fall) / third),
    }
    return {name: (float(a), float(b), float(d)) for name, (a, b, d) in parts.items()}


@apply_style
def draw_coupling_figure(study: DynamicsStudy) -> Figure:
    """Return forces on the mechanism in the coupled run, and from the sliders' motion alone."""
    figure = Figure(figsize=(8, 5), layout="constrained")
    for k, panel in enumerate(figure.subplots(3, 1, sharex=True)):
        panel.plot(study.run.time, study.run.force[:, k], color=ESTIMATE, label="coupled machine")
        panel.plot(study.run.time, study.disturbance[:, k], "--", color=TRUE, label="from the motion alone")
        panel.set_ylabel(f"force {k + 1} (N)")
    panel.set_xlabel("time (s)")
    panel.legend()
    figure.suptitle("The mechanism as a disturbance of its axes", x=0.01, ha="left")
    return figure
