# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Square roots of covariances: the update that cannot lose positive definiteness.

With w = mean + S z the prior of z is the unit normal. A scalar measurement with row h (in z) and unit noise
multiplies S by 1 - beta h^T h (Potter), a contraction: no subtraction of covariances ever happens.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.numerics.compiled import kernel, pad_width
from pkm_identification.numerics.linear_systems import lower_cholesky
from pkm_identification.numerics.rows import combine, dot

# Each column of a matrix with few rows leaves the next a remainder of rounding, 1e-16 times as large: without an end
# the square of its length underflows, and what is divided by it is no number
LEAST_NORM = 1e-140


@kernel
def triangularize(matrix, width):
    """Reduce the first `width` columns to a triangle on top by Householder reflections, in place; zeros below."""
    height = matrix.shape[0]
    for k in range(width):
        norm = 0.0
        for i in range(k, height):
            norm += matrix[i, k] ** 2
        norm = np.sqrt(norm)
        if norm < LEAST_NORM:
            for i in range(k, height):
                matrix[i, k] = 0.0
            continue
        if matrix[k, k] > 0.0:
            norm = -norm
        matrix[k, k] -= norm
        length = 0.0
        for i in range(k, height):
            length += matrix[i, k] ** 2
        if length > 0.0:
            for j in range(k + 1, matrix.shape[1]):
                inner = 0.0
                for i in range(k, height):
                    inner += matrix[i, k] * matrix[i, j]
                inner *= 2.0 / length
                for i in range(k, height):
                    matrix[i, j] -= inner * matrix[i, k]
        matrix[k, k] = norm
        for i in range(k + 1, height):
            matrix[i, k] = 0.0


@kernel
def inflate(root, variance, work):
    """Make `root` a square root of root root^T + diag(variance), by Householder reflections.

    `work` is (2 P, P) scratch.
    """
    size = root.shape[0]
    for i in range(size):
        for j in range(size):
            work[j, i] = root[i, j]
            work[size + j, i] = np.sqrt(variance[i]) if i == j else 0.0
    triangularize(work, size)
    for i in range(size):
        for j in range(size):
            root[i, j] = work[j, i] if j <= i else 0.0


@kernel
def potter_update(mean, root, rows, innovation):
    """Take m whitened measurements one by one; `rows` are in the coordinates of `root`.

    Updates mean and root in place, spoils rows and innovation.
    """
    size, width = rows.shape
    # S times the gain, and S^T: the sums of all parameters go on side by side
    moved, turned = np.empty(pad_width(width)), np.zeros((width, pad_width(width)))
    for i in range(width):
        for j in range(width):
            turned[j, i] = root[i, j]
    for m in range(size):
        square = 1.0 + dot(rows[m], rows[m])
        contraction = 1.0 / (square + np.sqrt(square))
        combine(rows[m], turned, moved)
        gain = innovation[m] / square
        for i in range(width):
            mean[i] += gain * moved[i]
        for i in range(moved.size):
            moved[i] *= contraction
        for j in range(width):
            along = rows[m, j]
            for i in range(moved.size):
                turned[j, i] -= moved[i] * along
        for k in range(m + 1, size):
            inner = dot(rows[k], rows[m])
            innovation[k] -= gain * inner
            for j in range(width):
                rows[k, j] -= contraction * inner * rows[m, j]
    for i in range(width):
        for j in range(width):
            root[i, j] = turned[j, i]


@kernel
def normalized_square(rows, innovation, matrix, factor, scratch):
    """Innovation^T (rows rows^T + 1)^-1 innovation of whitened rows: the NIS."""
    size = rows.shape[0]
    for i in range(size):
        for j in range(i + 1):
            inner = dot(rows[i], rows[j])
            if i == j:
                inner += 1.0
            matrix[i, j] = inner
            matrix[j, i] = inner
    if not lower_cholesky(matrix, factor):
        return np.inf
    total = 0.0
    for i in range(size):
        value = innovation[i]
        for k in range(i):
            value -= factor[i, k] * scratch[k]
        scratch[i] = value / factor[i, i]
        total += scratch[i] ** 2
    return total
