# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The UKF: the textbook's weighted sums in another form, the Kalman filter on linear models, filterpy's on others."""

from __future__ import annotations

import numpy as np
import pytest
from core.estimation.toy_problems import TextbookKalman, TextbookUnscented, positive_definite, prior_of
from filterpy.kalman import KalmanFilter, MerweScaledSigmaPoints, UnscentedKalmanFilter

from pkm_identification.estimation.filters.unscented import (
    UnscentedFilter,
    UnscentedSettings,
    absorb,
)
from pkm_identification.parameters.prior import Prior

pytestmark = pytest.mark.slow

WIDTH, OUTPUTS = 5, 3
STILL = UnscentedSettings(adaptation="none")


def curved(w: np.ndarray) -> np.ndarray:
    """A model with strong curvature and coupling: five parameters, three outputs."""
    return np.array([
        w[0] * np.exp(0.4 * w[1]) + w[2],
        np.sin(w[1] + w[3]) + 0.3 * w[2] ** 2,
        w[0] * w[3] - w[4] * abs(w[4]),
    ])  # fmt: skip


@pytest.mark.parametrize("alpha", [1.0, 0.3, 0.05])
@pytest.mark.parametrize(("beta", "kappa"), [(2.0, 0.0), (2.0, -2.0), (1.0, 3.0)])
def test_curvature_as_noise_is_exactly_the_weighted_sums(alpha, beta, kappa):
    """d, Pdd and Pwd by their sums over the sigma points against the form the filter uses."""
    rng = np.random.default_rng(1)
    for _ in range(20):
        root = np.tril(rng.normal(size=(WIDTH, WIDTH))) + np.eye(WIDTH)
        book = TextbookUnscented(rng.normal(size=WIDTH), root, alpha, beta, kappa)
        outputs = np.array([curved(point) for point in book.points()])
        measured = rng.normal(size=OUTPUTS)
        noise = positive_definite(rng, OUTPUTS)
        expected_mean, expected_covariance, expected_nis = book.update(outputs, measured, noise)
        mean, found = book.mean.copy(), root.copy()
        each = np.ascontiguousarray(outputs.T)
        nis, status = absorb(each, measured, noise, book.gamma, alpha, beta, np.inf, mean, found)
        assert status == 0
        # the sums cancel by weights of 1 / alpha^2, twice
        rounding = 1e-13 / alpha**2 * max(1.0, np.abs(outputs).max() ** 2)
        np.testing.assert_allclose(mean, expected_mean, rtol=1e-9, atol=1e3 * rounding)
        np.testing.assert_allclose(found @ found.T, expected_covariance, rtol=1e-9, atol=1e3 * rounding)
        assert nis == pytest.approx(expected_nis, rel=1e-7)


def run_linear(filter_, prior, count, seed, process, rank=None):
    """Feed random linear equations; the textbook's filter beside it. Yields both."""
    rng = np.random.default_rng(seed)
    width = len(prior.mean)
    book = TextbookKalman(prior.mean, np.diag(prior.std**2))
    truth = prior.mean + prior.std * rng.normal(size=width)
    for _ in range(count):
        columns = rng.normal(size=(OUTPUTS, width)) / prior.std
        noise = positive_definite(rng, OUTPUTS, 0.1)
        measured = columns @ truth + np.linalg.cholesky(noise) @ rng.normal(size=OUTPUTS)
        expected = book.step(columns, measured, noise, np.diag(process**2))
        nis, accepted = filter_.step_linear(columns, measured, noise)
        assert accepted
        yield book, nis, expected


@pytest.mark.parametrize("noisy", [True, False])
@pytest.mark.parametrize("decades", [0.0, 9.0])
def test_equals_the_textbook_filter_on_a_linear_model(noisy, decades):
    """With Q != 0: a filter that forgot R, or did not draw its points again after Q, would differ."""
    prior = prior_of(8, 2, decades)
    process = 0.02 * prior.std * np.arange(1, 9) if noisy else np.zeros(8)
    filter_ = UnscentedFilter(prior, OUTPUTS, STILL)
    filter_.add_process_noise(process)
    for book, nis, expected in run_linear(filter_, prior, 300, 3, process):
        np.testing.assert_allclose(filter_.mean / prior.std, book.mean / prior.std, atol=1e-9)
        scaled = book.covariance / np.outer(prior.std, prior.std)
        np.testing.assert_allclose(filter_.scaled_covariance, scaled, atol=1e-9)
        assert nis == pytest.approx(expected, rel=1e-7)
    assert filter_.count == 300
    np.testing.assert_allclose(filter_.covariance, np.outer(prior.std, prior.std) * filter_.scaled_covariance)


def test_equals_filterpys_kalman_filter_with_process_noise():
    prior, rng = prior_of(8, 20, 4.0), np.random.default_rng(21)
    process = 0.03 * prior.std * np.arange(1, 9)
    ours, theirs = UnscentedFilter(prior, OUTPUTS, STILL), KalmanFilter(dim_x=8, dim_z=OUTPUTS)
    ours.add_process_noise(process)
    # theirs in units of the prior's standard deviations: it has no other way to bear four decades
    theirs.x, theirs.P, theirs.F, theirs.Q = (
        np.zeros((8, 1)),
        np.eye(8),
        np.eye(8),
        np.diag((process / prior.std) ** 2),
    )
    truth = prior.mean + prior.std * rng.normal(size=8)
    for _ in range(300):
        truth = truth + process * rng.normal(size=8)
        columns, noise = rng.normal(size=(OUTPUTS, 8)) / prior.std, positive_definite(rng, OUTPUTS, 0.1)
        measured = columns @ truth + np.linalg.cholesky(noise) @ rng.normal(size=OUTPUTS)
        theirs.predict()
        theirs.update((measured - columns @ prior.mean)[:, None], R=noise, H=columns * prior.std)
        ours.step_linear(columns, measured, noise)
        np.testing.assert_allclose((ours.mean - prior.mean) / prior.std, theirs.x[:, 0], atol=1e-9)
        np.testing.assert_allclose(ours.scaled_covariance, theirs.P, atol=1e-9)


@pytest.mark.parametrize("settings", [UnscentedSettings(alpha=a, kappa=k, adaptation="none")
                                      for a, k in ((1e-4, 0.0), (1.0, 0.0), (1e-3, 3.0), (0.5, -4.0))])  # fmt: skip
def test_spread_of_the_points_does_not_matter_on_a_linear_model(settings):
    prior = prior_of(WIDTH, 4)
    process = 0.05 * prior.std
    filter_ = UnscentedFilter(prior, OUTPUTS, settings)
    filter_.add_process_noise(process)
    for book, _, _ in run_linear(filter_, prior, 100, 5, process):
        np.testing.assert_allclose(filter_.mean, book.mean, atol=1e-8)


def test_step_by_a_function_equals_the_compiled_linear_step():
    prior, rng = prior_of(WIDTH, 8, 3.0), np.random.default_rng(9)
    compiled, general = UnscentedFilter(prior, OUTPUTS, STILL), UnscentedFilter(prior, OUTPUTS, STILL)
    for filter_ in (compiled, general):
        filter_.add_process_noise(0.01 * prior.std)
    for _ in range(50):
        columns, measured = rng.normal(size=(OUTPUTS, WIDTH)) / prior.std, rng.normal(size=OUTPUTS)
        first = compiled.step_linear(columns, measured, np.eye(OUTPUTS))
        second = general.step(lambda w, columns=columns: columns @ w, measured, np.eye(OUTPUTS))
        assert first[0] == pytest.approx(second[0], rel=1e-6)
    np.testing.assert_allclose(compiled.mean / prior.std, general.mean / prior.std, atol=1e-9)


@pytest.mark.parametrize(("alpha", "beta", "kappa"), [(1.0, 2.0, 0.0), (0.5, 2.0, 1.0), (0.3, 1.0, -1.0)])
def test_equals_filterpy_on_a_curved_model(alpha, beta, kappa):
    """Both draw the sigma points again after adding Q.

    The points are those of a square root of P, and square roots differ: filterpy takes the Cholesky factor, this filter
    whatever its updates leave, made triangular whenever process noise is added. With Q in every step both are
    the Cholesky factor (up to the signs of its columns, which a symmetric set of points does not feel), so even the
    curvature is sampled alike.
    """
    prior, rng = prior_of(WIDTH, 10), np.random.default_rng(11)
    prior = Prior(prior.mean, 0.3 * prior.std)
    process, noise = 0.05 * prior.std * np.arange(1, 6), 0.2 * np.eye(OUTPUTS)
    ours = UnscentedFilter(prior, OUTPUTS, UnscentedSettings(alpha, beta, kappa, "none"))
    ours.add_process_noise(process)
    theirs = UnscentedKalmanFilter(
        dim_x=WIDTH, dim_z=OUTPUTS, dt=1.0, hx=curved, fx=lambda w, dt: w,
        points=MerweScaledSigmaPoints(WIDTH, alpha, beta, kappa),
    )  # fmt: skip
    theirs.x, theirs.P = prior.mean.copy(), np.diag(prior.std**2)
    theirs.Q, theirs.R = np.diag(process**2), noise
    truth = prior.mean + 0.5 * prior.std
    for _ in range(15):
        measured = curved(truth) + 0.4 * rng.normal(size=OUTPUTS)
        theirs.predict()
        theirs.update(measured)
        nis, accepted = ours.step(curved, measured, noise)
        assert accepted
        np.testing.assert_allclose(ours.mean, theirs.x, atol=1e-9)
        np.testing.assert_allclose(ours.covariance, theirs.P, atol=1e-9)
        assert nis == pytest.approx(theirs.y @ np.linalg.solve(theirs.S, theirs.y), rel=1e-8)


def test_points_that_are_not_drawn_again_would_show():
    """The check above sees what it is meant to see: without the redraw the result is another one."""
    prior = Prior(np.zeros(WIDTH), np.full(WIDTH, 0.3))
    process, measured, noise = np.full(WIDTH, 0.2), np.ones(OUTPUTS), 0.2 * np.eye(OUTPUTS)
    ours = UnscentedFilter(prior, OUTPUTS, UnscentedSettings(0.5, 2.0, 0.0, "none"))
    ours.add_process_noise(process)
    ours.step(curved, measured, noise)
    stale = TextbookUnscented(prior.mean, np.diag(prior.std), 0.5, 2.0, 0.0)
    mean, _, _ = stale.update(np.array([curved(p) for p in stale.points()]), measured, noise)
    assert np.abs(mean - ours.mean).max() > 1e-2


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"alpha": 0.0}, "alpha"),
        ({"alpha": 1.5}, "alpha"),
        ({"alpha": 1.0, "beta": 0.5}, r"beta is 0\.5, must be at least alpha\^2"),
        ({"adaptation": "magic"}, "none, robbins_monro, normalized"),
        ({"rate": 0.0}, "process noise factor 0"),
        ({"rate": 1.0}, "process noise factor 1"),
    ],
)
def test_impossible_settings_are_refused(values, message):
    with pytest.raises(ValueError, match=message):
        UnscentedSettings(**values)


def test_kappa_that_leaves_no_spread_is_refused():
    with pytest.raises(ValueError, match="kappa"):
        UnscentedFilter(prior_of(3), 1, UnscentedSettings(kappa=-3.0))
