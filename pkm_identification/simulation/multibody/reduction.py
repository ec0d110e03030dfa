# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""From MuJoCo's open tree to the closed mechanism: velocities in its order, mass and bias along the driven coordinates.

What `plant` says in two lines, compiled: a simulated machine asks for it twice a period.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pkm_identification.mechanisms.multibody.kernels.codes import DIRECTION_A, DIRECTION_B, POINT_A, POINT_B
from pkm_identification.mechanisms.multibody.kernels.linear import factorize, solve_factored
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import compile_inline, kernel
from pkm_identification.numerics.vector3 import add, at, dot, subtract


class TreeOrder(NamedTuple):
    """Where MuJoCo has the tree's coordinates and velocities.

    Attributes
    ----------
    places, coordinates : ndarray of int64, shape (P,)
        Places among MuJoCo's coordinates, and the tree's coordinates that stand there.
    speeds, velocities : ndarray of int64, shape (S,)
        The same of velocities.
    spin : ndarray of int64, shape (K, 3)
        Of each joint without spin: the place of its third hinge among MuJoCo's velocities, the coordinate of its
        second hinge, and its first velocity.
    """

    places: NDArray[np.int64]
    coordinates: NDArray[np.int64]
    speeds: NDArray[np.int64]
    velocities: NDArray[np.int64]
    spin: NDArray[np.int64]


class LoopConstraints(NamedTuple):
    """MuJoCo's numbers of the two bodies of each constraint (C,), and its vectors (C, 5, 3) in their frames."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    vector: FloatArray


class TreeState(NamedTuple):
    """The open tree in one state of motion.

    Attributes
    ----------
    configuration : ndarray, shape (Q,)
    velocity : ndarray, shape (n + 1, V)
        Of the tree for a unit of each driven rate, and in the motion.
    acceleration : ndarray, shape (V,)
        In the motion while the driven coordinates do not accelerate.
    mass, bias : ndarray, shapes (U, U) and (U,)
        MuJoCo's.
    """

    configuration: FloatArray
    velocity: FloatArray
    acceleration: FloatArray
    mass: FloatArray
    bias: FloatArray


@kernel
def write_speeds(order, configuration, velocity, speeds):
    """Write MuJoCo's velocities (U,) of the tree's (V,)."""
    for u in range(speeds.shape[0]):
        speeds[u] = 0.0
    for k in range(order.speeds.shape[0]):
        speeds[order.speeds[k]] = velocity[order.velocities[k]]
    for k in range(order.spin.shape[0]):
        # the first hinge turns the body about its own axis, too; this one takes that back
        c, v = order.spin[k, 1], order.spin[k, 2]
        speeds[order.spin[k, 0]] = -np.sin(configuration[c]) * velocity[v]


@kernel
def place_tree(order, configuration, velocity, position, speeds):
    """Write MuJoCo's coordinates and velocities of a state of the tree."""
    for k in range(order.places.shape[0]):
        position[order.places[k]] = configuration[order.coordinates[k]]
    write_speeds(order, configuration, velocity, speeds)


@compile_inline
def turn_vector(turns, body, vector):
    """Return a vector (3,) of a body's frame in base axes."""
    turn = turns[body]
    return (
        turn[0] * vector[0] + turn[1] * vector[1] + turn[2] * vector[2],
        turn[3] * vector[0] + turn[4] * vector[1] + turn[5] * vector[2],
        turn[6] * vector[0] + turn[7] * vector[1] + turn[8] * vector[2],
    )


@kernel
def measure_gap(places, turns, points, axes):
    """Return the largest residual of constraints between bodies at places (B, 3), turned by (B, 9): m or a sine."""
    largest = 0.0
    for r in range(points.first.shape[0]):
        a, b, vector = points.first[r], points.second[r], points.vector[r]
        span = subtract(
            add(at(places, b), turn_vector(turns, b, vector[POINT_B])),
            add(at(places, a), turn_vector(turns, a, vector[POINT_A])),
        )
        largest = max(largest, abs(dot(turn_vector(turns, a, vector[DIRECTION_A]), span)))
    for r in range(axes.first.shape[0]):
        a, b, vector = axes.first[r], axes.second[r], axes.vector[r]
        first, second = (
            turn_vector(turns, a, vector[DIRECTION_A]),
            turn_vector(turns, b, vector[DIRECTION_B]),
        )
        largest = max(largest, abs(dot(first, second)))
    return largest


@kernel
def reduce_tree(order, tree, inertia, passive, ends, end):
    """Write free acceleration, compliance and Jacobian of the driven coordinates at one end of a period.

    Parameters
    ----------
    order : TreeOrder
    tree : TreeState
    inertia : ndarray, shape (n,)
        Of the drives themselves.
    passive : ndarray, shape (R - n, V)
        Rates of the passive joints' axes that rub, per velocity of the tree.
    ends : Dynamics
        Of both ends.
    end : int

    Returns
    -------
    bool
        False where the reduced mass matrix is singular or not finite.
    """
    count, axes = ends.compliance.shape[1:]
    size = tree.bias.shape[0]
    gain, drift, loaded = np.empty((count, size)), np.empty(size), np.empty(size)
    for i in range(count):
        write_speeds(order, tree.configuration, tree.velocity[i], gain[i])
    write_speeds(order, tree.configuration, tree.acceleration, drift)
    motion = tree.velocity[count]
    for k in range(order.spin.shape[0]):
        c, v = order.spin[k, 1], order.spin[k, 2]
        drift[order.spin[k, 0]] -= np.cos(tree.configuration[c]) * motion[v] * motion[v + 1]
    reduced, bias, column = np.empty((count, count)), np.empty(count), np.empty(count)
    turned, scales = np.empty(count, dtype=np.int64), np.ones((2, count))
    for u in range(size):
        loaded[u] = tree.bias[u]
        for w in range(size):
            loaded[u] += tree.mass[u, w] * drift[w]
    for i in range(count):
        bias[i] = 0.0
        for k in range(count):
            reduced[i, k] = inertia[i] if i == k else 0.0
        for u in range(size):
            bias[i] += gain[i, u] * loaded[u]
            carried = 0.0
            for w in range(size):
                carried += gain[i, w] * tree.mass[w, u]
            for k in range(count):
                reduced[i, k] += carried * gain[k, u]
    for r in range(axes):
        for i in range(count):
            ends.jacobian[end, r, i] = 1.0 if r == i else 0.0
            if r >= count:
                for v in range(passive.shape[1]):
                    ends.jacobian[end, r, i] += passive[r - count, v] * tree.velocity[i, v]
    # drives that push and drives that turn have masses of other sizes; pivots are judged as if they had not
    for i in range(count):
        scales[0, i] = scales[1, i] = np.sqrt(abs(reduced[i, i]))
    if not abs(factorize(reduced, turned, scales)) > 0.0:
        return False
    for r in range(axes):
        for i in range(count):
            column[i] = ends.jacobian[end, r, i]
        solve_factored(reduced, turned, column)
        for i in range(count):
            ends.compliance[end, i, r] = column[i]
    solve_factored(reduced, turned, bias)
    for i in range(count):
        ends.free[end, i] = -bias[i]
    return True
