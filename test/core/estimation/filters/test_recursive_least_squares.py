# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Recursive least squares: batch least squares in another order, a memory that fades, and no covariance that bursts."""

from __future__ import annotations

import numpy as np
import pytest
from core.estimation.toy_problems import equations, positive_definite, prior_of

from pkm_identification.estimation.batch.least_squares import least_squares
from pkm_identification.estimation.filters.recursive_least_squares import (
    RecursiveLeastSquares,
    triangularize,
)
from pkm_identification.estimation.filters.unscented import UnscentedFilter, UnscentedSettings
from pkm_identification.parameters.prior import Prior

WIDTH, OUTPUTS = 5, 6


def forgetting(factor: float) -> UnscentedSettings:
    return UnscentedSettings(forgetting=factor, adaptation="none")


def data(seed: int, count: int, decades: float = 4.0):
    """Prior, truth, columns, measurements and the covariance of their noise."""
    rng, prior = np.random.default_rng(seed), prior_of(WIDTH, seed, decades)
    columns = rng.normal(size=(count, OUTPUTS, WIDTH)) / prior.std
    noise = positive_definite(rng, OUTPUTS, 0.04)
    truth = prior.mean + rng.normal(size=WIDTH) * prior.std
    measured = columns @ truth + rng.normal(size=(count, OUTPUTS)) @ np.linalg.cholesky(noise).T
    return prior, truth, columns, measured, noise


def weighted(prior, columns, measured, noise, weight):
    """Mean and covariance of weighted least squares with the prior, by NumPy."""
    whitener = np.linalg.inv(np.linalg.cholesky(noise))
    root = np.sqrt(weight)[:, None, None]
    rows = (root * (whitener @ (columns * prior.std))).reshape(-1, WIDTH)
    values = (root[:, 0] * ((measured - columns @ prior.mean) @ whitener.T)).ravel()
    rows, values = np.vstack([rows, np.eye(WIDTH)]), np.append(values, np.zeros(WIDTH))
    solution = np.linalg.lstsq(rows, values, rcond=None)[0]
    covariance = np.linalg.inv(rows.T @ rows) * np.outer(prior.std, prior.std)
    return prior.mean + prior.std * solution, covariance


def test_triangle_is_numpys():
    matrix = np.random.default_rng(1).normal(size=(17, 6))
    expected = np.linalg.qr(matrix[:, :5], mode="r")
    made = matrix.copy()
    triangularize(made, made.shape[1] - 1)
    sign = np.sign(np.diag(made)[:5]) * np.sign(np.diag(expected))
    np.testing.assert_allclose(made[:5, :5], sign[:, None] * expected, atol=1e-13)
    assert not made[5:, :5].any()
    np.testing.assert_allclose(np.linalg.norm(made[:, 5]), np.linalg.norm(matrix[:, 5]), rtol=1e-13)


@pytest.mark.parametrize("factor", [1.0, 0.99, 0.8])
def test_every_step_is_the_weighted_batch_solution(factor):
    prior, _, columns, measured, noise = data(2, 300)
    recursive = RecursiveLeastSquares(prior, OUTPUTS, forgetting(factor))
    for k in range(300):
        assert recursive.step_linear(columns[k], measured[k], noise)[1]
        if k in (0, 1, 7, 60, 299):
            weight = factor ** np.arange(k, -1, -1)
            mean, covariance = weighted(prior, columns[: k + 1], measured[: k + 1], noise, weight)
            np.testing.assert_allclose(recursive.mean / prior.std, mean / prior.std, rtol=0, atol=1e-9)
            scale = np.sqrt(np.diag(covariance))
            np.testing.assert_allclose(
                recursive.covariance / np.outer(scale, scale), covariance / np.outer(scale, scale), atol=1e-9
            )


def test_without_forgetting_it_is_batch_least_squares_and_the_ukf():
    prior, _, columns, measured, noise = data(3, 400)
    recursive = RecursiveLeastSquares(prior, OUTPUTS)
    unscented = UnscentedFilter(prior, OUTPUTS, forgetting(1.0))
    for row, value in zip(columns, measured, strict=True):
        nis, _ = recursive.step_linear(row, value, noise)
        assert nis == pytest.approx(unscented.step_linear(row, value, noise)[0], rel=1e-6)
    fit = least_squares(equations(columns, measured), prior, noise=noise)
    np.testing.assert_allclose(recursive.mean / prior.std, fit.mean / prior.std, rtol=0, atol=1e-9)
    # sigma points 1e-3 apart cost the UKF digits
    np.testing.assert_allclose(recursive.mean / prior.std, unscented.mean / prior.std, atol=1e-8)


def test_forgetting_follows_a_drift_that_full_memory_averages_away():
    """Friction that falls by a tenth of a prior's deviation: memory of 1 / (1 - 0.97) = 33 equations lags 33 steps."""
    prior, truth, columns, measured, noise = data(4, 1500)
    slope = 1e-3 * prior.std[0]
    measured = measured + columns[:, :, 0] * (slope * np.arange(1500))[:, None]
    forgets, remembers = (RecursiveLeastSquares(prior, OUTPUTS, forgetting(f)) for f in (0.97, 1.0))
    for row, value in zip(columns, measured, strict=True):
        for recursive in (forgets, remembers):
            recursive.step_linear(row, value, noise)
    now = truth + np.array([1499 * slope, 0, 0, 0, 0])
    assert abs(remembers.mean[0] - now[0]) > 0.5 * 1499 * slope
    lag = 0.97 / 0.03 * slope
    assert abs(forgets.mean[0] - (now[0] - lag)) < 4 * np.sqrt(forgets.covariance[0, 0])
    assert np.all(np.abs(forgets.mean - now)[1:] < 4 * np.sqrt(np.diag(forgets.covariance))[1:])


def test_what_is_no_longer_excited_returns_to_the_prior():
    """The usual form's covariance would grow by 0.9^-2000 = 1e91."""
    prior, truth, columns, measured, noise = data(5, 100)
    recursive = RecursiveLeastSquares(prior, OUTPUTS, forgetting(0.9))
    for row, value in zip(columns, measured, strict=True):
        recursive.step_linear(row, value, noise)
    assert np.all(np.sqrt(np.diag(recursive.scaled_covariance)) < 0.1)
    for k in range(2000):
        row = columns[k % 100].copy()
        row[:, 0] = 0.0
        assert recursive.step_linear(row, row @ truth, noise)[1]
    std = np.sqrt(np.diag(recursive.scaled_covariance))
    assert std[0] == pytest.approx(1.0, abs=1e-9)
    assert recursive.mean[0] == pytest.approx(prior.mean[0], abs=1e-9 * prior.std[0])
    assert np.all(std[1:] < 0.1)
    np.testing.assert_allclose(recursive.mean[1:] / prior.std[1:], truth[1:] / prior.std[1:], atol=1e-2)


def test_an_equation_outside_the_gate_changes_nothing():
    prior, _, columns, measured, noise = data(6, 50)
    recursive = RecursiveLeastSquares(prior, OUTPUTS, forgetting(0.95))
    for row, value in zip(columns, measured, strict=True):
        recursive.step_linear(row, value, noise)
    mean, covariance = recursive.mean.copy(), recursive.covariance.copy()
    for wrong in (measured[0] + 100.0, measured[0] * np.nan):
        assert not recursive.step_linear(columns[0], wrong, noise, gate=50.0)[1]
    np.testing.assert_array_equal(recursive.mean, mean)
    np.testing.assert_array_equal(recursive.covariance, covariance)
    assert recursive.count == 50


def test_continues_from_an_estimate():
    prior, _, columns, measured, noise = data(7, 60)
    whole, second = (RecursiveLeastSquares(prior, OUTPUTS) for _ in range(2))
    for k in range(60):
        if k == 30:
            second.start_from(whole.mean, whole.covariance)
            np.testing.assert_allclose(second.mean / prior.std, whole.mean / prior.std, atol=1e-10)
            np.testing.assert_allclose(second.scaled_covariance, whole.scaled_covariance, atol=1e-12)
        if k >= 30:
            second.step_linear(columns[k], measured[k], noise)
        whole.step_linear(columns[k], measured[k], noise)
    np.testing.assert_allclose(second.mean / prior.std, whole.mean / prior.std, atol=1e-9)


@pytest.mark.parametrize("factor", [0.0, 1.5, -0.1])
def test_impossible_forgetting_is_refused(factor):
    with pytest.raises(ValueError, match="forgetting is"):
        UnscentedSettings(forgetting=factor)


@pytest.mark.parametrize("seed", range(5))
def test_a_first_equation_with_few_rows_leaves_numbers(seed):
    """Remainders of rounding must not be divided by until they are none."""
    width, random = 25, np.random.default_rng(seed)
    found = RecursiveLeastSquares(Prior(np.zeros(width), np.ones(width)), 3)
    columns = random.standard_normal((3, width)) * 10.0 ** random.uniform(-7.0, -3.0, width)
    columns[:, :2] = [[0.0, 0.0], [150.0, 0.0], [0.0, 150.0]]
    columns[0] = 0.0
    for _ in range(3):
        nis, taken = found.step_linear(columns, np.array([0.0, 1.0, 2.0]), 1e-4 * np.eye(3))
        assert taken
        assert np.isfinite(nis)
        assert np.isfinite(found.mean).all()
