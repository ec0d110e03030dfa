# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The filter in log-Cholesky coordinates: constrained least squares as data come in, honest, and always finite."""

from __future__ import annotations

import numpy as np
import pytest
from core.estimation.consistency.made_equations import coordinates_of, equations, least_squares_of, truth_of
from scipy import stats

from pkm_identification.estimation.consistency.constrained_least_squares import (
    constrained_least_squares,
)
from pkm_identification.estimation.consistency.constraints import inequalities, is_physical
from pkm_identification.estimation.consistency.filters import ConsistentFilter
from pkm_identification.estimation.filters.unscented import UnscentedFilter, UnscentedSettings

pytestmark = pytest.mark.slow

STILL = UnscentedSettings(adaptation="none")


def run(c, eq, noise: np.ndarray, settings=STILL) -> ConsistentFilter:
    made = ConsistentFilter(UnscentedFilter(c.parameter_prior, 6, settings), c)
    for columns, measured in zip(eq.regressor, eq.measured, strict=True):
        made.step_linear(columns, measured, noise)
    return made


@pytest.mark.parametrize("seed", range(3))
def test_converges_to_constrained_least_squares(seed):
    """60 s of rich motion at 0.5 N, as of set a: a tenth of a standard deviation is what the two priors differ by."""
    c, eq = coordinates_of(), equations(1500, 0.5, seed)
    fit, problem = least_squares_of(c, eq)
    physical = constrained_least_squares(fit, problem)
    found = run(c, eq, fit.noise)
    assert np.abs((found.mean - physical.mean) / np.sqrt(np.diag(fit.covariance))).max() < 0.1


def test_bounds_hold_where_least_squares_leaves_them():
    """A machine without Coulomb friction in strut 2 and noise of 10 N: half the logs would say it is negative."""
    c, truth = coordinates_of(), truth_of()
    k = c.layout.parameters.names.index("coulomb_2")
    truth[k] = 0.0
    below = 0
    for seed in range(8):
        eq = equations(200, 10.0, seed, truth=truth)
        found = run(c, eq, 100.0 * np.eye(6))
        below += found.linear.mean[k] < 0
        assert 0 < found.mean[k] < 5 * np.sqrt(found.linear.covariance[k, k])
        assert is_physical(inequalities(c.layout), found.mean)
    assert below >= 2


def nees(mean: np.ndarray, covariance: np.ndarray, truth: np.ndarray) -> float:
    return float((mean - truth) @ np.linalg.solve(covariance, mean - truth))


def test_errors_are_as_large_as_the_covariance_says():
    """NEES of 25 logs, 20 parameters each.

    The prior's own error is fixed (the machine is what it is), so the chi-square band of the sum is widened by what a
    platform's flatness, whose log-normal posterior is far from normal, may add or take away: 15 %.
    """
    c, truth, runs = coordinates_of(), truth_of(), 25
    found = []
    for seed in range(runs):
        one = run(c, equations(400, 2.0, 50 + seed), 4.0 * np.eye(6))
        found.append(nees(one.mean, one.covariance, truth))
    low, high = stats.chi2.ppf([0.005, 0.995], runs * len(truth)) / runs
    assert 0.85 * low < np.mean(found) < 1.15 * high
    # narrow enough to see a standard deviation that is 20 % too small
    assert 1.15 * high < np.mean(found) / 0.8**2


def test_honest_where_a_bound_is_near():
    """Noise of 20 N leaves the platform's flatness open by its own size."""
    c, truth = coordinates_of(), truth_of()
    found = []
    for seed in range(20):
        one = run(c, equations(200, 20.0, seed), 400.0 * np.eye(6))
        found.append(nees(one.mean, one.covariance, truth))
    # bounds only ever help: at most as many as there are parameters; far fewer would be false modesty
    assert 0.7 * len(truth) < np.mean(found) < len(truth)


@pytest.mark.parametrize("name", ["identifiable", "oh24", "extended"])
def test_no_unknown_is_ever_without_variance(name):
    """Flat platforms and thin rods stand on their bounds, and friction is measured to push by twenty deviations."""
    c = coordinates_of(name)
    found = run(c, equations(0, 1.0, 0, name), np.eye(6))
    np.testing.assert_allclose(np.sqrt(np.diag(found.covariance)), c.parameter_prior.std, rtol=1e-9)
    k = len(c.parameter_prior.std) - 1
    row, std = np.zeros((6, k + 1)), 0.1 * c.parameter_prior.std[k]
    row[0, k] = 1.0
    found.step_linear(row, np.full(6, -20.0 * std), std**2 * np.eye(6))
    assert 0 < found.mean[k] < 0.1 * std
    assert np.sqrt(found.covariance[k, k]) == pytest.approx(std, rel=0.01)


def test_reading_in_between_changes_nothing():
    """The coordinates are brought up to date when read: how often must not matter beyond the fit's tolerance."""
    c, eq = coordinates_of(), equations(200, 2.0, 3)
    often = ConsistentFilter(UnscentedFilter(c.parameter_prior, 6, STILL), c)
    for columns, measured in zip(eq.regressor, eq.measured, strict=True):
        often.step_linear(columns, measured, 4.0 * np.eye(6))
        assert is_physical(inequalities(c.layout), often.mean)
    once = run(c, eq, 4.0 * np.eye(6))
    assert np.abs((often.mean - once.mean) / np.sqrt(np.diag(once.covariance))).max() < 0.01
    assert often.count == once.count == 200


def test_hundreds_of_thousands_of_steps_stay_finite_and_physical():
    """Friction that is not there drives its logarithm down for ever; the adaptation is on."""
    c, truth = coordinates_of(), truth_of()
    truth[[name.startswith(("viscous", "coulomb")) for name in c.layout.parameters.names]] = 0.0
    eq = equations(500, 1.0, 4, truth=truth)
    filter_ = ConsistentFilter(UnscentedFilter(c.parameter_prior, 6), c)
    noise = np.eye(6)
    for k in range(300_000):
        filter_.step_linear(eq.regressor[k % 500], eq.measured[k % 500], noise)
        if k % 2000 == 0:
            assert np.all(np.isfinite(filter_.mean))
            assert np.all(np.linalg.eigvalsh(filter_.scaled_covariance) > -1e-12)
    assert is_physical(inequalities(c.layout), filter_.mean)
    assert np.abs(filter_.mean[8:] - truth[8:]).max() < 1.0
    np.testing.assert_allclose(filter_.mean[:3], truth[:3], rtol=0.05)


def test_what_is_not_finite_is_refused_and_nothing_changes():
    c, eq = coordinates_of(), equations(100, 2.0, 6)
    filter_ = run(c, eq, 4.0 * np.eye(6))
    before = filter_.mean.copy()
    nis, accepted = filter_.step_linear(eq.regressor[0], np.full(6, np.nan), np.eye(6))
    assert not accepted
    assert np.isinf(nis)
    np.testing.assert_array_equal(filter_.mean, before)


def test_reset_and_start_from():
    c, eq = coordinates_of(), equations(100, 2.0, 7)
    filter_ = run(c, eq, 4.0 * np.eye(6))
    mean, covariance = filter_.mean, filter_.covariance
    filter_.reset()
    np.testing.assert_allclose(filter_.theta, c.prior.mean, atol=1e-2 * c.prior.std.max())
    assert filter_.count == 0
    filter_.start_from(mean, covariance)
    assert np.abs((filter_.mean - mean) / np.sqrt(np.diag(covariance))).max() < 0.02
