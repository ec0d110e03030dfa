# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Least squares: the plain solution where the prior is weak, and a covariance that survives correlated residuals."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from core.estimation.toy_problems import autoregressive, equations, positive_definite, prior_of

from pkm_identification.estimation.batch.least_squares import (
    compute_residual_covariance,
    compute_robust_covariance,
    least_squares,
    solve_blocks,
    solve_whitened,
)
from pkm_identification.estimation.convergence import narrow_by_drift
from pkm_identification.parameters.prior import Prior


def weak(prior: Prior) -> Prior:
    return Prior(prior.mean, 1e5 * prior.std)


def test_one_output_and_a_weak_prior_give_numpys_solution():
    prior, rng = prior_of(6, 1, 4.0), np.random.default_rng(2)
    columns = rng.normal(size=(500, 1, 6)) / prior.std
    measured = columns @ (prior.mean + prior.std) + 0.1 * rng.normal(size=(500, 1))
    fit = least_squares(equations(columns, measured), weak(prior))
    expected = np.linalg.lstsq(columns[:, 0] * prior.std, measured[:, 0], rcond=None)[0] * prior.std
    assert fit.converged
    # the prior weighs 1e-10 / (500 / 0.1^2)
    np.testing.assert_allclose(fit.mean / prior.std, expected / prior.std, atol=1e-9)


def test_outputs_are_weighted_by_their_own_noise():
    """A noisy output counts little: the fixed point is the generalised least squares solution of its own noise."""
    prior, rng = prior_of(4, 3), np.random.default_rng(4)
    columns = rng.normal(size=(2000, 3, 4))
    truth = prior.mean + prior.std
    spread = np.linalg.cholesky(positive_definite(rng, 3)) * np.array([[0.01], [1.0], [30.0]])
    measured = columns @ truth + rng.normal(size=(2000, 3)) @ spread.T
    fit = least_squares(equations(columns, measured), weak(prior))
    weight = np.linalg.inv(fit.noise)
    information = np.einsum("kip,ij,kjq->pq", columns, weight, columns)
    expected = np.linalg.solve(information, np.einsum("kip,ij,kj->p", columns, weight, measured))
    np.testing.assert_allclose(
        fit.mean, expected, atol=1e-6 * np.sqrt(np.linalg.inv(information)[0, 0]) + 1e-9
    )
    np.testing.assert_allclose(fit.noise, spread @ spread.T, rtol=0.3, atol=0.1)
    np.testing.assert_allclose(fit.residual, measured - columns @ fit.mean, atol=1e-9)
    plain = np.linalg.lstsq(columns.reshape(-1, 4), measured.ravel(), rcond=None)[0]
    assert np.abs(fit.mean - truth).max() < 0.1 * np.abs(plain - truth).max()


def test_silent_direction_stays_at_the_prior_with_the_priors_spread():
    prior, rng = prior_of(4, 5, 4.0), np.random.default_rng(6)
    columns = rng.normal(size=(300, 2, 4)) / prior.std
    columns[:, :, 3] = 0.0
    columns[:, :, 1] = 2.0 * columns[:, :, 0] * prior.std[0] / prior.std[1]
    measured = columns @ (prior.mean + prior.std) + 0.01 * rng.normal(size=(300, 2))
    fit = least_squares(equations(columns, measured), prior)
    std = np.sqrt(np.diag(fit.covariance)) / prior.std
    assert std[3] == pytest.approx(1.0, rel=1e-6)
    assert fit.mean[3] == pytest.approx(prior.mean[3], rel=1e-9)
    # 0 and 1 only as z0 + 2 z1: the direction (2, -1) / sqrt 5 across keeps its spread
    across = np.array([2.0, -1.0, 0, 0]) / np.sqrt(5)
    scaled = fit.covariance / np.outer(prior.std, prior.std)
    assert across @ scaled @ across == pytest.approx(1.0, abs=1e-4)
    assert ((fit.mean - prior.mean) / prior.std) @ across == pytest.approx(0.0, abs=1e-6)
    assert std[2] < 1e-2


def test_perfect_data_give_the_truth_and_a_finite_covariance():
    prior, rng = prior_of(5, 7, 6.0), np.random.default_rng(8)
    columns = rng.normal(size=(200, 6, 5)) / prior.std
    truth = prior.mean + 0.3 * prior.std
    fit = least_squares(equations(columns, columns @ truth), prior)
    assert np.all(np.isfinite(fit.covariance))
    assert np.linalg.eigvalsh(fit.covariance / np.outer(prior.std, prior.std))[0] > 0
    np.testing.assert_allclose(fit.mean / prior.std, truth / prior.std, atol=1e-8)


def test_units_of_the_parameters_do_not_matter():
    prior, rng = prior_of(4, 9), np.random.default_rng(10)
    columns = rng.normal(size=(100, 2, 4))
    measured = rng.normal(size=(100, 2))
    unit = np.array([1e-6, 1.0, 1e3, 1e6])
    fit = least_squares(equations(columns, measured), prior)
    other = least_squares(equations(columns / unit, measured), Prior(prior.mean * unit, prior.std * unit))
    np.testing.assert_allclose(other.mean, fit.mean * unit, rtol=1e-8)
    np.testing.assert_allclose(other.covariance, fit.covariance * np.outer(unit, unit), rtol=1e-7)


def test_residual_covariance_counts_the_parameters():
    residual = np.random.default_rng(11).normal(size=(50, 2))
    plain = residual.T @ residual / 50
    np.testing.assert_allclose(
        compute_residual_covariance(residual, 20), plain * 50 / 40, rtol=1e-5, atol=1e-5
    )
    assert np.linalg.eigvalsh(compute_residual_covariance(np.zeros((50, 2)), 3))[0] > 0


def slow_columns(rng, count: int) -> np.ndarray:
    """A constant, two slow sines and white noise: the first three feel correlated residuals, the last does not."""
    time, columns = np.arange(count), np.zeros((count, 2, 4))
    columns[:, 0, 0] = 1.0
    columns[:, 1, 1] = np.sin(2 * np.pi * time / 60 + rng.uniform(0, 6))
    columns[:, 0, 2] = np.cos(2 * np.pi * time / 37 + rng.uniform(0, 6))
    columns[:, :, 3] = rng.normal(size=(count, 2))
    return columns


def normalised_errors(memory: float, runs: int = 200, count: int = 1000) -> tuple[np.ndarray, np.ndarray]:
    """Variances over runs of (estimate - truth) / std, by the fit's covariance and by that for white residuals."""
    rng = np.random.default_rng(12)
    prior = Prior(np.zeros(4), np.full(4, 100.0))
    honest, white = [], []
    for _ in range(runs):
        columns, truth = slow_columns(rng, count), rng.normal(size=4)
        fit = least_squares(
            equations(columns, columns @ truth + autoregressive(rng, count, 2, memory)), prior
        )
        information = np.einsum("kip,ij,kjq->pq", columns, np.linalg.inv(fit.noise), columns)
        honest.append((fit.mean - truth) / np.sqrt(np.diag(fit.covariance)))
        white.append((fit.mean - truth) / np.sqrt(np.diag(np.linalg.inv(information))))
    return np.mean(np.square(honest), axis=0), np.mean(np.square(white), axis=0)


@pytest.mark.slow
def test_standard_deviations_are_honest_when_residuals_are_correlated():
    """AR(1) with memory 0.7. The white formula is (1 + 0.7) / (1 - 0.7) = 5.7 times too sure of what is slow."""
    honest, white = normalised_errors(0.7)
    # 200 runs know a variance to 10 % (1 sigma); the taper of the lags leaves 10 to 25 % unseen
    assert np.all(honest > 0.7), honest
    assert np.all(honest < 1.6), honest
    assert np.all(white[:3] > 3.5), white
    assert white[3] < 1.5


@pytest.mark.slow
def test_standard_deviations_stay_right_when_residuals_are_white():
    honest, white = normalised_errors(0.0)
    assert np.all((honest > 0.65) & (honest < 1.3)), honest
    # the price of looking for correlation that is not there: no more than a quarter of the standard deviation
    assert np.all(honest > 0.6 * white)


def test_robust_covariance_is_never_below_the_white_one():
    """Anticorrelated residuals would make it smaller; it must not claim more than white noise allows."""
    rng = np.random.default_rng(13)
    columns = slow_columns(rng, 400)
    residual = autoregressive(rng, 400, 2, -0.9)
    noise = compute_residual_covariance(residual, 4)
    segment = np.zeros(400, dtype=np.int64)
    robust = compute_robust_covariance(columns, residual, noise, 1.0, segment)
    white = np.linalg.inv(np.einsum("kip,ij,kjq->pq", columns, np.linalg.inv(noise), columns) + np.eye(4))
    assert np.linalg.eigvalsh(robust - white)[0] > -1e-12
    np.testing.assert_allclose(robust, robust.T, atol=1e-15)


def test_correlation_is_not_looked_for_across_segments():
    """Pieces in another order are the same experiment."""
    rng = np.random.default_rng(14)
    columns, residual = slow_columns(rng, 400), autoregressive(rng, 400, 2, 0.8)
    noise = compute_residual_covariance(residual, 4)
    segment = np.repeat(np.arange(4), 100)
    order = np.concatenate([np.arange(100) + 100 * k for k in (2, 0, 3, 1)])
    first = compute_robust_covariance(columns, residual, noise, 1.0, segment)
    second = compute_robust_covariance(columns[order], residual[order], noise, 1.0, segment[order])
    np.testing.assert_allclose(first, second, rtol=1e-9)
    joined = compute_robust_covariance(columns, residual, noise, 1.0, np.zeros(400, dtype=np.int64))
    assert np.abs(joined - first).max() > 1e-9 * np.abs(first).max()


def test_redundant_equations_are_not_counted_twice():
    """The same equations written down twice with redundancy 2 are the same information."""
    prior, rng = prior_of(4, 15), np.random.default_rng(16)
    columns, truth = slow_columns(rng, 300), prior.mean + prior.std
    measured = columns @ truth + 0.1 * rng.normal(size=(300, 2))
    once = least_squares(equations(columns, measured), prior)
    twice = least_squares(
        equations(np.repeat(columns, 2, 0), np.repeat(measured, 2, 0)), prior, redundancy=2.0
    )
    # the noise estimate counts degrees of freedom a little differently
    np.testing.assert_allclose(twice.mean, once.mean, atol=1e-3)
    ratio = np.sqrt(np.diag(twice.covariance) / np.diag(once.covariance))
    assert np.all((ratio > 0.85) & (ratio < 1.2))


def test_equations_that_come_part_by_part_have_the_solution_of_all_at_once():
    rng = np.random.default_rng(5)
    columns, target = rng.normal(size=(300, 2, 4)) * [1.0, 1e3, 1e-3, 1.0], rng.normal(size=(300, 2))
    weight, noise = rng.uniform(0.1, 1.0, 300), np.array([[2.0, 0.3], [0.3, 1.0]])
    whole = solve_whitened(columns, target, noise, weight)
    places = [slice(0, 1), slice(1, 120), slice(120, 300)]
    parts = solve_blocks(
        ((columns[one], target[one]) for one in places), 4, noise, (weight[one] for one in places)
    )
    for found, expected in zip(parts, whole, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-11)


@pytest.mark.slow
def test_a_fit_of_many_equations_makes_no_copy_of_their_columns():
    """Nor does what tells settled from unsettled; columns are nearly all that equations take."""
    prior, rng = prior_of(6, 2, 4.0), np.random.default_rng(6)

    def peak(count: int) -> float:
        made = equations(rng.normal(size=(count, 6, 6)) / prior.std, rng.normal(size=(count, 6)))
        tracemalloc.start()
        fit = least_squares(made, prior)
        narrow_by_drift(made, fit.mean, fit.noise, prior, 1.0)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    few, many = 20_000, 40_000
    assert peak(many) - peak(few) < 0.9 * (many - few) * 6 * 6 * 8
