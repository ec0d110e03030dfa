# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What resists the drives of a simulated machine: friction along its axes of force, and end stops of its drives.

Forces resist along R axes, the drives first and then what rubs in passive joints. A joint that turns any way has three
of them and resists against the direction in which it turns, (F / max(|W|, r_t) + c) W.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pkm_identification.mechanisms.friction import friction_along, friction_slope
from pkm_identification.mechanisms.friction.law import TRANSITION, law_tuple
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel

_SHORTEST, _LONGEST, _STIFFNESS, _DAMPING = range(4)  # rows of `Resistance.stops`
VISCOUS, COULOMB = 0, 1  # rows of a passive joint's coefficients, whose law is `coulomb`


class Resistance(NamedTuple):
    """Friction of R axes, and end stops of the n drives, which are the first of them.

    Attributes
    ----------
    laws : ndarray, shape (n + 1, 5)
        `Friction.laws` of the drives, and last that of the passive joints.
    coefficients : ndarray, shape (TERMS, R)
        Of friction, followed by zeros.
    stops : ndarray, shape (4, n)
        Least and greatest coordinate, stiffness (0: no stop) and damping of each drive's end stops.
    triple : ndarray of int64, shape (R,)
        Of the axes of a passive joint that turns any way, the first of its three; -1 of others.
    """

    laws: FloatArray
    coefficients: FloatArray
    stops: FloatArray
    triple: NDArray[np.int64]


@kernel
def end_stop(rate, length, stops, i):
    """Force of drive i's end stops against the drive, and its slopes by rate and by length."""
    if stops[_STIFFNESS, i] > 0.0:
        shortest, longest = stops[_SHORTEST, i], stops[_LONGEST, i]
        beyond = length - longest if length > longest else min(0.0, length - shortest)
        push = stops[_STIFFNESS, i] * beyond + stops[_DAMPING, i] * rate
        if beyond * push > 0.0:  # a stop pushes back, it does not hold
            return push, stops[_DAMPING, i], stops[_STIFFNESS, i]
    return 0.0, 0.0, 0.0


@kernel
def resist(rate, coordinate, resistance, force, slope, stiffness):
    """Write the forces (R,) against rates (R,) at drive coordinates (n,), and their slopes by rate and coordinate.

    Those of a joint that turns any way are its slopes as long as the direction in which it turns stays.
    """
    drives = coordinate.shape[0]
    for i in range(rate.shape[0]):
        first = resistance.triple[i]
        if first >= 0:
            size = max(compute_turning_speed(rate, first), resistance.laws[-1, TRANSITION])
            slope[i] = resistance.coefficients[VISCOUS, i] + resistance.coefficients[COULOMB, i] / size
            force[i] = slope[i] * rate[i]
            stiffness[i] = 0.0
            continue
        law = law_tuple(resistance.laws[min(i, drives)], 0)
        force[i] = friction_along(rate[i], law, resistance.coefficients, i)
        slope[i] = friction_slope(rate[i], law, resistance.coefficients, i)
        stiffness[i] = 0.0
        if i < drives:
            stop, damping, spring = end_stop(rate[i], coordinate[i], resistance.stops, i)
            force[i] += stop
            slope[i] += damping
            stiffness[i] = spring


@kernel
def compute_turning_speed(rate, first):
    """Return how fast a joint turns whose three axes begin with `first`, rad/s."""
    return np.sqrt(rate[first] ** 2 + rate[first + 1] ** 2 + rate[first + 2] ** 2)


@kernel
def couple_triples(rate, h, mobility, resistance, matrix):
    """Take off a stage's matrix (R, R) what `resist` has too much of: sliding, Coulomb friction does not grow.

    The derivative of F W / |W| is F (1 - W W^T / |W|^2) / |W|, of which the slopes are the first part.
    """
    axes = rate.shape[0]
    for k in range(axes):
        first = resistance.triple[k]
        if first < 0:
            continue
        size = compute_turning_speed(rate, first)
        if size > resistance.laws[-1, TRANSITION]:
            share = h * resistance.coefficients[COULOMB, k] * rate[k] / size**3
            for i in range(axes):
                for m in range(first, first + 3):
                    matrix[i, k] -= share * mobility[i, m] * rate[m]


@kernel
def stopped_triple(rate, change, first, transition_rate):
    """Newton's step of a joint that turns any way, in place; it ends at rest where the joint would turn back.

    As `stop_at_transition` along an axis.
    """
    before, onward = compute_turning_speed(rate, first), 0.0
    for i in range(first, first + 3):
        onward += rate[i] * (rate[i] + change[i])
        rate[i] += change[i]
    if before > transition_rate and onward < 0.0 and compute_turning_speed(rate, first) > transition_rate:
        for i in range(first, first + 3):
            rate[i] = 0.0


@kernel
def stop_at_transition(rate, new, transition_rate):
    """Return the next rate of Newton's method: from one sliding branch it may jump to the other and back for ever."""
    return 0.0 if abs(rate) > transition_rate and abs(new) > transition_rate and new * rate < 0.0 else new
