# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Rotation vectors and their derivatives: a curve of turns, its angular velocity and acceleration, and back.

R = exp([t]x) R_0. With p = |t|, angular velocity in base axes is

    w = J(t) t',    J = 1 + a [t]x + b [t]x^2,    a = (1 - cos p) / p^2,    b = (p - sin p) / p^3,

J the left Jacobian of SO(3), and alpha = J t'' + J' t'. J is regular for p < 2 pi.
"""

from __future__ import annotations

from math import factorial

import numpy as np

from .arrays import FloatArray

TERMS = 16  # of the power series in p^2: exact to rounding up to p = 4
LARGEST_TURN = np.pi * 0.9  # rad, from the reference: beyond, the way back to it is ambiguous
_K = range(TERMS)
# power series of a, b and of their derivatives by p, over p
SERIES = np.array(
    [
        [(-1) ** k / factorial(2 * k + 2) for k in _K],
        [(-1) ** k / factorial(2 * k + 3) for k in _K],
        [(-1) ** (k + 1) * (2 * k + 2) / factorial(2 * k + 4) for k in _K],
        [(-1) ** (k + 1) * (2 * k + 2) / factorial(2 * k + 5) for k in _K],
    ]
)


def _series(turn: FloatArray) -> FloatArray:
    """a, b, a'/p, b'/p of turns (N, 3), shape (4, N, 1)."""
    square = np.sum(turn * turn, axis=1)
    sums = np.zeros((4, len(turn)))
    for k in reversed(_K):
        sums = sums * square + SERIES[:, k, None]
    return sums[:, :, None]


def angular_motion(turn: FloatArray, first: FloatArray, second: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Angular velocity and acceleration (N, 3), base axes, of rotation vectors (N, 3) and their derivatives."""
    a, b, da, db = _series(turn)
    along = np.sum(turn * first, axis=1, keepdims=True)
    swing = np.cross(turn, first)
    twice = np.cross(turn, swing)
    omega = first + a * swing + b * twice
    lift = np.cross(turn, second)
    alpha = (
        second
        + along * (da * swing + db * twice)
        + a * lift
        + b * (np.cross(first, swing) + np.cross(turn, lift))
    )
    return omega, alpha


def turn_derivatives(turn: FloatArray, omega: FloatArray, alpha: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Derivatives (N, 3) of rotation vectors from angular velocity and acceleration: the inverse of the above."""
    a, b, _, _ = _series(turn)
    cross = np.zeros((len(turn), 3, 3))
    x, y, z = turn.T
    cross[:, 0, 1], cross[:, 0, 2], cross[:, 1, 2] = -z, y, -x
    cross -= np.swapaxes(cross, 1, 2)
    left = np.eye(3) + a[:, :, None] * cross + b[:, :, None] * (cross @ cross)
    first = np.linalg.solve(left, omega[:, :, None])[:, :, 0]
    # alpha without the part of the second derivative
    _, rest = angular_motion(turn, first, np.zeros_like(first))
    return first, np.linalg.solve(left, (alpha - rest)[:, :, None])[:, :, 0]
