# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""One axis of the table: two inertias, motor and guide, on a torsional spring and damper.

    J_1 th_m'' + C_1 (th_m' - th_g') + K_1 (th_m - th_g) = tau_m
    J_2 th_g'' + C_1 (th_g' - th_m') + K_1 (th_g - th_m) = -tau_d,   tau_d = n F,   n = p / (2 pi i_r)

Angles are those of the motor's shaft; the slider moves by n th_g, the mechanism pulls at it with F.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

from .data import DAMPING, GEAR_RATIO, GUIDE_INERTIA, LOAD, MOTOR_INERTIA, STIFFNESS, TRAVEL

Complex = np.ndarray  # of complex numbers


@dataclass(frozen=True)
class Axis:
    """Inertias in kg m^2 on the motor's shaft, stiffness in N m/rad, damping in N m s, travel in m/rad."""

    motor: float
    guide: float
    stiffness: float
    damping: float
    travel: float

    @property
    def total(self) -> float:
        """J_t = J_1 + J_2."""
        return self.motor + self.guide

    @property
    def resonance(self) -> float:
        """Undamped frequency in Hz of the two inertias against each other."""
        return float(np.sqrt(self.stiffness * self.total / (self.motor * self.guide)) / (2.0 * np.pi))

    def carrying(self, mass: float) -> Axis:
        """The axis with a mass in kg on its slider."""
        return replace(self, guide=self.guide + mass * self.travel**2)


def guide_inertia(pulley: float, load: float) -> float:
    """J_2 = J_guide / i_r^2 + M n^2 (Eq. 21) of a pulley's inertia in kg m^2 and a mass in kg."""
    return pulley / GEAR_RATIO**2 + load * TRAVEL**2


AXIS = Axis(MOTOR_INERTIA, guide_inertia(GUIDE_INERTIA, LOAD), STIFFNESS, DAMPING, TRAVEL)
"""The axis of the manufacturers' data, with what is assumed."""


@dataclass(frozen=True)
class TransferFunctions:
    """TF_1 = th_m/tau_m, TF_2 = th_g/th_m, TF_1d = -th_g/tau_d, TF_2d = th_m/th_g (Eqs 2 and 3), one entry per s."""

    tf1: Complex
    tf2: Complex
    tf1d: Complex
    tf2d: Complex


def transfer_functions(axis: Axis, s: Complex) -> TransferFunctions:
    """By the formulas."""
    j1, j2, k = axis.motor, axis.guide, axis.stiffness
    link = axis.damping * s + k
    delta = s**2 * (j1 * j2 * s**2 + axis.total * link)
    return TransferFunctions(
        tf1=(j2 * s**2 + link) / delta,
        tf2=link / (j2 * s**2 + link),
        tf1d=(j1 * s**2 + link) / delta,
        tf2d=link / (j1 * s**2 + link),
    )


def solved_functions(axis: Axis, s: Complex) -> TransferFunctions:
    """By solving the two equations of motion at each s."""
    link = axis.damping * s + axis.stiffness
    matrix = np.empty((len(s), 2, 2), dtype=complex)
    matrix[:, 0, 0], matrix[:, 1, 1] = axis.motor * s**2 + link, axis.guide * s**2 + link
    matrix[:, 0, 1] = matrix[:, 1, 0] = -link
    driven = np.linalg.solve(matrix, np.broadcast_to([[1.0], [0.0]], (len(s), 2, 1)))[..., 0]
    disturbed = np.linalg.solve(matrix, np.broadcast_to([[0.0], [-1.0]], (len(s), 2, 1)))[..., 0]
    return TransferFunctions(
        tf1=driven[:, 0],
        tf2=driven[:, 1] / driven[:, 0],
        tf1d=-disturbed[:, 1],
        tf2d=disturbed[:, 0] / disturbed[:, 1],
    )


def state_matrices(axis: Axis, mass: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """x' = A x + B tau_m + G F of axes alike that carry a mass matrix (n, n) in kg on their sliders.

    x = (motor angles, guide angles, motor rates, guide rates), shape (4 n,); G takes forces in N that resist the
    sliders.
    """
    count = len(mass)
    unit, none = np.eye(count), np.zeros((count, count))
    inverse = np.linalg.inv(axis.guide * unit + axis.travel**2 * mass)
    k, c = axis.stiffness, axis.damping
    a = np.block(
        [
            [none, none, unit, none],
            [none, none, none, unit],
            [-k / axis.motor * unit, k / axis.motor * unit, -c / axis.motor * unit, c / axis.motor * unit],
            [k * inverse, -k * inverse, c * inverse, -c * inverse],
        ]
    )
    b = np.vstack([none, none, unit / axis.motor, none])
    g = np.vstack([none, none, none, -axis.travel * inverse])
    return a, b, g
