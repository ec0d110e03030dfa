# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Every registered filter is what `ParameterFilter` promises, against the textbook's Kalman filter in SI units."""

from __future__ import annotations

import numpy as np
import pytest

from pkm_identification.estimation.filters.parameter_filter import DriftingFilter, ParameterFilter
from pkm_identification.estimation.filters.recursive import FILTERS
from pkm_identification.estimation.filters.unscented import UnscentedSettings
from pkm_identification.parameters.prior import Prior

WIDTH, OUTPUTS, EQUATIONS = 4, 3, 40
PRIOR = Prior(np.array([5.0, -2e-3, 300.0, 0.0]), np.array([1.0, 1e-3, 50.0, 10.0]))
STILL = UnscentedSettings(adaptation="none")
NOISE = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, -0.3], [0.0, -0.3, 1.5]])
STEP_STD = np.array([0.01, 1e-5, 0.2, 0.3])

every_filter = pytest.mark.parametrize("name", FILTERS)


class DenseKalman:
    """The textbook's filter: mean and covariance, Joseph's form."""

    def __init__(self, mean, covariance):
        self.mean, self.covariance = mean.copy(), covariance.copy()

    def walk(self, std):
        self.covariance += np.diag(std**2)

    def step(self, columns, measured):
        spread = columns @ self.covariance @ columns.T + NOISE
        innovation = measured - columns @ self.mean
        gain = self.covariance @ columns.T @ np.linalg.inv(spread)
        self.mean = self.mean + gain @ innovation
        left = np.eye(WIDTH) - gain @ columns
        self.covariance = left @ self.covariance @ left.T + gain @ NOISE @ gain.T
        return float(innovation @ np.linalg.solve(spread, innovation))


def equations(seed=0):
    rng = np.random.default_rng(seed)
    true = PRIOR.mean + PRIOR.std * rng.normal(size=WIDTH)
    root = np.linalg.cholesky(NOISE)
    for _ in range(EQUATIONS):
        columns = rng.normal(size=(OUTPUTS, WIDTH)) / PRIOR.std
        yield columns, columns @ true + root @ rng.normal(size=OUTPUTS)


def fresh(name):
    return FILTERS[name](PRIOR, OUTPUTS, STILL)


def same(estimate, exact):
    np.testing.assert_allclose((estimate.mean - exact.mean) / PRIOR.std, 0.0, atol=1e-10)
    units = np.outer(PRIOR.std, PRIOR.std)
    np.testing.assert_allclose(estimate.covariance / units, exact.covariance / units, rtol=1e-8, atol=1e-12)


@every_filter
def test_it_has_the_members(name):
    assert isinstance(fresh(name), ParameterFilter)


@every_filter
def test_it_starts_at_its_prior(name):
    estimate = fresh(name)
    assert estimate.prior is PRIOR
    assert estimate.count == 0
    np.testing.assert_array_equal(estimate.mean, PRIOR.mean)
    np.testing.assert_allclose(estimate.covariance, np.diag(PRIOR.std**2), rtol=1e-15)


@every_filter
def test_equations_are_taken_as_the_exact_filter_takes_them(name):
    estimate, exact = fresh(name), DenseKalman(PRIOR.mean, np.diag(PRIOR.std**2))
    for number, (columns, measured) in enumerate(equations(), start=1):
        nis, accepted = estimate.step_linear(columns, measured, NOISE)
        assert accepted
        assert nis == pytest.approx(exact.step(columns, measured), rel=1e-9)
        assert estimate.count == number
    same(estimate, exact)


@every_filter
def test_what_is_scaled_is_in_the_priors_deviations(name):
    estimate = fresh(name)
    for columns, measured in equations():
        estimate.step_linear(columns, measured, NOISE)
    mean, root = estimate.scaled_state
    np.testing.assert_allclose(PRIOR.mean + PRIOR.std * mean, estimate.mean, rtol=1e-14)
    np.testing.assert_allclose(root @ root.T, estimate.scaled_covariance, rtol=1e-12, atol=1e-18)
    units = np.outer(PRIOR.std, PRIOR.std)
    np.testing.assert_allclose(estimate.scaled_covariance * units, estimate.covariance, rtol=1e-14)


@every_filter
def test_a_gate_keeps_an_equation_out(name):
    estimate = fresh(name)
    columns, measured = next(equations())
    before = estimate.mean, estimate.covariance
    nis, accepted = estimate.step_linear(columns, measured + 1e3, NOISE, 20.0)
    assert nis > 20.0
    assert not accepted
    nis, accepted = estimate.step_linear(columns, measured * np.nan, NOISE)
    assert not accepted
    assert estimate.count == 0
    np.testing.assert_array_equal(estimate.mean, before[0])
    np.testing.assert_array_equal(estimate.covariance, before[1])


@every_filter
def test_it_goes_on_from_an_estimate(name):
    rng = np.random.default_rng(3)
    root = 0.2 * np.diag(PRIOR.std) @ (np.eye(WIDTH) + 0.2 * rng.normal(size=(WIDTH, WIDTH)))
    mean = PRIOR.mean + 0.5 * PRIOR.std
    estimate, exact = fresh(name), DenseKalman(mean, root @ root.T)
    estimate.start_from(mean, root @ root.T)
    estimate.count = 17
    same(estimate, exact)
    for columns, measured in equations(1):
        estimate.step_linear(columns, measured, NOISE)
        exact.step(columns, measured)
    same(estimate, exact)
    assert estimate.count == 17 + EQUATIONS


@every_filter
def test_a_reset_forgets_everything(name):
    estimate, again = fresh(name), fresh(name)
    for columns, measured in equations(2):
        estimate.step_linear(columns, measured, NOISE)
    estimate.reset()
    assert estimate.count == 0
    for columns, measured in equations():
        estimate.step_linear(columns, measured, NOISE)
        again.step_linear(columns, measured, NOISE)
    np.testing.assert_array_equal(estimate.mean, again.mean)
    np.testing.assert_array_equal(estimate.covariance, again.covariance)


@pytest.mark.parametrize("name", [name for name in FILTERS if isinstance(fresh(name), DriftingFilter)])
def test_parameters_walk_as_in_the_exact_filter(name):
    estimate, exact = fresh(name), DenseKalman(PRIOR.mean, np.diag(PRIOR.std**2))
    estimate.add_process_noise(STEP_STD)
    for columns, measured in equations():
        exact.walk(STEP_STD)
        estimate.step_linear(columns, measured, NOISE)
        exact.step(columns, measured)
    same(estimate, exact)


def test_which_filters_have_process_noise():
    assert {name for name in FILTERS if isinstance(fresh(name), DriftingFilter)} == {"ukf", "ekf"}
