# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The recursive estimator in the field: it learns its noise, keeps outliers out, and is never locked out."""

from __future__ import annotations

import numpy as np
import pytest
from core.estimation.toy_problems import equations, parameter_set, positive_definite, prior_of

from pkm_identification.estimation.batch.least_squares import least_squares
from pkm_identification.estimation.filters.recursive import GATED_RUN, UNGATED, RecursiveEstimator

pytestmark = pytest.mark.slow

KINDS = pytest.mark.parametrize("kind", ["ukf", "rls"])
WIDTH, OUTPUTS = 4, 6


def estimator(kind: str, prior, **settings) -> RecursiveEstimator:
    return RecursiveEstimator(parameter_set(prior), kind, force_scale=20.0, **settings)


def data(rng, prior, truth, count, std=0.2):
    spread = np.linalg.cholesky(positive_definite(rng, OUTPUTS))
    for k in range(count):
        columns = rng.normal(size=(OUTPUTS, WIDTH)) / prior.std
        yield float(k), columns, columns @ truth + std * spread @ rng.normal(size=OUTPUTS)


@KINDS
def test_agrees_with_least_squares_within_the_standard_deviation(kind):
    rng, prior = np.random.default_rng(1), prior_of(WIDTH, 2, 4.0)
    truth = prior.mean + 0.5 * prior.std
    rows = list(data(rng, prior, truth, 800))
    recursive = estimator(kind, prior)
    for row in rows:
        assert recursive.step(*row)
    fit = least_squares(equations(np.array([r[1] for r in rows]), np.array([r[2] for r in rows])), prior)
    std = np.sqrt(np.diag(fit.covariance))
    assert np.all(np.abs(recursive.filter.mean - fit.mean) < std)
    result = recursive.estimate()
    assert np.all(np.abs(result.values - truth) < 5 * result.std)
    assert result.count == 800
    assert result.time == 799.0
    assert result.status == ("identifiable",) * WIDTH


@KINDS
def test_learns_the_noise_and_its_correlation(kind):
    rng, prior = np.random.default_rng(3), prior_of(WIDTH, 4)
    truth = prior.mean + prior.std
    recursive = estimator(kind, prior)
    rows = list(data(rng, prior, truth, 1500))
    residual = np.array([y - a @ truth for _, a, y in rows])
    for row in rows:
        recursive.step(*row)
    expected = residual.T @ residual / len(residual)
    # an average over the last 250 equations
    np.testing.assert_allclose(recursive.noise, expected, atol=0.35 * np.trace(expected) / OUTPUTS)
    assert recursive.estimate().nis == pytest.approx(OUTPUTS, rel=0.25)
    np.linalg.cholesky(recursive.noise)


@KINDS
def test_outliers_are_kept_out(kind):
    rng, prior = np.random.default_rng(5), prior_of(WIDTH, 6)
    truth = prior.mean + prior.std
    clean, dirty = estimator(kind, prior), estimator(kind, prior)
    for k, (time, columns, measured) in enumerate(data(rng, prior, truth, 600)):
        clean.step(time, columns, measured)
        if k > UNGATED + 100 and k % 10 == 0:
            # a hundred standard deviations off
            assert not dirty.step(time, columns, measured + 20.0)
        dirty.step(time, columns, measured)
    assert dirty.gated == len(range(160, 600, 10))
    assert dirty.reopened == 0
    np.testing.assert_allclose(dirty.filter.mean, clean.filter.mean, atol=1e-2)
    np.testing.assert_allclose(dirty.noise, clean.noise, atol=1e-2)


@KINDS
def test_a_change_of_the_machine_is_believed_after_a_run_of_rejections(kind):
    """A payload is taken up: all innovations are outside the gate. The filter must come round, and say that it did."""
    rng, prior = np.random.default_rng(7), prior_of(WIDTH, 8, 3.0)
    before = prior.mean + 0.5 * prior.std
    after = before + np.array([1.5, 0, 0, 0]) * prior.std
    recursive = estimator(kind, prior)
    for row in data(rng, prior, before, 400, std=0.02):
        recursive.step(*row)
    assert recursive.reopened == 0
    accepted = [recursive.step(*row) for row in data(rng, prior, after, 400, std=0.02)]
    assert accepted.index(True) <= GATED_RUN + 1
    assert recursive.reopened >= 1
    result = recursive.estimate()
    np.testing.assert_allclose(result.values / prior.std, after / prior.std, atol=0.05)


@KINDS
@pytest.mark.parametrize("speed", [3e-4, 1e-3, 1e-2])
def test_slow_change_of_the_machine_is_survived(kind, speed):
    """Friction that falls as the machine warms up: followed or lagged behind, but the rest stays known."""
    rng, prior = np.random.default_rng(18), prior_of(WIDTH, 2, 4.0)
    recursive, start = estimator(kind, prior), prior.mean + 0.5 * prior.std
    for k in range(2500):
        truth = start + np.array([speed * max(0, k - 1000), 0, 0, 0]) * prior.std
        columns = rng.normal(size=(OUTPUTS, WIDTH)) / prior.std
        recursive.step(float(k), columns, columns @ truth + 0.2 * rng.normal(size=OUTPUTS))
    error = (recursive.estimate().values - truth) / prior.std
    assert np.all(np.abs(error[1:]) < 1.0)
    assert abs(error[0]) < 1.1 * speed * 1500
    assert np.all(np.sqrt(np.diag(recursive.filter.covariance)) < prior.std)


@KINDS
def test_equations_that_are_not_finite_are_counted_and_forgotten(kind):
    rng, prior = np.random.default_rng(9), prior_of(WIDTH, 10)
    truth = prior.mean + prior.std
    recursive = estimator(kind, prior)
    for k, (time, columns, measured) in enumerate(data(rng, prior, truth, 300)):
        if k % 50 == 25:
            broken = columns.copy()
            broken[0, 0] = np.nan
            assert not recursive.step(time, broken, measured)
            assert not recursive.step(time, columns, measured * np.nan)
        assert recursive.step(time, columns, measured)
    assert recursive.gated == 12
    result = recursive.estimate()
    assert np.all(np.isfinite(result.values))
    assert np.all(np.isfinite(result.covariance))
    np.testing.assert_allclose(result.values, truth, atol=0.1)
    assert np.all(np.isfinite(recursive.noise))


@KINDS
def test_a_long_stretch_of_nan_does_no_lasting_harm(kind):
    rng, prior = np.random.default_rng(11), prior_of(WIDTH, 12)
    truth = prior.mean + prior.std
    recursive = estimator(kind, prior)
    for row in data(rng, prior, truth, 200):
        recursive.step(*row)
    for k in range(3 * GATED_RUN):
        recursive.step(float(k), np.full((OUTPUTS, WIDTH), np.nan), np.zeros(OUTPUTS))
    for row in data(rng, prior, truth, 300):
        recursive.step(*row)
    np.testing.assert_allclose(recursive.estimate().values, truth, atol=0.1)


@KINDS
def test_reset_is_a_new_estimator(kind):
    rng, prior = np.random.default_rng(13), prior_of(WIDTH, 14)
    used, fresh = estimator(kind, prior), estimator(kind, prior)
    for row in data(rng, prior, prior.mean, 100):
        used.step(*row)
    used.reset()
    for row in data(rng, prior, prior.mean + prior.std, 120):
        used.step(*row)
        fresh.step(*row)
    np.testing.assert_array_equal(used.filter.mean, fresh.filter.mean)
    np.testing.assert_array_equal(used.noise, fresh.noise)
    a, b = used.estimate(), fresh.estimate()
    np.testing.assert_array_equal(a.covariance, b.covariance)
    assert (a.nis, a.count, a.status, a.time) == (b.nis, b.count, b.status, b.time)
    assert len(used.trace) == 0  # online nothing may grow with the stream


@KINDS
def test_before_any_data_the_estimate_is_the_prior_and_shows_nothing(kind):
    prior = prior_of(WIDTH, 15, 4.0)
    result = estimator(kind, prior).estimate()
    np.testing.assert_array_equal(result.values, prior.mean)
    np.testing.assert_allclose(result.std, prior.std)
    assert result.status == ("unidentifiable",) * WIDTH
    assert result.shown("a") is None
    assert result.count == 0


@KINDS
def test_perfect_data_do_not_make_infinite_weights(kind):
    rng, prior = np.random.default_rng(16), prior_of(WIDTH, 17, 4.0)
    truth = prior.mean + prior.std
    recursive = estimator(kind, prior)
    for row in data(rng, prior, truth, 1500, std=0.0):
        recursive.step(*row)
    result = recursive.estimate()
    assert recursive.reopened == 0
    np.testing.assert_allclose(result.values / prior.std, truth / prior.std, atol=1e-4)
    assert np.all(result.std > 0)
    assert np.all(np.isfinite(result.covariance))
