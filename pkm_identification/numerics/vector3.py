# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Three-vectors as tuples inside kernels: Numba keeps them in registers, nothing is allocated."""

from __future__ import annotations

from .compiled import compile_inline


@compile_inline
def at(array, i):
    return (array[i, 0], array[i, 1], array[i, 2])


@compile_inline
def three(array, start):
    """Three numbers of an array as a vector: of a twist the velocity (0) or the angular velocity (3)."""
    return (array[start], array[start + 1], array[start + 2])


@compile_inline
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@compile_inline
def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@compile_inline
def add(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@compile_inline
def subtract(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@compile_inline
def scale(k, a):
    return (k * a[0], k * a[1], k * a[2])


@compile_inline
def add_scaled(a, k, b):
    return (a[0] + k * b[0], a[1] + k * b[1], a[2] + k * b[2])


@compile_inline
def perpendicular(a, s):
    """Part of a perpendicular to the unit vector s."""
    return add_scaled(a, -dot(a, s), s)


@compile_inline
def rotate(r, a):
    return (
        r[0, 0] * a[0] + r[0, 1] * a[1] + r[0, 2] * a[2],
        r[1, 0] * a[0] + r[1, 1] * a[1] + r[1, 2] * a[2],
        r[2, 0] * a[0] + r[2, 1] * a[1] + r[2, 2] * a[2],
    )


@compile_inline
def rotate_back(r, a):
    return (
        r[0, 0] * a[0] + r[1, 0] * a[1] + r[2, 0] * a[2],
        r[0, 1] * a[0] + r[1, 1] * a[1] + r[2, 1] * a[2],
        r[0, 2] * a[0] + r[1, 2] * a[1] + r[2, 2] * a[2],
    )
