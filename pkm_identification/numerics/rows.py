# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Rows of numbers copied and added up in loops, for kernels.

Copied in loops, because of `target[:] = source` Numba compiles the text of its error, too, for seconds. Added up so
that sums stay in registers, and none waits for the one before.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .compiled import compile_inline, pad_width
from .large_arrays import overlapping_blocks

TOGETHER = 4  # rows, or numbers, that the loops below add up in one turn


@compile_inline
def copy_vector(source, target):
    """Copy `source` (n,) into `target` (n,)."""
    for i in range(target.size):
        target[i] = source[i]


@compile_inline
def copy_matrix(source, target):
    """Copy `source` (m, n) into `target` (m, n)."""
    for i in range(target.shape[0]):
        for j in range(target.shape[1]):
            target[i, j] = source[i, j]


@compile_inline
def lengthen_rows(matrix):
    """Return a copy (m, `pad_width` n) of a matrix (m, n), zeros behind its rows."""
    copy = np.zeros((matrix.shape[0], pad_width(matrix.shape[1])))
    for i in range(matrix.shape[0]):
        for j in range(matrix.shape[1]):
            copy[i, j] = matrix[i, j]
    return copy


@compile_inline
def combine(factors, rows, total):
    """Write `total` (n,) = `factors` (m,) `rows` (m, n); fastest for n as `pad_width` gives it."""
    for j in range(total.size):
        total[j] = 0.0
    add_combined(factors, rows, total)


@compile_inline
def add_combined(factors, rows, total):
    """Add `factors` (m,) `rows` (m, n or more) to `total` (n,), in the order of the rows."""
    whole = factors.size - factors.size % TOGETHER
    for k in range(0, whole, TOGETHER):
        a, b, c, d = factors[k], factors[k + 1], factors[k + 2], factors[k + 3]
        for j in range(total.size):
            total[j] = (
                total[j] + a * rows[k, j] + b * rows[k + 1, j] + c * rows[k + 2, j] + d * rows[k + 3, j]
            )
    for k in range(whole, factors.size):
        for j in range(total.size):
            total[j] += factors[k] * rows[k, j]


@compile_inline
def dot(first, second):
    """Sum of the products of two vectors of one length: four sums, added up in the end."""
    whole = first.size - first.size % TOGETHER
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    for k in range(0, whole, TOGETHER):
        a += first[k] * second[k]
        b += first[k + 1] * second[k + 1]
        c += first[k + 2] * second[k + 2]
        d += first[k + 3] * second[k + 3]
    for k in range(whole, first.size):
        a += first[k] * second[k]
    return (a + b) + (c + d)


def segment_slices(segment: NDArray[np.int64]) -> list[slice]:
    """Segments of equal segment number, in order."""
    if len(segment) == 0:
        return []
    inner = [
        block.start + np.flatnonzero(segment[block][1:] != segment[block][:-1]) + 1
        for block in overlapping_blocks(len(segment))
    ]
    edges = np.concatenate([[0], *inner, [len(segment)]])
    return [slice(int(a), int(b)) for a, b in pairwise(edges)]
