"""Three-vectors as tuples inside kernels: Numba keeps them in registers, nothing is allocated."""

from __future__ import annotations

import numpy as np

from .compiled import inlined, kernel


@inlined
def at(array, i):
    return (array[i, 0], array[i, 1], array[i, 2])


@inlined
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inlined
def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@inlined
def add(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@inlined
def subtract(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@inlined
def scale(k, a):
    return (k * a[0], k * a[1], k * a[2])


@inlined
def add_scaled(a, k, b):
    return (a[0] + k * b[0], a[1] + k * b[1], a[2] + k * b[2])


@inlined
def perpendicular(a, s):
    """Part of a perpendicular to the unit vector s."""
    return add_scaled(a, -dot(a, s), s)


@inlined
def rotate(r, a):
    return (
        r[0, 0] * a[0] + r[0, 1] * a[1] + r[0, 2] * a[2],
        r[1, 0] * a[0] + r[1, 1] * a[1] + r[1, 2] * a[2],
        r[2, 0] * a[0] + r[2, 1] * a[1] + r[2, 2] * a[2],
    )


@inlined
def rotate_back(r, a):
    return (
        r[0, 0] * a[0] + r[1, 0] * a[1] + r[2, 0] * a[2],
        r[0, 1] * a[0] + r[1, 1] * a[1] + r[2, 1] * a[2],
        r[0, 2] * a[0] + r[1, 2] * a[1] + r[2, 2] * a[2],
    )


@kernel
def invert6(matrix, inverse, work):
    """Invert a 6 x 6 matrix by Gauss-Jordan with row pivoting; False when it is singular to rounding.

    `work` is 6 x 6 scratch; `matrix` is left as it is.
    """
    largest = 0.0
    total = 0.0
    for i in range(6):
        for j in range(6):
            work[i, j] = matrix[i, j]
            largest = max(largest, abs(matrix[i, j]))
            total += abs(matrix[i, j])  # unlike a maximum, a sum keeps every NaN
            inverse[i, j] = 1.0 if i == j else 0.0
    if not np.isfinite(total):
        return False
    for k in range(6):
        p = k
        for i in range(k + 1, 6):
            if abs(work[i, k]) > abs(work[p, k]):
                p = i
        if abs(work[p, k]) <= 1e-14 * largest:
            return False
        if p != k:
            for j in range(6):
                work[k, j], work[p, j] = work[p, j], work[k, j]
                inverse[k, j], inverse[p, j] = inverse[p, j], inverse[k, j]
        pivot = 1.0 / work[k, k]
        for j in range(6):
            work[k, j] *= pivot
            inverse[k, j] *= pivot
        for i in range(6):
            if i != k:
                factor = work[i, k]
                if factor != 0.0:
                    for j in range(6):
                        work[i, j] -= factor * work[k, j]
                        inverse[i, j] -= factor * inverse[k, j]
    return True
