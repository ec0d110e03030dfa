# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Arrays that are handed on without counting who holds them: the same memory, and nothing is freed or kept."""

from __future__ import annotations

import sys
from typing import NamedTuple

import numpy as np
import pytest
from numba.core.errors import TypingError

from pkm_identification.numerics.borrowed import borrowed
from pkm_identification.numerics.compiled import kernel


class Inner(NamedTuple):
    matrix: np.ndarray
    order: np.ndarray


class Outer(NamedTuple):
    vector: np.ndarray
    inner: Inner


@kernel
def _row_doubled(row):
    for k in range(row.shape[0]):
        row[k] *= 2.0


@kernel
def _worked_on(given, factor):
    outer, factor = borrowed(given), borrowed(factor)
    for i in range(outer.inner.matrix.shape[0]):
        _row_doubled(outer.inner.matrix[i])
        outer.vector[i] += factor
    outer.inner.order[:] = outer.inner.order[::-1].copy()


@kernel
def _of_a_text(given):
    return borrowed(given)


@pytest.mark.slow
def test_what_is_written_to_borrowed_arrays_is_written_to_their_owners():
    given = Outer(np.zeros(3), Inner(np.arange(12.0).reshape(3, 4), np.arange(5)))
    expected = 2.0 * given.inner.matrix
    held = [sys.getrefcount(part) for part in (given.vector, *given.inner)]
    _worked_on(given, 0.5)
    np.testing.assert_array_equal(given.inner.matrix, expected)
    np.testing.assert_array_equal(given.vector, 0.5)
    np.testing.assert_array_equal(given.inner.order, np.arange(5)[::-1])
    assert [sys.getrefcount(part) for part in (given.vector, *given.inner)] == held


@pytest.mark.slow
def test_a_part_of_an_array_keeps_its_strides():
    whole = np.arange(24.0).reshape(4, 6)
    given = Outer(np.zeros(2), Inner(whole[::2, 1:4], np.arange(2)))
    expected = whole.copy()
    expected[::2, 1:4] *= 2.0
    _worked_on(given, 1.0)
    np.testing.assert_array_equal(whole, expected)


def test_what_has_a_count_of_another_kind_is_refused():
    with pytest.raises(TypingError, match="cannot be borrowed, only arrays"):
        _of_a_text("text")
