"""6 x 6 systems of equations inside kernels: six struts, six freedoms of the platform; nothing is allocated."""

from __future__ import annotations

import numpy as np

from .compiled import kernel


@kernel
def solve_positive(matrix, columns):
    """Solve matrix X = columns (6, n) by Cholesky; X replaces `columns`, the factor `matrix`.

    False, with both spoilt, when the matrix is not positive definite or has a number that is not finite. Only the
    lower triangle is read.
    """
    for j in range(6):
        for i in range(j, 6):
            total = matrix[i, j]
            for k in range(j):
                total -= matrix[i, k] * matrix[j, k]
            if i == j:
                if not total > 0.0:
                    return False
                matrix[j, j] = np.sqrt(total)
            else:
                matrix[i, j] = total / matrix[j, j]
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


@kernel
def solve_by_elimination(matrix, vector):
    """Solve matrix x = vector (6,) by elimination with row pivoting; x replaces `vector`, `matrix` is spoilt.

    A singular matrix gives numbers that are not finite.
    """
    for k in range(6):
        p = k
        for i in range(k + 1, 6):
            if abs(matrix[i, k]) > abs(matrix[p, k]):
                p = i
        if p != k:
            vector[k], vector[p] = vector[p], vector[k]
            for j in range(k, 6):
                matrix[k, j], matrix[p, j] = matrix[p, j], matrix[k, j]
        for i in range(k + 1, 6):
            factor = matrix[i, k] / matrix[k, k]
            if factor != 0.0:
                vector[i] -= factor * vector[k]
                for j in range(k + 1, 6):
                    matrix[i, j] -= factor * matrix[k, j]
    for k in range(5, -1, -1):
        for j in range(k + 1, 6):
            vector[k] -= matrix[k, j] * vector[j]
        vector[k] /= matrix[k, k]
