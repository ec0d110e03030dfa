# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Forces, regressors, mass matrices and energies of a closed mechanism, in its driven coordinates.

With v = B s' the tree's velocities per unit of the driven ones (constraints and drives stacked: A v = (0, s'), B the
last columns of A^-1), the driven forces of what acts on the bodies are B^T sum_i J_i^T W_i by virtual power.
Wrenches are collected about the ground's origin from the leaves inwards and read off at the axes, then A^-T is
applied once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import register_jitable

from pkm_identification.numerics.compiled import kernel

from ..numbers.arithmetic import shared
from .closing import fill_rows, fill_scales
from .codes import (
    ALPHA,
    BALL,
    FIXED,
    HOLDER,
    KIND,
    NO_SPIN,
    OMEGA,
    ORIGIN,
    PARENT,
    PRISMATIC,
    ROTATES,
    SECOND,
    SPEED,
    STATE,
    VELOCITY,
)
from .frames import move_frames, place_frames
from .linear import factorize, solve_factored, solve_transposed
from .vectors import (
    add,
    add_scaled,
    at,
    cross,
    dot,
    part,
    scale,
    subtract,
    turn_vector,
    turn_vector_back,
    write,
)

PARAMETERS = 10


class TreeMotion(NamedTuple):
    """Of N samples of the tree: configurations (N, Q), velocities and accelerations (N, V)."""

    configuration: Any
    velocity: Any
    acceleration: Any


@shared
def _multiply_inertia(w, b, u):
    """Inertia of body b about its origin times a vector, body axes."""
    xx, yy, zz, xy, xz, yz = w[b, 4], w[b, 5], w[b, 6], w[b, 7], w[b, 8], w[b, 9]
    return (
        xx * u[0] + xy * u[1] + xz * u[2],
        xy * u[0] + yy * u[1] + yz * u[2],
        xz * u[0] + yz * u[1] + zz * u[2],
    )


@shared
def _gather(model, w, load, state, force, moment):
    """Write the wrench that each frame must receive, about the ground's origin, its descendants' included (F, 3).

    `load` (B, 6) is the external force and moment on each body at its frame's origin, ground axes.
    """
    nothing = state[0, ORIGIN, 0] * 0
    for f in range(model.frame.shape[0]):
        for i in range(3):
            force[f, i] = moment[f, i] = nothing
    g = (model.gravity[0], model.gravity[1], model.gravity[2])
    for b in range(model.body.shape[0]):
        f = model.body[b]
        origin = part(state, f, ORIGIN)
        pull = subtract(part(state, f, SECOND), g)
        turn, spin = part(state, f, OMEGA), part(state, f, ALPHA)
        arm = turn_vector(state, f, (w[b, 1], w[b, 2], w[b, 3]))
        push = add(scale(w[b, 0], pull), add(cross(spin, arm), cross(turn, cross(turn, arm))))
        turn_b = turn_vector_back(state, f, turn)
        euler = add(
            _multiply_inertia(w, b, turn_vector_back(state, f, spin)),
            cross(turn_b, _multiply_inertia(w, b, turn_b)),
        )
        couple = add(cross(arm, pull), turn_vector(state, f, euler))
        push = subtract(push, (load[b, 0], load[b, 1], load[b, 2]))
        couple = subtract(couple, (load[b, 3], load[b, 4], load[b, 5]))
        write(force, f, add(at(force, f), push))
        write(moment, f, add(at(moment, f), add(couple, cross(origin, push))))
    for f in range(model.frame.shape[0] - 1, 0, -1):
        parent = model.frame[f, PARENT]
        write(force, parent, add(at(force, parent), at(force, f)))
        write(moment, parent, add(at(moment, parent), at(moment, f)))


@shared
def _read_off(model, state, axes, force, moment, tree):
    """Write the generalised forces (V,) of the frames' wrenches."""
    for k in range(model.velocity.shape[0]):
        f = model.velocity[k, HOLDER]
        if model.velocity[k, ROTATES]:
            tree[k] = dot(at(axes, k), subtract(at(moment, f), cross(part(state, f, ORIGIN), at(force, f))))
        else:
            tree[k] = dot(at(axes, k), at(force, f))


@kernel
def driven_forces(model, chosen, drives, w, load, passive, motion, tau, pivot):
    """Write the forces (N, drives) that a motion needs along the driven coordinates.

    Parameters
    ----------
    model : Model
    chosen : ndarray of int64, shape (V,)
        Constraints and then drives; empty for the forces (N, V) along the open tree's own velocities.
    drives : int
    w : ndarray, shape (B, 10)
        The bodies' parameters.
    load : ndarray, shape (1 or N, B, 6)
        External force and moment on each body at its frame's origin, ground axes.
    passive : ndarray, shape (1 or N, V)
        Forces needed along the tree's own velocities as well, as against friction of passive joints.
    motion : TreeMotion
    tau, pivot : ndarray
        Results; NaN is left to the caller where the pivot is zero.
    """
    q, v, a = motion.configuration, motion.velocity, motion.acceleration
    frames, velocities = model.frame.shape[0], model.velocity.shape[0]
    state = np.zeros((frames, STATE, 3), dtype=q.dtype)
    axes = np.zeros((velocities, 3), dtype=q.dtype)
    matrix = np.zeros((velocities, velocities), dtype=q.dtype)
    order = np.zeros(velocities, dtype=np.int64)
    scales = np.zeros((2, velocities), dtype=q.dtype)
    tree = np.zeros(velocities, dtype=q.dtype)
    force = np.zeros((frames, 3), dtype=q.dtype)
    moment = np.zeros((frames, 3), dtype=q.dtype)
    for n in range(q.shape[0]):
        place_frames(model, q[n], state, axes)
        move_frames(model, state, axes, v[n], a[n])
        acting = load[min(n, load.shape[0] - 1)]
        _gather(model, w, acting, state, force, moment)
        _read_off(model, state, axes, force, moment, tree)
        for k in range(velocities):
            tree[k] = tree[k] + passive[min(n, passive.shape[0] - 1), k]
        if chosen.shape[0] == 0:
            for k in range(velocities):
                tau[n, k] = tree[k]
            pivot[n] = tree[0] * 0 + 1
            continue
        fill_rows(model, chosen, q[n], state, axes, matrix)
        fill_scales(model, chosen, scales)
        pivot[n] = factorize(matrix, order, scales)
        if pivot[n] == 0:
            continue
        solve_transposed(matrix, order, tree)
        for i in range(drives):
            tau[n, i] = tree[velocities - drives + i]


@shared
def _write_unit_motions(model, state, axes, gain, turn, shift):
    """Write angular velocity and velocity of each frame's origin (F, 3, m) per unit of m drives, `gain` (V, m)."""
    for f in range(model.frame.shape[0]):
        parent, kind, k = model.frame[f, PARENT], model.frame[f, KIND], model.frame[f, VELOCITY]
        for i in range(gain.shape[1]):
            if parent < 0:
                for j in range(3):
                    turn[f, j, i] = shift[f, j, i] = state[0, ORIGIN, 0] * 0
                continue
            w = (turn[parent, 0, i], turn[parent, 1, i], turn[parent, 2, i])
            u = (shift[parent, 0, i], shift[parent, 1, i], shift[parent, 2, i])
            u = add(u, cross(w, subtract(part(state, f, ORIGIN), part(state, parent, ORIGIN))))
            if kind == PRISMATIC:
                u = add_scaled(u, gain[k, i], at(axes, k))
            elif kind != FIXED:
                w = add_scaled(w, gain[k, i], at(axes, k))
                if kind in (BALL, NO_SPIN):
                    w = add_scaled(w, gain[k + 1, i], at(axes, k + 1))
                if kind == BALL:
                    w = add_scaled(w, gain[k + 2, i], at(axes, k + 2))
            turn[f, 0, i], turn[f, 1, i], turn[f, 2, i] = w
            shift[f, 0, i], shift[f, 1, i], shift[f, 2, i] = u


@shared
def _fill_gain(matrix, order, drives, unit, gain):
    """Write B (V, drives): the last columns of the inverse of a factored matrix."""
    velocities = matrix.shape[0]
    for i in range(drives):
        for k in range(velocities):
            unit[k] = matrix[0, 0] * 0
        unit[velocities - drives + i] = unit[0] + 1
        solve_factored(matrix, order, unit)
        for k in range(velocities):
            gain[k, i] = unit[k]


@kernel
def read_unit_motions(model, q, gain, turn, shift):
    """Write angular velocities and velocities (B, 3, m) of the bodies' frames at one configuration, in their own axes.

    `gain` (V, m) has the tree's velocities in m motions.
    """
    frames, motions = model.frame.shape[0], gain.shape[1]
    state = np.zeros((frames, STATE, 3), dtype=q.dtype)
    axes = np.zeros((model.velocity.shape[0], 3), dtype=q.dtype)
    turns = np.zeros((frames, 3, motions), dtype=q.dtype)
    shifts = np.zeros((frames, 3, motions), dtype=q.dtype)
    place_frames(model, q, state, axes)
    _write_unit_motions(model, state, axes, gain, turns, shifts)
    for b in range(model.body.shape[0]):
        f = model.body[b]
        for i in range(motions):
            w = turn_vector_back(state, f, (turns[f, 0, i], turns[f, 1, i], turns[f, 2, i]))
            u = turn_vector_back(state, f, (shifts[f, 0, i], shifts[f, 1, i], shifts[f, 2, i]))
            turn[b, 0, i], turn[b, 1, i], turn[b, 2, i] = w
            shift[b, 0, i], shift[b, 1, i], shift[b, 2, i] = u


@register_jitable
def _allocate_room(model, drives, q):
    """Arrays for one configuration, in the arithmetic of q; `shared` functions allocate nothing, this one must."""
    frames, velocities = model.frame.shape[0], model.velocity.shape[0]
    state = np.zeros((frames, STATE, 3), dtype=q.dtype)
    axes, unit = np.zeros((velocities, 3), dtype=q.dtype), np.zeros(velocities, dtype=q.dtype)
    matrix, gain = (
        np.zeros((velocities, velocities), dtype=q.dtype),
        np.zeros((velocities, drives), dtype=q.dtype),
    )
    order = np.zeros(velocities, dtype=np.int64)
    scales = np.zeros((2, velocities), dtype=q.dtype)
    turn = np.zeros((frames, 3, drives), dtype=q.dtype)
    shift = np.zeros((frames, 3, drives), dtype=q.dtype)
    return state, axes, unit, matrix, gain, order, scales, turn, shift


@kernel
def fill_regressor(model, chosen, drives, q, v, a, regressor, pivot):
    """Write the driven forces (N, drives, 10 B) per unit of every body's parameters."""
    state, axes, unit, matrix, gain, order, scales, turn, shift = _allocate_room(model, drives, q)
    g = (model.gravity[0], model.gravity[1], model.gravity[2])
    for n in range(q.shape[0]):
        place_frames(model, q[n], state, axes)
        move_frames(model, state, axes, v[n], a[n])
        fill_rows(model, chosen, q[n], state, axes, matrix)
        fill_scales(model, chosen, scales)
        pivot[n] = factorize(matrix, order, scales)
        if pivot[n] == 0:
            continue
        _fill_gain(matrix, order, drives, unit, gain)
        _write_unit_motions(model, state, axes, gain, turn, shift)
        for b in range(model.body.shape[0]):
            f = model.body[b]
            w, al = (
                turn_vector_back(state, f, part(state, f, OMEGA)),
                turn_vector_back(state, f, part(state, f, ALPHA)),
            )
            pull = turn_vector_back(state, f, subtract(part(state, f, SECOND), g))
            for i in range(drives):
                u = turn_vector_back(state, f, (shift[f, 0, i], shift[f, 1, i], shift[f, 2, i]))
                t = turn_vector_back(state, f, (turn[f, 0, i], turn[f, 1, i], turn[f, 2, i]))
                _write_body_columns(u, t, pull, w, al, regressor[n, i, PARAMETERS * b : PARAMETERS * (b + 1)])


@shared
def _write_body_columns(u, t, pull, w, al, columns):
    """Write the power of a body's inertial wrench per unit of its parameters in a virtual motion; all in body axes.

    Force m a + (al x + w x w x) h and moment h x a + I al + w x I w at the body's origin, against velocity u and
    angular velocity t there.
    """
    columns[0] = dot(u, pull)
    # triple products exchanged cyclically until h stands alone
    first = add(add(cross(u, al), cross(w, cross(w, u))), cross(pull, t))
    columns[1], columns[2], columns[3] = first
    # t . (I al + w x I w) = t . I al + (t x w) . I w
    s = cross(t, w)
    columns[4] = t[0] * al[0] + s[0] * w[0]
    columns[5] = t[1] * al[1] + s[1] * w[1]
    columns[6] = t[2] * al[2] + s[2] * w[2]
    columns[7] = t[0] * al[1] + t[1] * al[0] + s[0] * w[1] + s[1] * w[0]
    columns[8] = t[0] * al[2] + t[2] * al[0] + s[0] * w[2] + s[2] * w[0]
    columns[9] = t[1] * al[2] + t[2] * al[1] + s[1] * w[2] + s[2] * w[1]


@kernel
def fill_mass(model, chosen, drives, w, q, mass, pivot):
    """Write the mass matrices (N, drives, drives) in driven coordinates; of the open tree with `chosen` empty."""
    velocities = model.velocity.shape[0]
    state, axes, unit, matrix, gain, order, scales, turn, shift = _allocate_room(model, drives, q)
    for n in range(q.shape[0]):
        place_frames(model, q[n], state, axes)
        if chosen.shape[0] == velocities:
            fill_rows(model, chosen, q[n], state, axes, matrix)
            fill_scales(model, chosen, scales)
            pivot[n] = factorize(matrix, order, scales)
            if pivot[n] == 0:
                continue
            _fill_gain(matrix, order, drives, unit, gain)
        else:
            pivot[n] = q[n, 0] * 0 + 1
            for k in range(velocities):
                gain[k, k] = pivot[n]
        _write_unit_motions(model, state, axes, gain, turn, shift)
        for i in range(drives):
            for j in range(drives):
                mass[n, i, j] = q[n, 0] * 0
        for b in range(model.body.shape[0]):
            f = model.body[b]
            h = (w[b, 1], w[b, 2], w[b, 3])
            for j in range(drives):
                u_j = turn_vector_back(state, f, (shift[f, 0, j], shift[f, 1, j], shift[f, 2, j]))
                t_j = turn_vector_back(state, f, (turn[f, 0, j], turn[f, 1, j], turn[f, 2, j]))
                push = add(scale(w[b, 0], u_j), cross(t_j, h))
                couple = add(_multiply_inertia(w, b, t_j), cross(h, u_j))
                for i in range(j + 1):
                    u_i = turn_vector_back(state, f, (shift[f, 0, i], shift[f, 1, i], shift[f, 2, i]))
                    t_i = turn_vector_back(state, f, (turn[f, 0, i], turn[f, 1, i], turn[f, 2, i]))
                    mass[n, i, j] = mass[n, i, j] + dot(u_i, push) + dot(t_i, couple)
        for j in range(drives):
            for i in range(j):
                mass[n, j, i] = mass[n, i, j]


@kernel
def fill_energy(model, w, q, v, kinetic, potential):
    """Write kinetic and potential energies (N,), J; heights are measured from the ground's origin."""
    frames, velocities = model.frame.shape[0], model.velocity.shape[0]
    state = np.zeros((frames, STATE, 3), dtype=q.dtype)
    axes = np.zeros((velocities, 3), dtype=q.dtype)
    g = (model.gravity[0], model.gravity[1], model.gravity[2])
    for n in range(q.shape[0]):
        place_frames(model, q[n], state, axes)
        move_frames(model, state, axes, v[n], v[n])
        kinetic[n] = potential[n] = q[n, 0] * 0
        for b in range(model.body.shape[0]):
            f = model.body[b]
            u, t = (
                turn_vector_back(state, f, part(state, f, SPEED)),
                turn_vector_back(state, f, part(state, f, OMEGA)),
            )
            h = (w[b, 1], w[b, 2], w[b, 3])
            kinetic[n] = kinetic[n] + (
                w[b, 0] * dot(u, u) / 2 + dot(u, cross(t, h)) + dot(t, _multiply_inertia(w, b, t)) / 2
            )
            lever = add_scaled(turn_vector(state, f, h), w[b, 0], part(state, f, ORIGIN))
            potential[n] = potential[n] - dot(g, lever)


@kernel
def fill_energy_columns(model, q, v, energy):
    """Write kinetic and potential energy (N, 10 B) per unit of every body's parameters; heights as in `fill_energy`."""
    frames, velocities = model.frame.shape[0], model.velocity.shape[0]
    state = np.zeros((frames, STATE, 3), dtype=q.dtype)
    axes = np.zeros((velocities, 3), dtype=q.dtype)
    g = (model.gravity[0], model.gravity[1], model.gravity[2])
    for n in range(q.shape[0]):
        place_frames(model, q[n], state, axes)
        move_frames(model, state, axes, v[n], v[n])
        for b in range(model.body.shape[0]):
            f = model.body[b]
            u, t = (
                turn_vector_back(state, f, part(state, f, SPEED)),
                turn_vector_back(state, f, part(state, f, OMEGA)),
            )
            columns = energy[n, PARAMETERS * b : PARAMETERS * (b + 1)]
            columns[0] = dot(u, u) / 2 - dot(g, part(state, f, ORIGIN))
            columns[1], columns[2], columns[3] = subtract(cross(u, t), turn_vector_back(state, f, g))
            for k in range(3):
                columns[4 + k] = t[k] * t[k] / 2
            columns[7], columns[8], columns[9] = t[0] * t[1], t[0] * t[2], t[1] * t[2]
