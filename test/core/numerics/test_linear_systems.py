# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The 6 x 6 solvers of the kernels against LAPACK."""

from __future__ import annotations

import numpy as np
import pytest

from pkm_identification.numerics.linear_systems import determinant6, solve_positive6, solve_square

EPS = np.finfo(float).eps


@pytest.mark.parametrize("width", [1, 7])
def test_cholesky_solves_to_rounding_of_the_condition(width):
    rng = np.random.default_rng(1)
    for decades in (0, 3, 6):
        turn = np.linalg.qr(rng.normal(size=(6, 6)))[0]
        matrix = turn @ np.diag(np.logspace(0, decades, 6)) @ turn.T
        columns = rng.normal(size=(6, width))
        expected = np.linalg.solve(matrix, columns)
        found = columns.copy()
        assert solve_positive6(matrix.copy(), found)
        # backward stable: relative error below a small multiple (6^2) of condition times rounding
        error = np.linalg.norm(found - expected) / np.linalg.norm(expected)
        assert error < 36 * EPS * 10.0**decades


def test_cholesky_reads_the_lower_triangle_only():
    matrix = np.diag(np.arange(1.0, 7.0)) + np.tril(np.full((6, 6), 0.1), -1)
    expected = np.linalg.solve(np.tril(matrix) + np.tril(matrix, -1).T, np.ones((6, 1)))
    found = np.ones((6, 1))
    assert solve_positive6(matrix + np.triu(np.full((6, 6), np.nan), 1), found)
    np.testing.assert_allclose(found, expected, rtol=1e-14)


@pytest.mark.parametrize("spoil", [-1.0, 0.0, np.nan])
def test_cholesky_refuses_what_is_not_positive(spoil):
    for place in range(6):
        matrix = np.eye(6)
        matrix[place, place] = spoil
        assert not solve_positive6(matrix, np.ones((6, 1)))


def test_elimination_pivots():
    rng = np.random.default_rng(2)
    for shift in range(6):
        # zeros on the whole diagonal but for shift 0: without pivoting, a division by zero
        matrix = np.roll(np.diag(rng.uniform(1, 2, 6)), shift, axis=0) + 1e-3 * np.tril(
            rng.normal(size=(6, 6)), -1
        )
        vector = rng.normal(size=6)
        found = vector.copy()
        solve_square(matrix.copy(), found)
        np.testing.assert_allclose(found, np.linalg.solve(matrix, vector), rtol=1e-12, atol=1e-13)


def test_elimination_of_a_singular_matrix_is_not_finite():
    vector = np.ones(6)
    solve_square(np.zeros((6, 6)), vector)
    assert not np.isfinite(vector).any()


def test_determinants_are_those_of_numpy_and_zero_where_no_pivot_is_left():
    rng = np.random.default_rng(3)
    for shift in range(6):
        # rows in any order: each exchange turns the sign
        matrix = np.roll(rng.normal(size=(6, 6)) + 3.0 * np.eye(6), shift, axis=0)
        assert determinant6(matrix.copy()) == pytest.approx(np.linalg.det(matrix), rel=1e-12)
    matrix[:, 4] = 0.0
    assert determinant6(matrix) == 0.0
    assert np.isnan(determinant6(np.full((6, 6), np.nan)))
