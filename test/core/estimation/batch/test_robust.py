# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Robust least squares: gross errors of a few equations do not count, and little is lost where there are none."""

from __future__ import annotations

import numpy as np
import pytest
from core.estimation.toy_problems import autoregressive, equations, positive_definite

from pkm_identification.estimation.batch.least_squares import least_squares
from pkm_identification.estimation.batch.robust import biweight_tuning, robust_least_squares
from pkm_identification.parameters.prior import Prior

WIDTH, COUNT = 4, 300
PRIOR = Prior(np.array([1.0, -2.0, 0.5, 3.0]), np.full(WIDTH, 100.0))


def data(seed: int, share: float = 0.0, outputs: int = 6, memory: float = 0.0):
    """Equations with normal noise, of which a share has gross errors to one side, and the truth."""
    rng = np.random.default_rng(seed)
    spread = np.linalg.cholesky(positive_definite(rng, outputs))
    columns = rng.normal(size=(COUNT, outputs, WIDTH))
    columns[:, :, 0] += 1.0  # a weight: it feels what always pushes the same way
    truth = PRIOR.mean + rng.normal(size=WIDTH)
    measured = columns @ truth + autoregressive(rng, COUNT, outputs, memory) @ spread.T
    wrong = rng.random(COUNT) < share
    measured[wrong] += rng.uniform(10.0, 60.0, (wrong.sum(), outputs))
    return equations(columns, measured), truth, wrong


def errors(estimator, runs: int, **choices) -> tuple[np.ndarray, np.ndarray]:
    """Errors, and errors in the standard deviations stated, shapes (runs, P)."""
    plain, normalised = [], []
    for seed in range(runs):
        made, truth, _ = data(seed, **choices)
        fit = estimator(made, PRIOR)
        assert fit.converged
        plain.append(fit.mean - truth)
        normalised.append(plain[-1] / np.sqrt(np.diag(fit.covariance)))
    return np.array(plain), np.array(normalised)


def test_tuning_of_one_output_is_the_known_one():
    assert biweight_tuning(1) == pytest.approx(4.685, abs=2e-3)  # Maronna et al. 2019, table 2.4
    assert biweight_tuning(6) > biweight_tuning(1)


@pytest.mark.slow
def test_twentieth_of_gross_errors_moves_least_squares_but_not_this():
    plain, _ = errors(least_squares, 25, share=0.05)
    robust, of_robust = errors(robust_least_squares, 25, share=0.05)
    own = np.sqrt(np.mean(of_robust**2))
    # 100 normal numbers: their root mean square is known to 7 %
    assert 0.75 < own < 1.3
    assert np.abs(of_robust).max() < 4.0
    # in the deviations that the data without errors allow, least squares is many off
    allowed = robust / of_robust
    assert np.sqrt(np.mean((plain / allowed) ** 2)) > 5.0


def test_outliers_get_no_weight_and_good_equations_nearly_all():
    made, _, wrong = data(3, share=0.2)
    fit = robust_least_squares(made, PRIOR)
    assert not fit.weight[wrong].any()
    assert fit.weight[~wrong].mean() > 0.6
    assert np.count_nonzero(fit.weight[~wrong]) > 0.99 * np.count_nonzero(~wrong)
    clean, _, _ = data(3)
    expected = least_squares(clean, PRIOR).noise
    # a median over a fifth of outliers is the 62.5 % quantile of the rest: 1.2 times the one of normal noise
    ratio = np.linalg.eigvals(np.linalg.solve(expected, fit.noise)).real
    assert np.all((ratio > 0.9) & (ratio < 1.5)), ratio


@pytest.mark.slow
@pytest.mark.parametrize("outputs", [1, 6])
def test_little_is_lost_on_normal_noise(outputs):
    """Efficiency 0.95 by construction; 40 x 4 errors of each tell the ratio, of nearly equal errors, to 3 %."""
    plain, _ = errors(least_squares, 40, outputs=outputs)
    robust, of_robust = errors(robust_least_squares, 40, outputs=outputs)
    assert np.mean(plain**2) / np.mean(robust**2) > 0.9
    assert 0.8 < np.sqrt(np.mean(of_robust**2)) < 1.25


@pytest.mark.slow
def test_standard_deviations_know_of_correlation_in_time():
    _, of_robust = errors(robust_least_squares, 40, share=0.05, memory=0.7)
    assert np.sqrt(np.mean(of_robust**2)) < 1.35


def test_perfect_data_and_a_silent_direction():
    made, truth, _ = data(5)
    made.regressor[:, :, 3] = 0.0
    exact = equations(made.regressor, made.regressor @ truth)
    fit = robust_least_squares(exact, PRIOR)
    assert fit.converged
    np.testing.assert_allclose(fit.mean[:3], truth[:3], atol=1e-6)
    assert fit.mean[3] == pytest.approx(PRIOR.mean[3])
    assert np.sqrt(fit.covariance[3, 3]) == pytest.approx(PRIOR.std[3])
    assert np.all(np.isfinite(fit.covariance))
