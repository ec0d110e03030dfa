# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Values, rates and second derivatives of rows.

The rate of every row but a combination is f . (v_b - v_a) + m . (w_b - w_a), v the velocity of either frame as if the
point P_b were fixed in it: a unit multiplier is a force f at P_b and a moment m between the two frames. Hence a row of
the Jacobian is what that pair does to the axes of the tree, found by walking from either frame to the ground.
"""

from __future__ import annotations

from ..numbers.arithmetic import angle_of, cosine, shared, sine
from .codes import (
    ALPHA,
    ANGLE,
    AXES,
    COMBINATION,
    DIRECTION_A,
    DIRECTION_B,
    FRAME_A,
    FRAME_B,
    HOLDER,
    LENGTH,
    LEVER,
    NUMBERS,
    OMEGA,
    ORIGIN,
    PARENT,
    POINT,
    POINT_A,
    POINT_B,
    ROTATES,
    ROW_KIND,
    SCALAR,
    SECOND,
    SPEED,
    SPIN,
    TURN,
    TURNS,
    VELOCITY,
)
from .vectors import add, at, column, cross, dot, part, scale, subtract, turn_vector


@shared
def _combine_coordinates(model, r, q):
    """Return a row's combination of joint coordinates."""
    total = model.vector[r, NUMBERS, 0]
    for k in range(model.velocity.shape[0]):
        if model.factor[r, k] != 0:
            total = total + model.factor[r, k] * q[model.velocity[k, SCALAR]]
    return total


@shared
def _locate_points(model, r, state):
    """P_a and P_b of a row."""
    a, b = model.row[r, FRAME_A], model.row[r, FRAME_B]
    return (
        add(part(state, a, ORIGIN), turn_vector(state, a, part(model.vector, r, POINT_A))),
        add(part(state, b, ORIGIN), turn_vector(state, b, part(model.vector, r, POINT_B))),
    )


@shared
def _turn_axes(model, r, state):
    """The axes of an angle's three turns, the first fixed in frame a, the last in frame b, the second across both."""
    first = column(state, model.row[r, FRAME_A], model.row[r, TURNS])
    last = column(state, model.row[r, FRAME_B], model.row[r, TURNS + 2])
    across = (
        cross(last, first) if (model.row[r, TURNS + 1] - model.row[r, TURNS]) % 3 == 1 else cross(first, last)
    )
    size = dot(across, across) ** 0.5
    return first, scale(1 / size, across), last


@shared
def _compute_cosine_and_sine(model, r, state):
    """Of the angle of a row of kind ANGLE: R = A_i(t1) A_j(t2) A_k(t3) of frame b in frame a, |t2| < 90 degrees."""
    outer, inner = model.row[r, FRAME_A], model.row[r, FRAME_B]
    i, j, k, which = (
        model.row[r, TURNS],
        model.row[r, TURNS + 1],
        model.row[r, TURNS + 2],
        model.row[r, TURNS + 3],
    )
    sign = 1 if (j - i) % 3 == 1 else -1
    first, second, last = _turn_axes(model, r, state)
    if which == 0:
        return dot(second, column(state, outer, j)), dot(second, column(state, outer, k)) * sign
    if which == 1:
        return dot(cross(first, second), last) * sign, dot(first, last) * sign
    return dot(second, column(state, inner, j)), dot(second, column(state, inner, i)) * sign


@shared
def row_value(model, r, q, state):
    """Return a row's value: m, rad or a product of unit vectors; TURN and SPIN rows have none."""
    kind = model.row[r, ROW_KIND]
    if kind == COMBINATION:
        return _combine_coordinates(model, r, q)
    if kind == LEVER:
        return _compute_lever(model, r, q)[0]
    if kind == AXES:
        a, b = model.row[r, FRAME_A], model.row[r, FRAME_B]
        return dot(
            turn_vector(state, a, part(model.vector, r, DIRECTION_A)),
            turn_vector(state, b, part(model.vector, r, DIRECTION_B)),
        )
    if kind == ANGLE:
        c, s = _compute_cosine_and_sine(model, r, state)
        return angle_of(s, c)
    if kind in (TURN, SPIN):
        return model.vector[r, NUMBERS, 0] * 0
    p_a, p_b = _locate_points(model, r, state)
    span = subtract(p_b, p_a)
    if kind == LENGTH:
        return dot(span, span) ** 0.5
    return dot(turn_vector(state, model.row[r, FRAME_A], part(model.vector, r, DIRECTION_A)), span)


@shared
def compute_row_residual(model, r, q, state, target, wanted, n):
    """Return how far a row is from its target; `wanted` (N, 3, 3), its row n, is what TURN rows are to reach."""
    kind = model.row[r, ROW_KIND]
    if kind == ANGLE:
        c, s = _compute_cosine_and_sine(model, r, state)
        size = (c * c + s * s) ** 0.5
        return (s * cosine(target) - c * sine(target)) / size
    if kind == TURN:
        b, axis = model.row[r, FRAME_B], model.row[r, TURNS]
        i, j = (axis + 1) % 3, (axis + 2) % 3
        total = state[b, 0, 0] * 0
        for k in range(3):
            total = total + wanted[n, i, k] * state[b, j, k] - wanted[n, j, k] * state[b, i, k]
        return total * 0.5
    return row_value(model, r, q, state) - target


@shared
def _pair(model, r, state):
    """Force f and moment m of a unit multiplier of a row, and the point P_b."""
    kind = model.row[r, ROW_KIND]
    a, b = model.row[r, FRAME_A], model.row[r, FRAME_B]
    p_a, p_b = _locate_points(model, r, state)
    nothing = scale(0, p_b)
    if kind == POINT:
        return turn_vector(state, a, part(model.vector, r, DIRECTION_A)), nothing, p_b
    if kind == SPIN:
        return nothing, turn_vector(state, a, part(model.vector, r, DIRECTION_A)), p_b
    if kind == LENGTH:
        span = subtract(p_b, p_a)
        return scale(1 / dot(span, span) ** 0.5, span), nothing, p_b
    if kind == AXES:
        u, w = (
            turn_vector(state, a, part(model.vector, r, DIRECTION_A)),
            turn_vector(state, b, part(model.vector, r, DIRECTION_B)),
        )
        return nothing, cross(w, u), p_b
    if kind == TURN:
        axis = model.row[r, TURNS]
        one, none = 1 + nothing[0], nothing[0]
        return (
            nothing,
            (one if axis == 0 else none, one if axis == 1 else none, one if axis == 2 else none),
            p_b,
        )
    return nothing, _compute_angle_moment(model, r, state), p_b


@shared
def _compute_angle_moment(model, r, state):
    """The moment that gives an angle's rate from the relative angular velocity w = E (t1', t2', t3'): a row of E^-1."""
    first, second, last = _turn_axes(model, r, state)
    which = model.row[r, TURNS + 3]
    volume = dot(first, cross(second, last))
    if which == 0:
        return scale(1 / volume, cross(second, last))
    if which == 1:
        return scale(1 / volume, cross(last, first))
    return scale(1 / volume, cross(first, second))


@shared
def fill_row(model, r, q, state, axes, matrix, i):
    """Write row i of a Jacobian (n, V): the rate of row r's value per unit of every velocity."""
    kind = model.row[r, ROW_KIND]
    if kind in (COMBINATION, LEVER):
        gain = _compute_lever(model, r, q)[1] if kind == LEVER else 1 + model.vector[r, NUMBERS, 0] * 0
        for k in range(matrix.shape[1]):
            matrix[i, k] = model.factor[r, k] * gain
        return
    for k in range(matrix.shape[1]):
        matrix[i, k] = model.vector[r, NUMBERS, 0] * 0
    f, m, p = _pair(model, r, state)
    moment = add(m, cross(p, f))
    _walk(model, model.row[r, FRAME_B], 1, f, moment, state, axes, matrix, i)
    _walk(model, model.row[r, FRAME_A], -1, f, moment, state, axes, matrix, i)


@shared
def _compute_lever(model, r, q):
    """Return a lever's L and its first and second derivative by x: L^2 = square + twice cos x."""
    x, twice = _combine_coordinates(model, r, q), model.vector[r, NUMBERS, 2]
    c = cosine(x)
    length = (model.vector[r, NUMBERS, 1] + twice * c) ** 0.5
    slope = -twice * sine(x) / (2 * length)
    return length, slope, -(slope * slope + twice * c / 2) / length


@shared
def _walk(model, frame, sign, force, moment, state, axes, matrix, i):
    """Add what a force and a moment about the ground's origin, on a frame, do to each velocity that moves it."""
    f = frame
    while f > 0:
        k = model.frame[f, VELOCITY]
        if k >= 0:
            here = subtract(moment, cross(part(state, f, ORIGIN), force))
            while k < model.velocity.shape[0] and model.velocity[k, HOLDER] == f:
                matrix[i, k] += sign * (
                    dot(at(axes, k), here) if model.velocity[k, ROTATES] else dot(at(axes, k), force)
                )
                k += 1
        f = model.frame[f, PARENT]


@shared
def row_drift(model, r, q, v, state):
    """A row's second derivative while the tree's accelerations are zero; `alpha` and `second` are of that motion.

    Not of SPIN rows, whose rates are all that is asked for.
    """
    kind = model.row[r, ROW_KIND]
    if kind == COMBINATION:
        return model.vector[r, NUMBERS, 0] * 0
    if kind == LEVER:
        rate = model.vector[r, NUMBERS, 0] * 0
        for k in range(v.shape[0]):
            rate = rate + model.factor[r, k] * v[k]
        return _compute_lever(model, r, q)[2] * rate * rate
    a, b = model.row[r, FRAME_A], model.row[r, FRAME_B]
    w_a, w_b, al_a, al_b = (
        part(state, a, OMEGA),
        part(state, b, OMEGA),
        part(state, a, ALPHA),
        part(state, b, ALPHA),
    )
    if kind == AXES:
        u, w = (
            turn_vector(state, a, part(model.vector, r, DIRECTION_A)),
            turn_vector(state, b, part(model.vector, r, DIRECTION_B)),
        )
        u_dot, w_dot = cross(w_a, u), cross(w_b, w)
        u_ddot, w_ddot = add(cross(al_a, u), cross(w_a, u_dot)), add(cross(al_b, w), cross(w_b, w_dot))
        return dot(u_ddot, w) + 2 * dot(u_dot, w_dot) + dot(u, w_ddot)
    if kind == TURN:
        m = _pair(model, r, state)[1]
        return dot(m, subtract(al_b, al_a))
    if kind == ANGLE:
        return _compute_angle_drift(model, r, state, w_a, w_b, al_a, al_b)
    arm_a = turn_vector(state, a, part(model.vector, r, POINT_A))
    arm_b = turn_vector(state, b, part(model.vector, r, POINT_B))
    p_a, p_b = add(part(state, a, ORIGIN), arm_a), add(part(state, b, ORIGIN), arm_b)
    swing_a, swing_b = cross(w_a, arm_a), cross(w_b, arm_b)
    span = subtract(p_b, p_a)
    first = subtract(add(part(state, b, SPEED), swing_b), add(part(state, a, SPEED), swing_a))
    change = subtract(
        add(add(part(state, b, SECOND), cross(al_b, arm_b)), cross(w_b, swing_b)),
        add(add(part(state, a, SECOND), cross(al_a, arm_a)), cross(w_a, swing_a)),
    )
    if kind == LENGTH:
        length = dot(span, span) ** 0.5
        rate = dot(span, first) / length
        return dot(span, change) / length + (dot(first, first) - rate * rate) / length
    d = turn_vector(state, a, part(model.vector, r, DIRECTION_A))
    d_dot = cross(w_a, d)
    d_ddot = add(cross(al_a, d), cross(w_a, d_dot))
    return dot(d_ddot, span) + 2 * dot(d_dot, first) + dot(d, change)


@shared
def _compute_angle_drift(model, r, state, w_a, w_b, al_a, al_b):
    """An angle's second derivative: m . (alpha - what the axes' own motion adds), w = e1 t1' + e2 t2' + e3 t3'."""
    first, second, last = _turn_axes(model, r, state)
    m = _compute_angle_moment(model, r, state)
    w = subtract(w_b, w_a)
    volume = dot(first, cross(second, last))
    t1 = dot(cross(second, last), w) / volume
    t2 = dot(cross(last, first), w) / volume
    t3 = dot(cross(first, second), w) / volume
    # e1 turns with frame a, e2 with the frame after the first turn, e3 with frame b
    middle = add(w_a, scale(t1, first))
    own = add(
        add(scale(t1, cross(w_a, first)), scale(t2, cross(middle, second))), scale(t3, cross(w_b, last))
    )
    return dot(m, subtract(subtract(al_b, al_a), own))
