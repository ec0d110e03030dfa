# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Small systems of equations inside kernels: a handful of outputs, six struts, eight coordinates of a pose.

Nothing is allocated: results replace what was handed over. LAPACK would cost more to call than these cost to solve.
Each algorithm is written once, for any size, and merged into kernels of a fixed size, which take half the time.
"""

from __future__ import annotations

import numpy as np

from .compiled import compile_inline, kernel

# Part of the largest entry below which a pivot is rounding.
SINGULAR = 1e-14


@compile_inline
def _factor(size, matrix, root):
    """See `lower_cholesky`."""
    for i in range(size):
        for j in range(i + 1):
            total = matrix[i, j]
            for k in range(j):
                total -= root[i, k] * root[j, k]
            if i == j:
                if not total > 0.0:
                    return False
                root[i, i] = np.sqrt(total)
            else:
                root[i, j] = total / root[j, j]
                root[j, i] = 0.0
    return True


@kernel
def lower_cholesky(matrix, root):
    """Write the lower triangular factor of a small matrix to `root`, which may be the matrix itself.

    False, with `root` spoilt, when the matrix is not positive definite or has a number that is not finite. Only the
    lower triangle is read.
    """
    return _factor(matrix.shape[0], matrix, root)


@kernel
def whiten_rows(noise_root, rows):
    """Multiply rows (m, n) by the inverse of the lower factor, in place."""
    size, width = rows.shape
    for i in range(size):
        for k in range(i):
            factor = noise_root[i, k]
            for j in range(width):
                rows[i, j] -= factor * rows[k, j]
        scale = 1.0 / noise_root[i, i]
        for j in range(width):
            rows[i, j] *= scale


@kernel
def whiten(noise_root, rows, innovation):
    """Multiply rows (m, P) and innovation (m,) by the inverse of the lower factor, in place."""
    whiten_rows(noise_root, rows)
    for i in range(innovation.size):
        for k in range(i):
            innovation[i] -= noise_root[i, k] * innovation[k]
        innovation[i] *= 1.0 / noise_root[i, i]


@kernel
def solve_positive6(matrix, columns):
    """Solve matrix X = columns (6, n) by Cholesky; X replaces `columns`, the factor `matrix` (6, 6).

    False, with both spoilt, when the matrix is not positive definite or has a number that is not finite. Only the
    lower triangle is read.
    """
    if not _factor(6, matrix, matrix):
        return False
    for c in range(columns.shape[1]):
        for i in range(6):
            for k in range(i):
                columns[i, c] -= matrix[i, k] * columns[k, c]
            columns[i, c] /= matrix[i, i]
        for i in range(5, -1, -1):
            for k in range(i + 1, 6):
                columns[i, c] -= matrix[k, i] * columns[k, c]
            columns[i, c] /= matrix[i, i]
    return True


@compile_inline
def _eliminate(size, matrix, vector):
    """Solve matrix x = vector (size,) by elimination with row pivoting; x replaces `vector`, `matrix` is spoilt.

    A singular matrix gives numbers that are not finite.
    """
    for k in range(size):
        p = k
        for i in range(k + 1, size):
            if abs(matrix[i, k]) > abs(matrix[p, k]):
                p = i
        if p != k:
            vector[k], vector[p] = vector[p], vector[k]
            for j in range(k, size):
                matrix[k, j], matrix[p, j] = matrix[p, j], matrix[k, j]
        for i in range(k + 1, size):
            factor = matrix[i, k] / matrix[k, k]
            if factor != 0.0:
                vector[i] -= factor * vector[k]
                for j in range(k + 1, size):
                    matrix[i, j] -= factor * matrix[k, j]
    for k in range(size - 1, -1, -1):
        for j in range(k + 1, size):
            vector[k] -= matrix[k, j] * vector[j]
        vector[k] /= matrix[k, k]


@kernel
def solve3(matrix, vector):
    """Solve a system of 3; see `_eliminate`."""
    _eliminate(3, matrix, vector)


@kernel
def solve_square(matrix, vector):
    """Solve a system of any size, five and six unknowns as fast as those of a stated size; see `_eliminate`."""
    size = vector.shape[0]
    if size == 6:
        _eliminate(6, matrix, vector)
    elif size == 5:
        _eliminate(5, matrix, vector)
    else:
        _eliminate(size, matrix, vector)


@compile_inline
def _invert(size, matrix, inverse, work):
    """Invert a square matrix by Gauss-Jordan with row pivoting; False when it is singular to rounding or not finite.

    `work` is scratch of the matrix's shape; `matrix` is left as it is.
    """
    largest = 0.0
    total = 0.0
    for i in range(size):
        for j in range(size):
            work[i, j] = matrix[i, j]
            largest = max(largest, abs(matrix[i, j]))
            total += abs(matrix[i, j])  # unlike a maximum, a sum keeps every NaN
            inverse[i, j] = 1.0 if i == j else 0.0
    if not np.isfinite(total):
        return False
    for k in range(size):
        p = k
        for i in range(k + 1, size):
            if abs(work[i, k]) > abs(work[p, k]):
                p = i
        if abs(work[p, k]) <= SINGULAR * largest:
            return False
        if p != k:
            for j in range(size):
                work[k, j], work[p, j] = work[p, j], work[k, j]
                inverse[k, j], inverse[p, j] = inverse[p, j], inverse[k, j]
        pivot = 1.0 / work[k, k]
        for j in range(size):
            work[k, j] *= pivot
            inverse[k, j] *= pivot
        for i in range(size):
            if i != k:
                factor = work[i, k]
                if factor != 0.0:
                    for j in range(size):
                        work[i, j] -= factor * work[k, j]
                        inverse[i, j] -= factor * inverse[k, j]
    return True


@kernel
def invert6(matrix, inverse, work):
    """Invert a 6 x 6 matrix; see `_invert`."""
    return _invert(6, matrix, inverse, work)


@kernel
def invert8(matrix, inverse, work):
    """Invert an 8 x 8 matrix; see `_invert`."""
    return _invert(8, matrix, inverse, work)


@kernel
def determinant6(matrix):
    """Determinant of a 6 x 6 matrix, by elimination with row pivoting; `matrix` is spoilt."""
    determinant = 1.0
    for k in range(6):
        p = k
        for i in range(k + 1, 6):
            if abs(matrix[i, k]) > abs(matrix[p, k]):
                p = i
        if p != k:
            determinant = -determinant
            for j in range(k, 6):
                matrix[k, j], matrix[p, j] = matrix[p, j], matrix[k, j]
        determinant *= matrix[k, k]
        if determinant == 0.0:
            break
        for i in range(k + 1, 6):
            factor = matrix[i, k] / matrix[k, k]
            for j in range(k + 1, 6):
                matrix[i, j] -= factor * matrix[k, j]
    return determinant
