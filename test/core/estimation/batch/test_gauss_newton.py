# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Gauss and Newton's fit against SciPy's, and where data are silent."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import least_squares

from pkm_identification.estimation.batch.gauss_newton import gauss_newton

TIME = np.linspace(0.0, 3.0, 60)


def decay(measured):
    def residual(w):
        shape = np.exp(-w[1] * TIME)
        return w[0] * shape - measured, np.stack([shape, -w[0] * TIME * shape], axis=1)

    return residual


def test_a_noisy_fit_is_scipys():
    rng = np.random.default_rng(1)
    measured = 2.0 * np.exp(-0.7 * TIME) + 0.05 * rng.normal(size=60)
    residual = decay(measured)
    fit = gauss_newton(residual, np.array([1.0, 1.0]), tolerance=1e-10)
    other = least_squares(lambda w: residual(w)[0], [1.0, 1.0], xtol=1e-12, ftol=1e-12, gtol=1e-12)
    assert fit.converged
    assert fit.rank == 2
    np.testing.assert_allclose(fit.values, other.x, rtol=1e-7)
    expected = np.linalg.inv(other.jac.T @ other.jac) * 2 * other.cost / 58
    np.testing.assert_allclose(fit.covariance, expected, rtol=1e-5)
    np.testing.assert_allclose(fit.iterates[0], 1.0)
    np.testing.assert_allclose(fit.iterates[-1], fit.values)


def test_a_direction_without_effect_stays_where_it_started():
    def residual(w):
        # only the product counts
        return np.full(4, w[0] * w[1] - 6.0), np.tile([w[1], w[0]], (4, 1))

    fit = gauss_newton(residual, np.array([2.0, 2.0]))
    assert fit.converged
    assert fit.rank == 1
    assert fit.values == pytest.approx([np.sqrt(6.0)] * 2)
    # along which the data show nothing: one grows as the other shrinks
    (null,) = fit.directions[fit.rank :] * fit.scale
    assert null[1] == pytest.approx(-null[0], rel=1e-9)
    np.testing.assert_allclose(fit.covariance, 0.0, atol=1e-12)


def test_steps_out_of_the_domain_are_shortened():
    def residual(w):
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.log(w) - np.log(0.01), np.diag(1.0 / w)

    fit = gauss_newton(residual, np.array([1.0]))
    assert fit.converged
    assert fit.values == pytest.approx([0.01])


def test_an_end_without_convergence_is_said():
    fit = gauss_newton(decay(2.0 * np.exp(-0.7 * TIME)), np.array([1.0, 5.0]), limit=1)
    assert not fit.converged
    assert len(fit.iterates) == 2


def test_a_jacobian_of_the_wrong_sign_does_not_converge():
    def residual(w):
        return w - 3.0, -np.ones((1, 1))

    fit = gauss_newton(residual, np.array([1.0]))
    assert not fit.converged
    assert fit.values == pytest.approx([1.0])
    assert len(fit.iterates) == 2  # nothing else would come of more iterations


def test_a_jacobian_of_a_wrong_size_does_not_converge_early():
    def residual(w):
        # steps are a hundredth of what they should be
        return w - 3.0, np.full((1, 1), 100.0)

    fit = gauss_newton(residual, np.array([1.0]), limit=50)
    assert not fit.converged
    assert abs(fit.values[0] - 3.0) > 1.0


NOISY = 2.0 * np.exp(-0.7 * TIME) + 0.05 * np.random.default_rng(4).normal(size=60)


@pytest.mark.parametrize("units", [(1e6, 1e6), (1e-6, 1e-6), (1e6, 1e-6), (1e-6, 1e6)])
@pytest.mark.parametrize("limit", [2, 100])
def test_the_units_of_parameters_do_not_matter(units, limit):
    units = np.array(units)
    plain = decay(NOISY)

    def residual(w):
        error, jacobian = plain(w / units)
        return error, jacobian / units

    start = np.array([1.0, 1.0])
    fit = gauss_newton(plain, start, limit=limit)
    other = gauss_newton(residual, start * units, limit=limit)
    assert fit.converged == other.converged == (limit > 2)
    assert fit.rank == other.rank == 2
    assert len(fit.iterates) == len(other.iterates)
    np.testing.assert_allclose(other.values / units, fit.values, rtol=1e-8)
    np.testing.assert_allclose(other.covariance / np.outer(units, units), fit.covariance, rtol=1e-7)


def test_a_start_at_the_optimum_has_converged_at_once():
    residual = decay(NOISY)
    best = gauss_newton(residual, np.array([1.0, 1.0]), tolerance=1e-12).values
    fit = gauss_newton(residual, best)
    assert fit.converged
    assert len(fit.iterates) == 2
    np.testing.assert_allclose(fit.values, best, rtol=1e-10)


def test_a_decrease_that_is_lost_in_rounding_ends_the_iteration():
    start = np.array([1.0])

    def residual(w):
        # what the step promises, 4e-16 of the sum, is far below the 2e-13 that rounding does to it
        rounding = 0.0 if w[0] == start[0] else 1e-13
        return np.array([1.0 + rounding, 1e-8 * (w[0] - 3.0)]), np.array([[0.0], [1e-8]])

    assert gauss_newton(residual, start).converged


def test_a_typical_size_stands_in_for_a_start_at_zero():
    def residual(w):
        return np.array([w[0] - 3e-7, 1e-3 * (w[0] - 3e-7)]), np.array([[1.0], [1e-3]])

    fit = gauss_newton(residual, np.zeros(1), scale=np.array([1e-7]))
    assert fit.converged
    assert fit.values == pytest.approx([3e-7], rel=1e-12)


def test_a_curved_valley_ends_where_scipys_fit_does():
    """Rosenbrock's valley, with a third residual that makes the minimum's sum of squares other than zero."""

    def residual(w):
        error = np.array([10.0 * (w[1] - w[0] ** 2), 1.0 - w[0], 0.5 * w[0] * w[1] - 1.0])
        jacobian = np.array([[-20.0 * w[0], 10.0], [-1.0, 0.0], [0.5 * w[1], 0.5 * w[0]]])
        return error, jacobian

    start = np.array([-1.2, 1.0])
    fit = gauss_newton(residual, start)
    other = least_squares(
        lambda w: residual(w)[0], start, jac=lambda w: residual(w)[1], xtol=1e-15, ftol=1e-15, gtol=1e-15
    )
    assert fit.converged
    np.testing.assert_allclose(fit.values, other.x, rtol=1e-7)
    assert fit.variance == pytest.approx(2.0 * other.cost, rel=1e-10)
