# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What the study computes: weights, energy, printed coefficients, and the ways to couple mechanism and axes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.mechanisms.multibody import dynamics, kinematics
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.numerics.arrays import FloatArray

from ..axis import AXIS
from ..cascade import Cascade
from ..data import POSITION_PERIOD, VELOCITY_PERIOD
from .coupling import STEP, TableRun, loop_gain, run_table, slider_commands

RADIUS, BAR = 0.35, 0.26  # m, r and L
POSES, SEED = 100, 0
DURATION = 0.4  # s
POSE = np.array([0.45, np.radians(10.0), np.radians(-8.0)])  # where printed coefficients are compared
GRAVITY = 9.81
# z in m, psi and theta in rad: amplitude and frequency in Hz
MOTION = ((0.005, 5.0), (np.radians(3.0), 2.0), (np.radians(3.0), 3.0))
COARSE = VELOCITY_PERIOD


@dataclass(frozen=True)
class Coefficient:
    """A coefficient of the paper's Jacobians at POSE: by the mechanism, as printed, as read here."""

    name: str
    mechanism: float
    printed: float
    ours: float


@dataclass(frozen=True)
class DynamicsStudy:
    """All that is compared.

    Attributes
    ----------
    carried : ndarray, shape (N,)
        Sum of the sliders' forces at rest over gravity, kg, by pose.
    power_error : float
        Largest difference of the forces' power from the rate of energy, relative to the largest power.
    coefficients : tuple of Coefficient
    mass : ndarray, shape (3, 3)
        At home, kg.
    gain, gain_in_z : float
        Of a force one step late: the largest, and with all sliders moving alike.
    coupled : TableRun
    schemes : dict of str to TableRun
        implicit and one_step in small steps, and one step of a velocity sample late.
    """

    carried: FloatArray
    power_error: float
    coefficients: tuple[Coefficient, ...]
    mass: FloatArray
    gain: float
    gain_in_z: float
    coupled: TableRun
    schemes: dict[str, TableRun]


def run_study(duration: float = DURATION) -> DynamicsStudy:
    """Compute everything; `duration` in s is that of the motion under control."""
    mast = Mechanism.load("mast")
    mass = dynamics.mass_matrix(mast, mast.home[None])[0]
    sliders = slider_commands(mast, commands(duration))
    cases = {
        "implicit": ("implicit", STEP),
        "one step late": ("one_step", STEP),
        "one velocity sample late": ("one_step", COARSE),
    }
    return DynamicsStudy(
        carried=_carried(mast),
        power_error=_power_error(mast),
        coefficients=_coefficients(mast),
        mass=mass,
        gain=loop_gain(AXIS, mass),
        gain_in_z=float(mass.sum(axis=1).max() * AXIS.travel**2 / AXIS.total),
        coupled=run_table(mast, AXIS, Cascade(), sliders, "coupled"),
        schemes={
            name: run_table(mast, AXIS, Cascade(), sliders, scheme, step)
            for name, (scheme, step) in cases.items()
        },
    )


def commands(duration: float) -> FloatArray:
    """Commanded z, psi, theta, one row a position cycle."""
    time = POSITION_PERIOD * np.arange(round(duration / POSITION_PERIOD))
    home = np.array([0.40, 0.0, 0.0])
    return home + np.column_stack([size * np.sin(2.0 * np.pi * f * time) for size, f in MOTION])


def _random_poses() -> FloatArray:
    rng = np.random.default_rng(SEED)
    spread = np.array([0.05, np.radians(15.0), np.radians(15.0)])
    return np.array([0.40, 0.0, 0.0]) + spread * rng.uniform(-1.0, 1.0, (POSES, 3))


def _carried(mast: Mechanism) -> FloatArray:
    poses = _random_poses()
    still = np.zeros_like(poses)
    motion = kinematics.motion_of_outputs(mast, poses, still, still)
    return dynamics.forces(mast, motion, friction=False).sum(axis=1) / GRAVITY


def _power_error(mast: Mechanism) -> float:
    """Forces times slider rates, against the energy a microsecond before and after."""
    rng = np.random.default_rng(SEED)
    poses = _random_poses()
    rate, second = rng.normal(size=(2, POSES, 3)) * np.array([0.2, 0.5, 0.5])
    motion = kinematics.motion_of_outputs(mast, poses, rate, second)
    power = np.sum(dynamics.forces(mast, motion, friction=False) * motion.drive_rate, axis=1)
    step = 1e-5
    ends = []
    for sign in (1.0, -1.0):
        h = sign * step
        moved = poses + h * rate + 0.5 * h**2 * second
        kinetic, potential = dynamics.energy(
            mast, kinematics.motion_of_outputs(mast, moved, rate + h * second, second)
        )
        ends.append(kinetic + potential)
    return float(np.abs(power - (ends[0] - ends[1]) / (2.0 * step)).max() / np.abs(power).max())


def _coefficients(mast: Mechanism) -> tuple[Coefficient, ...]:
    _, psi, theta = POSE
    turning = np.array([[0.0, 0.0, 1.0]])
    motion = kinematics.motion_of_outputs(mast, POSE[None], turning, np.zeros((1, 3)))
    rates = kinematics.rates(mast, "readings", motion)[0][0]
    gamma = kinematics.read(mast, "readings", motion.configuration)[0, :3]
    s, c = np.sin, np.cos
    tilt, fall = RADIUS * s(theta), RADIUS * c(theta) * s(psi)
    third = BAR * s(gamma[2])
    return (
        Coefficient(
            "A.7: rho_2' per theta'",
            float(motion.drive_rate[0, 1]),
            float(tilt * s(psi) * s(gamma[0]) / s(gamma[1])),
            float(-tilt * s(psi)),
        ),
        Coefficient(
            "A.29 (1,3): x' of bar 3 per theta'",
            float(-0.5 * third * rates[2]),
            float(-0.5 * (tilt - fall)),
            float(0.5 * (tilt - fall)),
        ),
        Coefficient(
            "A.29 (3,3): gamma_3' per theta'",
            float(rates[2]),
            float(-(tilt + fall) / third),
            float(-(tilt - fall) / third),
        ),
    )
