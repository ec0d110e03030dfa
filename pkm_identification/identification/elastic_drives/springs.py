# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The closed machine on the springs of its drives, whose other ends, the motors, move as their encoders showed.

In the drives' coordinates, with M and h of the machine without its motors and x_m where the motors are,

    M x'' + h + friction(x') = K (x_m - x) + C (x_m' - x')

is integrated by the two implicit stages that are stable for any stiffness (as in the simulator): friction turns
over within mm/s, far faster than samples come. M, h and x_m are linear between samples.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pkm_identification.machines.contract import Machine
from pkm_identification.mechanisms.actuators.transfer import Transfer
from pkm_identification.mechanisms.friction import friction_along, friction_slope, padded_coefficients
from pkm_identification.mechanisms.friction.law import law_tuple
from pkm_identification.numerics.arrays import FloatArray, contiguous
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.linear_systems import solve_square

from ..regression.friction import build_laws

GAMMA = 1.0 - np.sqrt(0.5)
STEPS = 3  # of a sample period
NEWTON_ITERATIONS = 12


class Springs(NamedTuple):
    """What lies between motors and the coordinates of n drives, and rubs.

    Attributes
    ----------
    stiffness, damping : ndarray, shape (n,)
        N/m and N s/m, or N m/rad and N m s/rad.
    inner : ndarray, shape (3, n)
        Friction of the drives behind the springs: viscous, Coulomb, and the rate within which that turns over.
    laws : ndarray, shape (n, LAW_NUMBERS)
        Of the friction of the drives' coordinates; see `build_laws`.
    coefficients : ndarray, shape (TERMS, n)
        Of that friction, padded.
    """

    stiffness: FloatArray
    damping: FloatArray
    inner: FloatArray
    laws: FloatArray
    coefficients: FloatArray

    @classmethod
    def of(cls, machine: Machine, basis: FloatArray, transfers: Sequence[Transfer]) -> Springs:
        """Those of a machine with the dynamic parameters `basis` (B,)."""
        stiffness = np.array([1.0 / one.compliance for one in transfers])
        friction = [one.friction for one in transfers]
        inner = np.array([[one.viscous, one.coulomb, one.transition_rate] for one in friction]).T
        rows = machine.friction_rows
        coefficients = np.where(rows >= 0, basis[rows], 0.0)
        return cls(
            stiffness,
            stiffness * np.array([one.damping_time for one in transfers]),
            contiguous(inner),
            build_laws(machine),
            padded_coefficients(contiguous(coefficients).ravel(), len(transfers)),
        )


class Stage(NamedTuple):
    """What one implicit stage starts from: places are known_place + duration rate."""

    known_place: FloatArray
    known_rate: FloatArray
    duration: float
    mass: FloatArray
    bias: FloatArray
    motor: FloatArray
    motor_rate: FloatArray


@kernel
def _solve_stage(stage, springs, rate, matrix, left):
    """Solve for the rates (n,) of one implicit stage, in place."""
    h, mass, count = stage.duration, stage.mass, rate.shape[0]
    for _ in range(NEWTON_ITERATIONS):
        largest, scale = 0.0, 1e-9
        for i in range(count):
            law = law_tuple(springs.laws[i], 0)
            inner, transition_rate = springs.inner[:, i], springs.inner[2, i]
            inside = min(max(rate[i] / transition_rate, -1.0), 1.0)
            spring = springs.stiffness[i] * (stage.motor[i] - stage.known_place[i] - h * rate[i])
            spring += springs.damping[i] * (stage.motor_rate[i] - rate[i])
            rubbing = (
                friction_along(rate[i], law, springs.coefficients, i) + inner[0] * rate[i] + inner[1] * inside
            )
            left[i] = spring - rubbing - stage.bias[i]
            slope = springs.damping[i] + h * springs.stiffness[i] + inner[0]
            slope += friction_slope(rate[i], law, springs.coefficients, i)
            if abs(rate[i]) < transition_rate:
                slope += inner[1] / transition_rate
            for j in range(count):
                left[i] -= mass[i, j] * (rate[j] - stage.known_rate[j]) / h
                matrix[i, j] = mass[i, j] / h
            matrix[i, i] += slope
            largest = max(largest, abs(left[i]))
            scale = max(scale, abs(spring))
        if not largest > 1e-9 * scale:
            return
        solve_square(matrix, left)
        for i in range(count):
            # friction turns over: stop where it does before going on beyond
            new, corner = rate[i] + left[i], springs.laws[i, 1]
            if abs(rate[i]) > corner and new * rate[i] < corner * abs(rate[i]):
                new = np.sign(rate[i]) * corner if new * rate[i] > -corner * abs(rate[i]) else 0.0
            elif abs(rate[i]) < corner and abs(new) > 2.0 * corner:
                new = np.sign(new) * corner * 1.000001
            rate[i] = new


@kernel
def follow_motors(mass, bias, motor, period, steps, springs, position, speed):
    """Write places (N, n) and rates (N, n) of drives behind motors at `motor` (N, n), from those of the first row.

    `mass` (N, n, n) in kg or kg m^2 and `bias` (N, n) in N or N m are those of the rows, `period` in s.
    """
    h, count = period / steps, motor.shape[1]
    x, v, rate, first = position[0].copy(), speed[0].copy(), speed[0].copy(), np.empty(count)
    matrix, present = np.empty((count, count)), np.empty((count, count))
    left, known_x, known_v = np.empty(count), np.empty(count), np.empty(count)
    present_bias, shown, shown_rate = np.empty(count), np.empty(count), np.empty(count)
    for n in range(len(motor) - 1):
        for i in range(count):
            shown_rate[i] = (motor[n + 1, i] - motor[n, i]) / period
        for k in range(steps):
            for s in range(2):
                t = (k + (GAMMA if s == 0 else 1.0)) / steps
                for i in range(count):
                    shown[i] = motor[n, i] + t * (motor[n + 1, i] - motor[n, i])
                    present_bias[i] = bias[n, i] + t * (bias[n + 1, i] - bias[n, i])
                    known_x[i], known_v[i] = x[i], v[i]
                    if s == 1:
                        known_x[i] += (1.0 - GAMMA) * h * first[i]
                        known_v[i] += (1.0 - GAMMA) / GAMMA * (first[i] - v[i])
                    for j in range(count):
                        present[i, j] = mass[n, i, j] + t * (mass[n + 1, i, j] - mass[n, i, j])
                stage = Stage(known_x, known_v, GAMMA * h, present, present_bias, shown, shown_rate)
                _solve_stage(stage, springs, rate, matrix, left)
                if s == 0:
                    first[:] = rate
            for i in range(count):
                x[i] = known_x[i] + GAMMA * h * rate[i]
                v[i] = rate[i]
        position[n + 1], speed[n + 1] = x, v
