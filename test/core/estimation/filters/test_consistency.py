# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Whether filters know what they know: NEES and NIS over many runs, and process noise only where it is due."""

from __future__ import annotations

import numpy as np
import pytest
from core.estimation.toy_problems import positive_definite, prior_of
from scipy import stats

from pkm_identification.estimation.filters.unscented import UnscentedFilter, UnscentedSettings

pytestmark = pytest.mark.slow

RUNS, STEPS, WIDTH, OUTPUTS = 200, 60, 4, 2


def band(freedom: int, count: int) -> tuple[float, float]:
    """95 % band of the mean of `count` independent chi-square variables."""
    low, high = stats.chi2.ppf([0.025, 0.975], freedom * count) / count
    return low, high


@pytest.mark.parametrize("walking", [False, True])
def test_errors_and_innovations_are_as_large_as_the_filter_says(walking):
    """Truth drawn from the prior, noise and random walk as told: NEES and NIS are chi-square."""
    rng, prior = np.random.default_rng(1), prior_of(WIDTH, 2, 3.0)
    walk = 0.05 * prior.std if walking else np.zeros(WIDTH)
    settings = UnscentedSettings(adaptation="none")
    nees, nis = [], []
    for _ in range(RUNS):
        filter_ = UnscentedFilter(prior, OUTPUTS, settings)
        filter_.add_process_noise(walk)
        truth = prior.mean + prior.std * rng.normal(size=WIDTH)
        noise = positive_definite(rng, OUTPUTS)
        root = np.linalg.cholesky(noise)
        for _ in range(STEPS):
            truth = truth + walk * rng.normal(size=WIDTH)
            columns = rng.normal(size=(OUTPUTS, WIDTH)) / prior.std
            value, _ = filter_.step_linear(columns, columns @ truth + root @ rng.normal(size=OUTPUTS), noise)
            nis.append(value)
        error = filter_.mean - truth
        nees.append(error @ np.linalg.solve(filter_.covariance, error))
    low, high = band(WIDTH, RUNS)
    assert low < np.mean(nees) < high
    low, high = band(OUTPUTS, RUNS * STEPS)
    assert low < np.mean(nis) < high


def test_a_filter_told_too_little_noise_is_caught_by_the_same_test():
    """The band above is narrow enough to see a standard deviation that is 20 % too small."""
    rng, prior = np.random.default_rng(3), prior_of(WIDTH, 4)
    nees = []
    for _ in range(RUNS):
        filter_ = UnscentedFilter(prior, OUTPUTS, UnscentedSettings(adaptation="none"))
        truth = prior.mean + prior.std * rng.normal(size=WIDTH)
        for _ in range(STEPS):
            columns = rng.normal(size=(OUTPUTS, WIDTH)) / prior.std
            filter_.step_linear(columns, columns @ truth + 1.2 * rng.normal(size=OUTPUTS), np.eye(OUTPUTS))
        error = filter_.mean - truth
        nees.append(error @ np.linalg.solve(filter_.covariance, error))
    assert np.mean(nees) > band(WIDTH, RUNS)[1]


def run(adaptation, truth_at, steps=3000, seed=5):
    """Filter after a run over a truth that may move, and the errors along the way in prior standard deviations."""
    rng, prior = np.random.default_rng(seed), prior_of(WIDTH, 6, 3.0)
    filter_ = UnscentedFilter(prior, OUTPUTS, UnscentedSettings(adaptation=adaptation, rate=0.01))
    errors, process = [], []
    for k in range(steps):
        truth = prior.mean + prior.std * truth_at(k)
        columns = rng.normal(size=(OUTPUTS, WIDTH)) / prior.std
        filter_.step_linear(columns, columns @ truth + 0.3 * rng.normal(size=OUTPUTS), 0.09 * np.eye(OUTPUTS))
        errors.append((filter_.mean - truth) / prior.std)
        process.append(filter_._process.copy())
    return filter_, np.array(errors), np.array(process)


@pytest.mark.parametrize("seed", range(3))
def test_parameters_that_stand_still_get_no_process_noise(seed):
    still = np.array([0.7, -0.4, 1.2, 0.0])
    adaptive, _, _ = run("normalized", lambda k: still, seed=seed)
    plain, _, _ = run("none", lambda k: still, seed=seed)
    ratio = np.sqrt(np.diag(adaptive.scaled_covariance) / np.diag(plain.scaled_covariance))
    assert np.all(ratio < 1.3)


def test_a_drift_is_followed():
    """From the middle on the first parameter moves: the adaptive filter goes along, the other stays behind."""

    def truth_at(k):
        return np.array([0.5 + 1e-3 * max(0, k - 1500), -0.4, 1.2, 0.0])

    _, adaptive, process = run("normalized", truth_at)
    _, plain, _ = run("none", truth_at)
    late = slice(2500, None)
    assert np.abs(adaptive[late, 0]).mean() < 0.3 * np.abs(plain[late, 0]).mean()
    assert np.mean(process[1600:, 0] > 0) > 0.2
    # and never loses what it knew: the parameters that stand still stay where they are
    assert np.abs(adaptive[1500:, 1:]).max() < 0.2
    # before the drift both knew it equally well
    assert np.abs(adaptive[1000:1500, 0]).mean() < 2 * np.abs(plain[1000:1500, 0]).mean() + 1e-3


@pytest.mark.parametrize("adaptation", ["normalized", "robbins_monro"])
@pytest.mark.parametrize("speed", [1e-4, 3e-4, 1e-3, 3e-3, 1e-2])
def test_no_drift_makes_the_process_noise_run_away(adaptation, speed):
    """Process noise feeds the corrections it is learned from: that loop must be stable."""
    filter_, errors, process = run(adaptation, lambda k: np.array([speed * max(0, k - 1000), 0, 0, 0]))
    assert np.all(np.isfinite(errors))
    # never less sure than before any data
    assert process.max() < 1.0
    assert np.diag(filter_.scaled_covariance).max() < 1.0
    assert np.abs(errors[:, 1:]).max() < 5.0


def test_robbins_monro_is_the_sources_formula():
    """R_k = (1 - a) R_(k-1) + a diag(K v v^T K^T), used from the next step on (Oh 2003, 2.75)."""
    rng, prior = np.random.default_rng(7), prior_of(WIDTH, 8, 2.0)
    rate = 0.05
    filter_ = UnscentedFilter(prior, OUTPUTS, UnscentedSettings(adaptation="robbins_monro", rate=rate))
    mean, covariance, process = prior.mean, np.diag(prior.std**2), np.zeros(WIDTH)
    for _ in range(60):
        columns, measured = rng.normal(size=(OUTPUTS, WIDTH)) / prior.std, rng.normal(size=OUTPUTS)
        predicted = covariance + np.diag(process)
        spread = columns @ predicted @ columns.T + np.eye(OUTPUTS)
        gain = predicted @ columns.T @ np.linalg.inv(spread)
        correction = gain @ (measured - columns @ mean)
        mean, covariance = mean + correction, predicted - gain @ spread @ gain.T
        process = (1 - rate) * process + rate * correction**2
        filter_.step_linear(columns, measured, np.eye(OUTPUTS))
        np.testing.assert_allclose(filter_.mean / prior.std, mean / prior.std, atol=1e-9)
        np.testing.assert_allclose(np.diag(filter_.covariance) / prior.std**2, np.diag(covariance) / prior.std**2,
                                   rtol=1e-8)  # fmt: skip
