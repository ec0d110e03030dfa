# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The double inverted pendulum on a cart (Oh 2003, 3.3-3.5): two uniform links, everything in one plane.

Coordinates are the cart's place x and the angles t1, t2 of the links from upright, both against the vertical. The
parameters w = (l1, l2, m1, m2, M) are the links' lengths and masses and the cart's mass. The equations of motion

    A(w, q) q'' = h(w, q, q') + (F, 0, 0)

are linear in the masses. Without a force F on the cart, every term carries one mass: multiplying all masses by one
number changes neither the motion nor the residual, so that free motion identifies lengths and ratios of masses only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.linear_systems import solve3

NAMES = ("l1", "l2", "m1", "m2", "M")
UNITS = ("m", "m", "kg", "kg", "kg")
GRAVITY = 9.81  # m/s^2
COORDINATES = 3
STEP = 5e-5  # s, at most, of the integration: its error is then that of rounding
STAGES = (0.0, 0.5, 1.0)  # of a step, at which the force is asked for
ROUNDING = 1e-6  # of a step


@dataclass(frozen=True)
class PendulumMotion:
    """A motion of cart and links.

    Attributes
    ----------
    time : ndarray, shape (N,)
        s.
    position, velocity, acceleration : ndarray, shape (N, 3)
        Of (x, t1, t2): m and rad, and their derivatives in s.
    force : ndarray, shape (N,)
        On the cart, N.
    """

    time: FloatArray
    position: FloatArray
    velocity: FloatArray
    acceleration: FloatArray
    force: FloatArray

    def __len__(self) -> int:
        return len(self.time)

    def __getitem__(self, index: slice) -> PendulumMotion:
        """Some of the samples."""
        return PendulumMotion(*(np.ascontiguousarray(getattr(self, f.name)[index]) for f in fields(self)))


@kernel
def _compute_coefficients(w, q, v, matrix, vector):
    """A (3, 3) and h (3,) of one state."""
    l1, l2, m1, m2, cart = w[0], w[1], w[2], w[3], w[4]
    c1, s1, c2, s2 = np.cos(q[1]), np.sin(q[1]), np.cos(q[2]), np.sin(q[2])
    c12, s12 = np.cos(q[2] - q[1]), np.sin(q[2] - q[1])
    first, second = (0.5 * m1 + m2) * l1, 0.5 * m2 * l2
    both = second * l1
    matrix[0, 0] = cart + m1 + m2
    matrix[0, 1] = matrix[1, 0] = first * c1
    matrix[0, 2] = matrix[2, 0] = second * c2
    matrix[1, 1] = (m1 / 3.0 + m2) * l1 * l1
    matrix[1, 2] = matrix[2, 1] = both * c12
    matrix[2, 2] = m2 / 3.0 * l2 * l2
    vector[0] = first * s1 * v[1] ** 2 + second * s2 * v[2] ** 2
    vector[1] = first * GRAVITY * s1 + both * s12 * v[2] ** 2
    vector[2] = second * GRAVITY * s2 - both * s12 * v[1] ** 2


@kernel
def _compute_accelerations(w, position, velocity, force, result):
    matrix = np.empty((3, 3))
    for n in range(position.shape[0]):
        _compute_coefficients(w, position[n], velocity[n], matrix, result[n])
        result[n, 0] += force[n]
        solve3(matrix, result[n])


@kernel
def _integrate_fall(w, steps, size, force, position, velocity):
    """Fill positions and velocities (N, 3) from the first on: classical Runge-Kutta, `steps` of `size` between two.

    `force` (sum of steps, 3) is that at the begin, the middle and the end of every step.
    """
    rates = np.empty((4, 6))
    state, middle = np.empty(6), np.empty(6)
    matrix = np.empty((3, 3))
    taken = 0
    for n in range(len(steps)):
        state[:3], state[3:] = position[n], velocity[n]
        h = size[n]
        for _ in range(steps[n]):
            for stage in range(4):
                part = 0.0 if stage == 0 else (h if stage == 3 else 0.5 * h)
                for i in range(6):
                    middle[i] = state[i] + (part * rates[stage - 1, i] if stage > 0 else 0.0)
                rates[stage, :3] = middle[3:]
                _compute_coefficients(w, middle[:3], middle[3:], matrix, rates[stage, 3:])
                rates[stage, 3] += force[taken, (stage + 1) // 2]
                solve3(matrix, rates[stage, 3:])
            for i in range(6):
                state[i] += h / 6.0 * (rates[0, i] + 2.0 * rates[1, i] + 2.0 * rates[2, i] + rates[3, i])
            taken += 1
        position[n + 1], velocity[n + 1] = state[:3], state[3:]


@kernel
def _compute_residual_jacobian(w, q, v, a, jacobian):
    """Derivative (3, 5) of A a - h by w at one state."""
    l1, l2, m1, m2 = w[0], w[1], w[2], w[3]
    c1, s1, c2, s2 = np.cos(q[1]), np.sin(q[1]), np.cos(q[2]), np.sin(q[2])
    c12, s12 = np.cos(q[2] - q[1]), np.sin(q[2] - q[1])
    # what the four products of masses and lengths stand beside
    cart_1, cart_2 = c1 * a[1] - s1 * v[1] ** 2, c2 * a[2] - s2 * v[2] ** 2
    link_1, link_2 = c1 * a[0] - GRAVITY * s1, c2 * a[0] - GRAVITY * s2
    pair_1, pair_2 = c12 * a[2] - s12 * v[2] ** 2, c12 * a[1] + s12 * v[1] ** 2
    first, third = 0.5 * m1 + m2, m1 / 3.0 + m2
    jacobian[0, 0] = first * cart_1
    jacobian[0, 1] = 0.5 * m2 * cart_2
    jacobian[0, 2] = a[0] + 0.5 * l1 * cart_1
    jacobian[0, 3] = a[0] + l1 * cart_1 + 0.5 * l2 * cart_2
    jacobian[0, 4] = a[0]
    jacobian[1, 0] = first * link_1 + 2.0 * third * l1 * a[1] + 0.5 * m2 * l2 * pair_1
    jacobian[1, 1] = 0.5 * m2 * l1 * pair_1
    jacobian[1, 2] = 0.5 * l1 * link_1 + l1 * l1 / 3.0 * a[1]
    jacobian[1, 3] = l1 * link_1 + l1 * l1 * a[1] + 0.5 * l1 * l2 * pair_1
    jacobian[1, 4] = 0.0
    jacobian[2, 0] = 0.5 * m2 * l2 * pair_2
    jacobian[2, 1] = 0.5 * m2 * (link_2 + l1 * pair_2) + 2.0 / 3.0 * m2 * l2 * a[2]
    jacobian[2, 2] = 0.0
    jacobian[2, 3] = 0.5 * l2 * (link_2 + l1 * pair_2) + l2 * l2 / 3.0 * a[2]
    jacobian[2, 4] = 0.0


@kernel
def _compute_residuals(w, position, velocity, acceleration, force, residual, jacobian):
    matrix, vector = np.empty((3, 3)), np.empty(3)
    for n in range(position.shape[0]):
        _compute_coefficients(w, position[n], velocity[n], matrix, vector)
        for i in range(3):
            residual[n, i] = -vector[i]
            for j in range(3):
                residual[n, i] += matrix[i, j] * acceleration[n, j]
        residual[n, 0] -= force[n]
        _compute_residual_jacobian(w, position[n], velocity[n], acceleration[n], jacobian[n])


@kernel
def _compute_acceleration_jacobians(w, position, velocity, acceleration, jacobian):
    """-A^-1 times the residual's derivative, at the model's own accelerations."""
    matrix, vector, column = np.empty((3, 3)), np.empty(3), np.empty(3)
    for n in range(position.shape[0]):
        _compute_residual_jacobian(w, position[n], velocity[n], acceleration[n], jacobian[n])
        for p in range(5):
            _compute_coefficients(w, position[n], velocity[n], matrix, vector)
            for i in range(3):
                column[i] = -jacobian[n, i, p]
            solve3(matrix, column)
            for i in range(3):
                jacobian[n, i, p] = column[i]


def accelerations(w: FloatArray, motion: PendulumMotion) -> FloatArray:
    """Accelerations (N, 3) that the model has in the states of a motion; its own are not used.

    Multiplying all masses and the force by one number leaves them alike.
    """
    result = np.empty_like(motion.position)
    _compute_accelerations(np.asarray(w, dtype=float), motion.position, motion.velocity, motion.force, result)
    return result


def compute_acceleration_jacobian(w: FloatArray, motion: PendulumMotion) -> FloatArray:
    """Return derivative (N, 3, 5) of `accelerations` by the parameters."""
    jacobian = np.empty((len(motion), COORDINATES, len(NAMES)))
    own = accelerations(w, motion)
    _compute_acceleration_jacobians(
        np.asarray(w, dtype=float), motion.position, motion.velocity, own, jacobian
    )
    return jacobian


def residuals(w: FloatArray, motion: PendulumMotion) -> tuple[FloatArray, FloatArray]:
    """Return what is left of the equations of motion (Oh 2003, 3.3-3.5) at measured accelerations.

    Returns
    -------
    residual : ndarray, shape (N, 3)
        A q'' - h - (F, 0, 0): N and N m. In free motion all of it is proportional to the masses.
    jacobian : ndarray, shape (N, 3, 5)
        Its derivative by the parameters.
    """
    residual = np.empty_like(motion.position)
    jacobian = np.empty((len(motion), COORDINATES, len(NAMES)))
    _compute_residuals(
        np.asarray(w, dtype=float),
        motion.position,
        motion.velocity,
        motion.acceleration,
        motion.force,
        residual,
        jacobian,
    )
    return residual, jacobian


def energy(w: FloatArray, motion: PendulumMotion) -> FloatArray:
    """Kinetic plus potential energy (N,) in J, heights measured from the cart."""
    l1, l2, m1, m2, _ = w
    q, v = motion.position, motion.velocity
    matrix, vector = np.empty((3, 3)), np.empty(3)
    total = GRAVITY * ((0.5 * m1 + m2) * l1 * np.cos(q[:, 1]) + 0.5 * m2 * l2 * np.cos(q[:, 2]))
    for n in range(len(motion)):
        _compute_coefficients(np.asarray(w, dtype=float), q[n], v[n], matrix, vector)
        total[n] += 0.5 * v[n] @ matrix @ v[n]
    return total


def simulate(
    w: FloatArray,
    time: FloatArray,
    start: FloatArray,
    force: Callable[[FloatArray], FloatArray] | None = None,
) -> PendulumMotion:
    """Let go of the pendulum at rest.

    Its motion is chaotic: rounding grows tenfold in about a second. Steps are therefore fixed and compiled, so that no
    choice of a library's kernels by the processor makes another motion of the end of a long fall.

    Parameters
    ----------
    w : ndarray, shape (5,)
        l1, l2 in m, m1, m2, M in kg.
    time : ndarray, shape (N,)
        Instants in s, increasing; the motion starts at the first.
    start : ndarray, shape (3,)
        x, t1, t2 there.
    force : callable, optional
        Forces on the cart in N at an array of times in s; none when absent.
    """
    w, time = np.asarray(w, dtype=float), np.asarray(time, dtype=float)
    steps = np.maximum(np.ceil(np.diff(time) / STEP - ROUNDING), 1).astype(np.int64)
    size = np.diff(time) / np.maximum(steps, 1)
    position, velocity, acceleration = np.zeros((3, len(time), COORDINATES))
    position[0] = start
    applied = np.zeros_like(time) if force is None else np.asarray(force(time), dtype=float)
    pushed = np.zeros((int(steps.sum()), 3))
    if force is not None:
        inside = np.arange(len(pushed)) - np.repeat(np.cumsum(steps) - steps, steps)
        begins = np.repeat(time[:-1], steps) + inside * np.repeat(size, steps)
        for k, part in enumerate(STAGES):
            pushed[:, k] = force(begins + part * np.repeat(size, steps))
    _integrate_fall(w, steps, size, pushed, position, velocity)
    _compute_accelerations(w, position, velocity, applied, acceleration)
    return PendulumMotion(time, position, velocity, acceleration, applied)
