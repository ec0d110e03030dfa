# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Inverse kinematics: from platform motion to strut lengths, rates and accelerations."""

from __future__ import annotations

import numpy as np

from pkm_identification.mechanisms.threads import over_rows
from pkm_identification.motion import PlatformMotion
from pkm_identification.numerics.arrays import FloatArray, contiguous
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.vector3 import (
    add,
    at,
    cross,
    dot,
    rotate,
    subtract,
)

from ..machine import Machine


@kernel
def _compute_lengths(base, platform, position, rotation, length):
    for n in range(position.shape[0]):
        x = at(position, n)
        for i in range(6):
            d = subtract(add(x, rotate(rotation[n], at(platform, i))), at(base, i))
            length[n, i] = np.sqrt(dot(d, d))


@kernel
def fill_strut_motion(base, platform, position, rotation, twist, acceleration, length, rate, second):
    """Write lengths, rates and accelerations (N, 6) of N platform states."""
    for n in range(position.shape[0]):
        x = at(position, n)
        v = (twist[n, 0], twist[n, 1], twist[n, 2])
        w = (twist[n, 3], twist[n, 4], twist[n, 5])
        a = (acceleration[n, 0], acceleration[n, 1], acceleration[n, 2])
        al = (acceleration[n, 3], acceleration[n, 4], acceleration[n, 5])
        for i in range(6):
            r = rotate(rotation[n], at(platform, i))
            d = subtract(add(x, r), at(base, i))
            l = np.sqrt(dot(d, d))
            s = (d[0] / l, d[1] / l, d[2] / l)
            turning = cross(w, r)
            v_p = add(v, turning)
            a_p = add(add(a, cross(al, r)), cross(w, turning))
            l_dot = dot(v_p, s)
            length[n, i] = l
            rate[n, i] = l_dot
            # L'' = a_P . s + |v_P perpendicular to s|^2 / L
            second[n, i] = dot(a_p, s) + (dot(v_p, v_p) - l_dot * l_dot) / l


def strut_lengths(
    machine: Machine, position: FloatArray, rotation: FloatArray, threads: int = 1
) -> FloatArray:
    """Return strut lengths of platform poses (Oh 2003, 2.10-2.12).

    Parameters
    ----------
    machine : Machine
    position : ndarray, shape (N, 3)
        Platform origin in the base frame, m.
    rotation : ndarray, shape (N, 3, 3)
    threads : int
        How many share the rows, 1 to 1024; the numbers are those of one.

    Returns
    -------
    ndarray, shape (N, 6)
        Lengths in m; a row is NaN where its pose is.
    """
    position = contiguous(position)
    rotation = contiguous(rotation)
    if position.ndim != 2 or position.shape[1] != 3 or rotation.shape != (len(position), 3, 3):
        raise ValueError(
            f"position {position.shape} and rotation {rotation.shape} must have shapes (N, 3) and (N, 3, 3)"
        )
    length = np.empty((len(position), 6))
    over_rows(
        _compute_lengths,
        (machine.base_joints, machine.platform_joints),
        (position, rotation, length),
        threads,
    )
    return length


def strut_motion_from_platform(
    machine: Machine, motion: PlatformMotion, threads: int = 1
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return strut lengths, rates and accelerations of a platform motion (Oh 2003, 2.13-2.15 and 2.28-2.31).

    Parameters
    ----------
    machine : Machine
    motion : PlatformMotion
    threads : int
        How many share the rows, 1 to 1024; the numbers are those of one.

    Returns
    -------
    length, rate, acceleration : ndarray, shape (N, 6)
        m, m/s and m/s^2.
    """
    length, rate, second = (np.empty((len(motion), 6)) for _ in range(3))
    rows = (
        contiguous(motion.position),
        contiguous(motion.rotation),
        contiguous(motion.twist),
        contiguous(motion.acceleration),
        length,
        rate,
        second,
    )
    over_rows(fill_strut_motion, (machine.base_joints, machine.platform_joints), rows, threads)
    return length, rate, second
