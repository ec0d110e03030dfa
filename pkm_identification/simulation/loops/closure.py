# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Closing the loops exactly: the tree MuJoCo knows, driven by the platform's six degrees of freedom.

MuJoCo gives the mass matrix M and the bias h (gravity, Coriolis, centrifugal) of the open tree, 24 degrees of
freedom q' = (two hinge rates and a slide rate per strut, platform v and w). A closed machine moves with
q' = T(x) u, where u = (v, w) is the platform's twist, so

    T^T M T u' = T^T (f - h - M T' u)

is its equation of motion: 6 x 6, with no constraint to drift. Strut angles and lengths follow from the pose, hence
the loop gap is rounding error. T is block-diagonal in the struts: their joint rates are G (v + w x r), G (3, 3) the
inverse of the tip's Jacobian, whose columns are orthogonal for a universal joint followed by a slide.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.linear_systems import invert6
from pkm_identification.numerics.rotation import write_matrix
from pkm_identification.numerics.vector3 import (
    add,
    at,
    cross,
    dot,
    rotate,
    rotate_back,
    subtract,
)


class Closure(NamedTuple):
    """What closes the loops in one state of the platform.

    Rotation (3, 3); G (6, 3, 3), from a tip's velocity to its joints' rates; the part of the joint accelerations (6, 3)
    that is left when the twist is constant (T' u); the map from twist to strut rates (6, 6); strut lengths (6,).
    """

    rotation: FloatArray
    inverse_tip: FloatArray
    bias_rates: FloatArray
    jacobian: FloatArray
    length: FloatArray


@kernel
def close_loops(joints, frames, pose, twist, coordinates, closure):
    """Write the tree's `coordinates` (positions, rates) and the `closure` for a platform pose and twist.

    `pose` is (x, y, z, quaternion wxyz). `joints` (base, platform) and `closure` are plain tuples: the names of
    `Closure` would cost the caller 2 us.
    """
    base, platform = joints
    qpos, qvel = coordinates
    rotation, inverse_tip, bias_rates, jacobian, length = closure
    write_matrix(pose[4], pose[5], pose[6], pose[3], 2.0, rotation)
    v = (twist[0], twist[1], twist[2])
    w = (twist[3], twist[4], twist[5])
    for i in range(6):
        frame = frames[i]
        x = (frame[0, 0], frame[1, 0], frame[2, 0])
        r = rotate(rotation, at(platform, i))
        d = subtract(add((pose[0], pose[1], pose[2]), r), at(base, i))
        l = np.sqrt(dot(d, d))
        s = (d[0] / l, d[1] / l, d[2] / l)
        local = rotate_back(frame, s)
        # asin would lose half its digits near +-90 deg; the hypotenuse does not
        qpos[3 * i] = np.arctan2(-local[1], local[2])
        qpos[3 * i + 1] = np.arctan2(local[0], np.sqrt(local[1] ** 2 + local[2] ** 2))
        qpos[3 * i + 2] = l
        y = rotate(frame, (0.0, np.cos(qpos[3 * i]), np.sin(qpos[3 * i])))

        turning = cross(w, r)
        v_tip = add(v, turning)
        first, second = cross(x, d), cross(y, d)
        n1, n2 = dot(first, first), dot(second, second)
        rate_1, rate_2, rate_3 = dot(first, v_tip) / n1, dot(second, v_tip) / n2, dot(s, v_tip)
        qvel[3 * i] = rate_1
        qvel[3 * i + 1] = rate_2
        qvel[3 * i + 2] = rate_3

        xy = cross(x, y)
        spin = (rate_1 * x[0] + rate_2 * y[0], rate_1 * x[1] + rate_2 * y[1], rate_1 * x[2] + rate_2 * y[2])
        turned_y = (rate_1 * xy[0], rate_1 * xy[1], rate_1 * xy[2])
        first_dot = cross(x, v_tip)
        second_dot = add(cross(turned_y, d), cross(y, v_tip))
        s_dot = cross(spin, s)
        rest = cross(w, turning)
        rest = (
            rest[0] - rate_1 * first_dot[0] - rate_2 * second_dot[0] - rate_3 * s_dot[0],
            rest[1] - rate_1 * first_dot[1] - rate_2 * second_dot[1] - rate_3 * s_dot[1],
            rest[2] - rate_1 * first_dot[2] - rate_2 * second_dot[2] - rate_3 * s_dot[2],
        )
        bias_rates[i, 0] = dot(first, rest) / n1
        bias_rates[i, 1] = dot(second, rest) / n2
        bias_rates[i, 2] = dot(s, rest)
        m = cross(r, s)
        for k in range(3):
            inverse_tip[i, 0, k] = first[k] / n1
            inverse_tip[i, 1, k] = second[k] / n2
            inverse_tip[i, 2, k] = s[k]
            jacobian[i, k] = s[k]
            jacobian[i, 3 + k] = m[k]
        length[i] = l
    for k in range(7):
        qpos[18 + k] = pose[k]
    w_local = rotate_back(rotation, w)
    for k in range(3):
        qvel[18 + k] = twist[k]
        qvel[21 + k] = w_local[k]


@kernel
def reduce_dynamics(mass, bias, platform, closure, free, compliance):
    """Write the closed machine's dynamics, u' = free + compliance (strut forces); False in a singular state.

    `mass` (24, 24) and `bias` (24,) are MuJoCo's, `closure` as of `close_loops`; `free` (6,) is the acceleration
    without strut forces and `compliance` (6, 6) = (T^T M T)^-1 J^T.
    """
    rotation, inverse_tip, bias_rates, jacobian, _ = closure
    reduced, inverse, work = np.zeros((6, 6)), np.empty((6, 6)), np.empty((6, 6))
    wrench = np.zeros(6)
    # MuJoCo's free joint: forces in base axes, torques in platform axes
    for i in range(3):
        wrench[i] = bias[18 + i]
        for j in range(3):
            reduced[i, j] = mass[18 + i, 18 + j]
            for k in range(3):
                wrench_part = rotation[i, k]
                if j == 0:
                    wrench[3 + i] += wrench_part * bias[21 + k]
                reduced[i, 3 + j] += mass[18 + i, 21 + k] * rotation[j, k]
                for n in range(3):
                    reduced[3 + i, 3 + j] += wrench_part * mass[21 + k, 21 + n] * rotation[j, n]
    for i in range(3):
        for j in range(3):
            reduced[3 + i, j] = reduced[j, 3 + i]

    tip_mass = np.empty((3, 3))
    moved = np.empty((3, 3))
    for i in range(6):
        g = inverse_tip[i]
        c = bias_rates[i]
        o = 3 * i
        load = np.empty(3)
        for a in range(3):
            load[a] = bias[o + a]
            for b in range(3):
                load[a] += mass[o + a, o + b] * c[b]
                moved[a, b] = (
                    mass[o + a, o] * g[0, b] + mass[o + a, o + 1] * g[1, b] + mass[o + a, o + 2] * g[2, b]
                )
        for a in range(3):
            for b in range(3):
                tip_mass[a, b] = g[0, a] * moved[0, b] + g[1, a] * moved[1, b] + g[2, a] * moved[2, b]
        r = rotate(rotation, at(platform, i))
        f = (
            g[0, 0] * load[0] + g[1, 0] * load[1] + g[2, 0] * load[2],
            g[0, 1] * load[0] + g[1, 1] * load[1] + g[2, 1] * load[2],
            g[0, 2] * load[0] + g[1, 2] * load[1] + g[2, 2] * load[2],
        )
        m = cross(r, f)
        for a in range(3):
            wrench[a] += f[a]
            wrench[3 + a] += m[a]
        for b in range(3):
            column = (tip_mass[0, b], tip_mass[1, b], tip_mass[2, b])
            arm_column = cross(r, column)  # [r]x D, the coupling of moment and translation
            for a in range(3):
                reduced[a, b] += column[a]
                reduced[3 + a, b] += arm_column[a]
                reduced[b, 3 + a] += arm_column[a]
                moved[a, b] = arm_column[a]
        for a in range(3):
            # [r]x D [r]x^T: rows of [r]x D crossed with r once more
            row = cross(r, (moved[a, 0], moved[a, 1], moved[a, 2]))
            for b in range(3):
                reduced[3 + a, 3 + b] += row[b]

    if not invert6(reduced, inverse, work):
        return False
    for i in range(6):
        free[i] = 0.0
        for k in range(6):
            free[i] -= inverse[i, k] * wrench[k]
            compliance[i, k] = 0.0
            for n in range(6):
                compliance[i, k] += inverse[i, n] * jacobian[k, n]
    return True
