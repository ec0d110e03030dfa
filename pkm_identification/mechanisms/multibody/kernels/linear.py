# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Square systems of a few dozen unknowns in any arithmetic: triangular factors, solved either way."""

from __future__ import annotations

from ..numbers.arithmetic import shared


@shared
def factorize(matrix, order, scales):
    """Overwrite a matrix (n, n) by its factors L U = P A, rows exchanged as `order` says (Golub and Van Loan, 3.4).

    Pivots are chosen and judged as if row i were divided by scales[0, i] and column k by scales[1, k] (2, n), so that
    metres next to radians do not matter; row scales are exchanged along.

    Returns the smallest over the largest pivot, with the sign of the determinant; zero where the matrix is singular or
    not finite.
    """
    n = matrix.shape[0]
    nothing = abs(matrix[0, 0]) * 0
    least = most = nothing
    sign = 1
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(matrix[i, k]) * scales[0, best] > abs(matrix[best, k]) * scales[0, i]:
                best = i
        order[k] = best
        if best != k:
            sign = -sign
            scales[0, k], scales[0, best] = scales[0, best], scales[0, k]
            for j in range(n):
                matrix[k, j], matrix[best, j] = matrix[best, j], matrix[k, j]
        pivot = abs(matrix[k, k]) / (scales[0, k] * scales[1, k])
        if not pivot > 0:
            return nothing
        if matrix[k, k] < 0:
            sign = -sign
        if k == 0 or pivot < least:
            least = pivot
        if k == 0 or pivot > most:
            most = pivot
        for i in range(k + 1, n):
            if matrix[i, k] != 0:
                factor = matrix[i, k] / matrix[k, k]
                matrix[i, k] = factor
                for j in range(k + 1, n):
                    matrix[i, j] -= factor * matrix[k, j]
    return sign * least / most


@shared
def solve_factored(factors, order, vector):
    """Overwrite a vector (n,) by A^-1 times it."""
    n = factors.shape[0]
    for k in range(n):
        best = order[k]
        if best != k:
            vector[k], vector[best] = vector[best], vector[k]
    for i in range(n):
        total = vector[i]
        for j in range(i):
            total -= factors[i, j] * vector[j]
        vector[i] = total
    for i in range(n - 1, -1, -1):
        total = vector[i]
        for j in range(i + 1, n):
            total -= factors[i, j] * vector[j]
        vector[i] = total / factors[i, i]


@shared
def solve_transposed(factors, order, vector):
    """Overwrite a vector (n,) by A^-T times it."""
    n = factors.shape[0]
    for i in range(n):
        total = vector[i]
        for j in range(i):
            total -= factors[j, i] * vector[j]
        vector[i] = total / factors[i, i]
    for i in range(n - 1, -1, -1):
        total = vector[i]
        for j in range(i + 1, n):
            total -= factors[j, i] * vector[j]
        vector[i] = total
    for k in range(n - 1, -1, -1):
        best = order[k]
        if best != k:
            vector[k], vector[best] = vector[best], vector[k]
