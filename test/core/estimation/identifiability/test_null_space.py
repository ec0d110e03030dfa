# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Gautier's null space form: sums that are known, whatever the arithmetic, and what is wanted out."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from pkm_identification.estimation.identifiability.null_space import (
    compute_double_spectrum,
    compute_spurious_coefficients,
    eliminated,
)


def sums(seed=0):
    """Five columns a, b, 2 a - 3 b, b, 0 and their space."""
    a, b = np.random.default_rng(seed).normal(size=(2, 30))
    return np.column_stack([a, b, 2 * a - 3 * b, b, np.zeros(30)])


def test_the_null_space_of_known_sums():
    found = compute_double_spectrum(sums())
    assert found.rank == 2
    out = found.eliminate(wanted=(2, 3))
    np.testing.assert_array_equal(out.given_up, [2, 3, 4])
    np.testing.assert_allclose(out.coefficients, [[2, 0, 0], [-3, 1, 0]], atol=1e-13)


@pytest.mark.parametrize("wanted", [(), (0, 1), (1, 2), (3,)])
def test_given_up_columns_follow_from_those_kept(wanted):
    columns = sums(1)
    out = compute_double_spectrum(columns).eliminate(wanted)
    assert set(wanted) <= set(out.given_up)
    np.testing.assert_allclose(columns[:, out.kept] @ out.coefficients, columns[:, out.given_up], atol=1e-12)


def test_what_is_wanted_out_but_cannot_go_stays():
    # 1 and 3 are the same; both with 0 and 2 would leave nothing to write them in
    out = compute_double_spectrum(sums()).eliminate(wanted=(0, 1, 2, 3))
    assert len(out.given_up) == 3
    assert 4 in out.given_up


def test_fractions_stay_fractions():
    null = np.array(
        [[Fraction(2), Fraction(1)], [Fraction(-3), Fraction(0)], [Fraction(-1), Fraction(1)]], dtype=object
    )
    out = eliminated(null, wanted=(2, 1))
    assert out.kept.tolist() == [0]
    # W w = 0 for both: W_2 = 2 W_0 - 3 W_1 and W_2 = -W_0, so W_1 = W_0
    assert out.coefficients.tolist() == [[Fraction(1), Fraction(-1)]]


def test_another_rank_can_be_forced_and_spurious_coefficients_are_counted():
    noisy = sums() + 1e-9 * np.random.default_rng(3).normal(size=(30, 5))
    found = compute_double_spectrum(noisy)
    assert found.rank == 5
    out = found.eliminate(wanted=(2, 3, 4), rank=2)
    true = np.array([[2.0, 0.0, 0.0], [-3.0, 1.0, 0.0]])
    assert 1e-11 < np.abs(out.coefficients - true).max() < 1e-7
    assert compute_spurious_coefficients(out.coefficients, true, 0.0) == 3
    assert compute_spurious_coefficients(true, true, 0.0) == 0


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="2 equations"):
        compute_double_spectrum(np.ones((2, 3)))
    with pytest.raises(ValueError, match="not finite"):
        compute_double_spectrum(np.full((4, 2), np.inf))
