# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Filters over long runs and bad equations: positive definite, silent where the data are silent, never poisoned."""

from __future__ import annotations

import numpy as np
import pytest
from core.estimation.toy_problems import prior_of

from pkm_identification.estimation.filters.unscented import UnscentedFilter, UnscentedSettings
from pkm_identification.parameters.prior import Prior

pytestmark = pytest.mark.slow

STEPS = 20_000


def assert_healthy(filter_) -> None:
    covariance = filter_.scaled_covariance
    assert np.all(np.isfinite(filter_.mean))
    assert np.all(np.isfinite(covariance))
    np.testing.assert_allclose(covariance, covariance.T, rtol=0, atol=1e-15)
    # its root has full rank: positive definite however large the condition, where P itself would have lost it
    singular = np.linalg.svd(filter_._root, compute_uv=False)
    assert singular[-1] > 0.0
    assert np.all(np.diag(covariance) > 0.0)


@pytest.mark.parametrize("adaptation", ["none", "normalized"])
@pytest.mark.parametrize("level", [1e-10, 1e-3, 1.0])
def test_long_run_with_silent_directions_and_scales_of_nine_decades(adaptation, level):
    """Eight parameters of size 1e-6 to 1e3; the data show five directions of them."""
    rng = np.random.default_rng(1)
    std = np.logspace(-6, 3, 8)
    prior = Prior(std * rng.normal(size=8), std)
    shown = np.linalg.qr(rng.normal(size=(8, 8)))[0]
    silent = shown[:, 5:]
    shown = shown[:, :5]
    truth = prior.mean + std * rng.normal(size=8)
    filter_ = UnscentedFilter(prior, 3, UnscentedSettings(adaptation=adaptation))
    noise = level * np.eye(3)
    patterns = rng.normal(size=(50, 3, 5)) @ shown.T / std
    for k in range(STEPS):
        columns = patterns[k % 50]
        measured = columns @ truth + np.sqrt(level) * rng.normal(size=3)
        filter_.step_linear(columns, measured, noise)
        if k % 4000 == 0:
            assert_healthy(filter_)
    assert_healthy(filter_)
    covariance = filter_.scaled_covariance
    error = (filter_.mean - truth) / std
    # what the data never showed is known as well as before: same spread, same mean
    if adaptation == "none":
        np.testing.assert_allclose(silent.T @ covariance @ silent, np.eye(3), atol=1e-6)
        drift = silent.T @ ((filter_.mean - prior.mean) / std)
        # innovations round to 1e-16 of the force, which is a part in 1e11 of the smallest noise, 20 000 times
        np.testing.assert_allclose(drift, 0.0, atol=1e-5)
        # and what they did show is known as well as 20 000 equations allow
        spread = np.sqrt(np.diag(shown.T @ covariance @ shown))
        assert np.all(spread < 5 * np.sqrt(level / STEPS))
        assert np.all(np.abs(shown.T @ error) < 6 * spread)
    else:
        assert np.linalg.eigvalsh(silent.T @ covariance @ silent)[0] > 0.5


def test_parameter_without_a_column_keeps_its_prior_exactly():
    prior, rng = prior_of(4, 2, 6.0), np.random.default_rng(3)
    filter_ = UnscentedFilter(prior, 2, UnscentedSettings(adaptation="none"))
    for _ in range(2000):
        columns = rng.normal(size=(2, 4)) / prior.std
        columns[:, 2] = 0.0
        filter_.step_linear(columns, rng.normal(size=2), 1e-4 * np.eye(2))
    std = np.sqrt(np.diag(filter_.covariance))
    assert std[2] == pytest.approx(prior.std[2], rel=1e-9)
    assert filter_.mean[2] == pytest.approx(prior.mean[2], rel=1e-9)
    assert np.all(np.delete(std / prior.std, 2) < 1e-3)


def test_equations_of_nothing_change_nothing():
    prior = prior_of(4, 4)
    filter_ = UnscentedFilter(prior, 2)
    for _ in range(1000):
        nis, accepted = filter_.step_linear(np.zeros((2, 4)), np.zeros(2), np.eye(2))
        assert accepted
        assert nis == 0.0
    np.testing.assert_array_equal(filter_.mean, prior.mean)
    np.testing.assert_allclose(filter_.scaled_covariance, np.eye(4), atol=1e-12)


BAD = {
    "nan_column": ("columns", np.nan),
    "inf_column": ("columns", np.inf),
    "nan_measured": ("measured", np.nan),
    "inf_measured": ("measured", -np.inf),
    "nan_noise": ("noise", np.nan),
    "huge_measured": ("measured", 1e300),
}
# finite after all: no information about one output, or an absurd amount about one parameter
ODD = {"inf_noise": ("noise", np.inf), "huge_column": ("columns", 1e300), "large_column": ("columns", 1e120)}


@pytest.mark.parametrize("case", [*BAD, *ODD])
@pytest.mark.parametrize("adaptation", ["none", "normalized", "robbins_monro"])
def test_equation_that_is_not_finite_is_refused_and_harms_nothing(case, adaptation):
    prior, rng = prior_of(3, 5), np.random.default_rng(6)
    filter_ = UnscentedFilter(prior, 2, UnscentedSettings(adaptation=adaptation))
    undisturbed = UnscentedFilter(prior, 2, UnscentedSettings(adaptation=adaptation))
    for k in range(40):
        good = {"columns": rng.normal(size=(2, 3)), "measured": rng.normal(size=2), "noise": np.eye(2)}
        if k == 20:
            bad = {name: value.copy() for name, value in good.items()}
            name, value = (BAD | ODD)[case]
            bad[name].flat[0] = value
            before = filter_.mean
            _, accepted = filter_.step_linear(bad["columns"], bad["measured"], bad["noise"], gate=30.0)
            assert np.all(np.isfinite(filter_.mean))
            assert np.all(np.isfinite(filter_.covariance))
            if case in BAD:
                assert not accepted
                np.testing.assert_array_equal(filter_.mean, before)
        for each in (filter_, undisturbed):
            each.step_linear(**good)
    assert np.all(np.isfinite(filter_.covariance))
    if case in BAD:
        # one time update more may have added a little process noise
        np.testing.assert_allclose(filter_.mean, undisturbed.mean, atol=0.2)
        assert filter_.count == undisturbed.count == 40


@pytest.mark.parametrize("noise", [np.zeros((2, 2)), -np.eye(2), np.array([[1.0, 2.0], [2.0, 1.0]])])
def test_noise_that_is_no_covariance_is_refused(noise):
    """Zero and indefinite noise; with Omega = 0 the sum is not positive definite either."""
    filter_ = UnscentedFilter(prior_of(3, 7), 2)
    before = filter_.mean
    _, accepted = filter_.step_linear(np.eye(2, 3), np.ones(2), noise)
    assert not accepted
    np.testing.assert_array_equal(filter_.mean, before)


def test_gate_keeps_an_outlier_out_and_lets_the_rest_in():
    prior, rng = prior_of(3, 8), np.random.default_rng(9)
    truth = prior.mean + prior.std
    filter_ = UnscentedFilter(prior, 2, UnscentedSettings(adaptation="none"))
    for k in range(300):
        columns = rng.normal(size=(2, 3))
        measured = columns @ truth + 0.1 * rng.normal(size=2)
        if k == 200:
            before, spread = filter_.mean, filter_.covariance
            nis, accepted = filter_.step_linear(columns, measured + 5.0, 0.01 * np.eye(2), gate=40.0)
            assert not accepted
            assert nis > 40.0
            np.testing.assert_array_equal(filter_.mean, before)
            np.testing.assert_array_equal(filter_.covariance, spread)
        _, accepted = filter_.step_linear(columns, measured, 0.01 * np.eye(2), gate=40.0)
        assert accepted
    np.testing.assert_allclose(filter_.mean, truth, atol=0.05)


def test_reset_is_a_new_filter():
    prior, rng = prior_of(3, 10), np.random.default_rng(11)
    used, fresh = UnscentedFilter(prior, 2), UnscentedFilter(prior, 2)
    for _ in range(100):
        used.step_linear(rng.normal(size=(2, 3)), rng.normal(size=2), np.eye(2))
    used.reset()
    for _ in range(20):
        columns, measured = rng.normal(size=(2, 3)), rng.normal(size=2)
        assert used.step_linear(columns, measured, np.eye(2)) == fresh.step_linear(
            columns, measured, np.eye(2)
        )
    np.testing.assert_array_equal(used.mean, fresh.mean)
    np.testing.assert_array_equal(used.covariance, fresh.covariance)


def test_continues_from_an_estimate():
    prior, rng = prior_of(4, 12, 4.0), np.random.default_rng(13)
    first, second = (UnscentedFilter(prior, 2, UnscentedSettings(adaptation="none")) for _ in range(2))
    data = [(rng.normal(size=(2, 4)) / prior.std, rng.normal(size=2)) for _ in range(60)]
    for columns, measured in data[:30]:
        first.step_linear(columns, measured, np.eye(2))
    second.start_from(first.mean, first.covariance)
    for columns, measured in data[30:]:
        for filter_ in (first, second):
            filter_.step_linear(columns, measured, np.eye(2))
    np.testing.assert_allclose(second.mean / prior.std, first.mean / prior.std, atol=1e-9)
    np.testing.assert_allclose(second.scaled_covariance, first.scaled_covariance, atol=1e-9)
