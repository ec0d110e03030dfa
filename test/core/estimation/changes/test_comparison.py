# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Differences of estimates: their deviations are those of simulated estimates, and many tests do not find by chance."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from pkm_identification.estimation.changes.comparison import Measured, compare, holm

PARAMETERS, QUANTITIES, DRAWS = 4, 3, 400


def estimates(rng, count, alike):
    """Deviations of `count` estimates: a covariance of each one's own, and what shared quantities do to each."""
    shared = rng.normal(size=(QUANTITIES, PARAMETERS))
    made = []
    for _ in range(count):
        root = rng.normal(size=(PARAMETERS, PARAMETERS)) * np.array([1.0, 1e-3, 50.0, 0.2])
        j = shared if alike else shared + 0.5 * rng.normal(size=shared.shape)
        j = j * np.array([1.0, 1e-3, 50.0, 0.2])
        made.append((root, j))
    return made


@pytest.mark.parametrize("count", [2, 4])
@pytest.mark.parametrize("alike", [True, False])
def test_differences_scatter_as_their_deviations_say(count, alike):
    rng = np.random.default_rng(3)
    parts = estimates(rng, count, alike)
    rows = np.vstack([np.eye(PARAMETERS), [1.0, 200.0, 0.0, 3.0]])[1:]
    found = []
    for _ in range(DRAWS):
        off = rng.normal(size=QUANTITIES)
        drawn = [
            Measured(5.0 + root @ rng.normal(size=PARAMETERS) + off @ j, root @ root.T + j.T @ j, j)
            for root, j in parts
        ]
        one = compare(drawn, rows)
        found.append([*one.chi_squared, one.all_chi_squared, *(one.z[0] ** 2)])
    means = np.mean(found, axis=0)
    freedom = np.array([count - 1] * 4 + [4 * (count - 1)] + [1] * 4)
    # four standard deviations of the mean of chi squared
    assert np.all(np.abs(means - freedom) < 4 * np.sqrt(2 * freedom / DRAWS))


def test_what_is_common_to_both_cancels():
    j = np.array([[3.0, -2.0]])
    own = np.diag([0.01, 0.04])
    pair = [Measured(np.array(v), own + j.T @ j, j) for v in ([1.0, 2.0], [1.4, 2.0])]
    found = compare(pair, np.eye(2))
    np.testing.assert_allclose(found.difference_std[0], np.sqrt(2 * np.diag(own)), rtol=1e-9)
    np.testing.assert_allclose(found.std[0], np.sqrt(np.diag(own) + j[0] ** 2), rtol=1e-12)
    independent = compare([Measured(one.values, one.covariance, one.shared[:0]) for one in pair], np.eye(2))
    assert abs(independent.z[0, 0]) < 0.1 < 2.5 < abs(found.z[0, 0])


@pytest.mark.parametrize("own", [1e-14, 1e-18, 0.0])
def test_estimates_of_which_all_is_shared_can_be_compared(own):
    """Exact logs of a machine with tolerances: what is left of the covariance is rounding."""
    rng = np.random.default_rng(2)
    j = rng.normal(size=(6, 20)) * np.logspace(-3, 3, 20)
    whole = j.T @ j
    pair = [Measured(np.ones(20), whole + own * np.diag(np.diag(whole)), j) for _ in range(2)]
    found = compare(pair, np.eye(20))
    np.testing.assert_array_equal(found.z, 0.0)
    assert np.all(found.difference_std > 0)
    assert np.all(found.difference_std < 1e-5 * found.std[0])
    assert found.all_p == 1.0


def closed_test(p):
    """Holm's adjusted probabilities by what they stand for: the closed test with Bonferroni's in every subset."""
    n = len(p)
    subsets = [s for size in range(1, n + 1) for s in combinations(range(n), size)]
    return [max(min(1.0, len(s) * min(p[k] for k in s)) for s in subsets if i in s) for i in range(n)]


@pytest.mark.parametrize("seed", range(5))
def test_adjusted_probabilities_are_those_of_the_closed_test(seed):
    p = np.random.default_rng(seed).uniform(size=6) ** 3
    np.testing.assert_allclose(holm(p), closed_test(p), rtol=1e-14)
    beside = np.insert(p, 2, np.nan)
    np.testing.assert_array_equal(np.delete(holm(beside), 2), holm(p))
    assert np.isnan(holm(beside)[2])
