# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Rotation vectors and their derivatives: a curve of turns, its angular velocity and acceleration, and back.

R = exp([t]x) R_0. With p = |t|, angular velocity in base axes is

    w = J(t) t',    J = 1 + a [t]x + b [t]x^2,    a = (1 - cos p) / p^2,    b = (p - sin p) / p^3,

J the left Jacobian of SO(3), and alpha = J t'' + J' t'. J is regular for p < 2 pi.
"""

from __future__ import annotations

from math import factorial

import numpy as np

from .arrays import FloatArray, contiguous
from .compiled import compile_inline, kernel
from .linear_systems import solve3
from .vector3 import add, add_scaled, at, cross, dot, scale, subtract

TERMS = 16  # of the power series in p^2: exact to rounding up to p = 4
LARGEST_TURN = np.pi * 0.9  # rad, from the reference: beyond, the way back to it is ambiguous
AXES = np.eye(3)
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


@compile_inline
def _evaluate_series(square):
    """a, b, a'/p and b'/p, given p^2."""
    a = b = da = db = 0.0
    for k in range(TERMS - 1, -1, -1):
        a = a * square + SERIES[0, k]
        b = b * square + SERIES[1, k]
        da = da * square + SERIES[2, k]
        db = db * square + SERIES[3, k]
    return a, b, da, db


@kernel
def angular_motion(turn, first, second):
    """Angular velocity and acceleration in base axes, of a rotation vector and its derivatives: triples, all."""
    a, b, da, db = _evaluate_series(dot(turn, turn))
    along = dot(turn, first)
    swing = cross(turn, first)
    twice = cross(turn, swing)
    omega = add_scaled(add_scaled(first, a, swing), b, twice)
    lift = cross(turn, second)
    bent = add(cross(first, swing), cross(turn, lift))
    grown = add_scaled(scale(da, swing), db, twice)
    alpha = add_scaled(add_scaled(add_scaled(second, along, grown), a, lift), b, bent)
    return omega, alpha


@kernel
def _turn_derivatives(turn, omega, alpha, first, second):
    matrix, copy = np.empty((3, 3)), np.empty((3, 3))
    still = (0.0, 0.0, 0.0)
    for n in range(turn.shape[0]):
        t = at(turn, n)
        a, b, _, _ = _evaluate_series(dot(t, t))
        for k in range(3):
            unit = at(AXES, k)
            swing = cross(t, unit)
            matrix[0, k], matrix[1, k], matrix[2, k] = add_scaled(
                add_scaled(unit, a, swing), b, cross(t, swing)
            )
        copy[:, :] = matrix
        first[n] = omega[n]
        solve3(copy, first[n])
        # alpha without the part of the second derivative
        _, rest = angular_motion(t, at(first, n), still)
        second[n, 0], second[n, 1], second[n, 2] = subtract(at(alpha, n), rest)
        solve3(matrix, second[n])


def turn_derivatives(turn: FloatArray, omega: FloatArray, alpha: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Derivatives (N, 3) of rotation vectors from angular velocity and acceleration: the inverse of the above."""
    first, second = np.empty((2, len(turn), 3))
    _turn_derivatives(contiguous(turn), contiguous(omega), contiguous(alpha), first, second)
    return first, second
