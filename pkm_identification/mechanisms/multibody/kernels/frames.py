# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Places, velocities and accelerations of all frames of a tree, from the ground outwards."""

from __future__ import annotations

from pkm_identification.numerics.rotation import matrix_rows

from ..numbers.arithmetic import cosine, shared, sine
from .codes import (
    ALPHA,
    AXIS,
    BALL,
    COORDINATE,
    FIXED,
    KIND,
    NO_SPIN,
    OMEGA,
    ORIGIN,
    PARENT,
    PRISMATIC,
    REVOLUTE,
    SECOND,
    SIGN,
    SPEED,
    STATE,
    VELOCITY,
)
from .vectors import (
    add,
    add_scaled,
    at,
    column,
    cross,
    dot,
    part,
    scale,
    subtract,
    turn_vector,
    write,
    write_column,
    write_part,
)

_matrix_rows = shared(matrix_rows.py_func)  # type: ignore[attr-defined]


@shared
def place_frames(model, q, state, axes):
    """Write rotations and origins into the state (F, 8, 3) of the frames, and the axes (V, 3) of the velocities."""
    for f in range(model.frame.shape[0]):
        parent, kind = model.frame[f, PARENT], model.frame[f, KIND]
        origin = part(model.placement, f, ORIGIN)
        if parent < 0:
            write_part(state, f, ORIGIN, origin)
            for i in range(3):
                write_part(state, f, i, part(model.placement, f, i))
        else:
            write_part(state, f, ORIGIN, add(part(state, parent, ORIGIN), turn_vector(state, parent, origin)))
            for i in range(3):
                write_column(state, f, i, turn_vector(state, parent, column(model.placement, f, i)))
        if kind != FIXED:
            k, v = model.frame[f, COORDINATE], model.frame[f, VELOCITY]
            axis, sign = model.frame[f, AXIS], model.frame[f, SIGN]
            if kind == REVOLUTE:
                write(axes, v, scale(sign, column(state, f, axis)))
                _turn_frame(state, f, axis, cosine(q[k]), sign * sine(q[k]))
            elif kind == PRISMATIC:
                along = scale(sign, column(state, f, axis))
                write(axes, v, along)
                write_part(state, f, ORIGIN, add_scaled(part(state, f, ORIGIN), q[k], along))
            elif kind == BALL:
                _turn_by_quaternion(state, f, (q[k], q[k + 1], q[k + 2], q[k + 3]))
                for i in range(3):
                    write(axes, v + i, column(state, f, i))
            else:
                first = column(state, f, 0)
                _turn_frame(state, f, 0, cosine(q[k]), sine(q[k]))
                second = column(state, f, 1)
                _turn_frame(state, f, 1, cosine(q[k + 1]), sine(q[k + 1]))
                along = column(state, f, 2)
                write(axes, v, add_scaled(first, -dot(first, along), along))
                write(axes, v + 1, second)


@shared
def _turn_frame(state, f, axis, c, s):
    """Turn a frame about one of its axes."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    a, b = column(state, f, i), column(state, f, j)
    write_column(state, f, i, add_scaled(scale(c, a), s, b))
    write_column(state, f, j, add_scaled(scale(c, b), -s, a))


@shared
def _turn_by_quaternion(state, f, quaternion):
    """Turn a frame by a quaternion of any length."""
    x, y, z, w = quaternion
    a, b, c = _matrix_rows(x, y, z, w, 2 / (x * x + y * y + z * z + w * w))
    first = turn_vector(state, f, (a[0], b[0], c[0]))
    second = turn_vector(state, f, (a[1], b[1], c[1]))
    third = turn_vector(state, f, (a[2], b[2], c[2]))
    write_column(state, f, 0, first)
    write_column(state, f, 1, second)
    write_column(state, f, 2, third)


@shared
def move_frames(model, state, axes, v, a):
    """Write the frames' velocities and accelerations into their state.

    `v` and `a` (V,) are the tree's velocities and accelerations.
    """
    for f in range(model.frame.shape[0]):
        parent = model.frame[f, PARENT]
        if parent < 0:
            for i in range(3):
                # zero in the arithmetic at hand
                nothing = state[f, ORIGIN, i] * 0
                for quantity in range(OMEGA, STATE):
                    state[f, quantity, i] = nothing
            continue
        arm = subtract(part(state, f, ORIGIN), part(state, parent, ORIGIN))
        w, w_dot = part(state, parent, OMEGA), part(state, parent, ALPHA)
        swing = cross(w, arm)
        velocity = add(part(state, parent, SPEED), swing)
        acceleration = add(add(part(state, parent, SECOND), cross(w_dot, arm)), cross(w, swing))
        kind, k = model.frame[f, KIND], model.frame[f, VELOCITY]
        if kind == PRISMATIC:
            along = at(axes, k)
            slide = scale(v[k], along)
            velocity = add(velocity, slide)
            acceleration = add(acceleration, add_scaled(scale(2, cross(w, slide)), a[k], along))
        elif kind != FIXED:
            turning, change = scale(v[k], at(axes, k)), scale(a[k], at(axes, k))
            if kind != REVOLUTE:
                turning = add_scaled(turning, v[k + 1], at(axes, k + 1))
                change = add_scaled(change, a[k + 1], at(axes, k + 1))
            if kind == BALL:
                turning = add_scaled(turning, v[k + 2], at(axes, k + 2))
                change = add_scaled(change, a[k + 2], at(axes, k + 2))
            if kind == NO_SPIN:
                change = add(change, _compute_spinless_change(model, f, state, axes, v, turning))
            w_dot = add(w_dot, add(cross(w, turning), change))
            w = add(w, turning)
        write_part(state, f, OMEGA, w)
        write_part(state, f, ALPHA, w_dot)
        write_part(state, f, SPEED, velocity)
        write_part(state, f, SECOND, acceleration)


@shared
def _compute_spinless_change(model, f, state, axes, v, turning):
    """Return what the axes' own motion in the parent makes of a spinless joint's angular acceleration.

    The axes are x - (x . s) s and y, x the first hinge, y the second and s across both; s' = w x s, and y' = t1' x x y.
    """
    k = model.frame[f, VELOCITY]
    first = turn_vector(state, model.frame[f, PARENT], column(model.placement, f, 0))
    along = column(state, f, 2)
    s_dot = cross(turning, along)
    first_dot = add(scale(-dot(first, s_dot), along), scale(-dot(first, along), s_dot))
    second_dot = scale(v[k], cross(first, at(axes, k + 1)))
    return add(scale(v[k], first_dot), scale(v[k + 1], second_dot))
