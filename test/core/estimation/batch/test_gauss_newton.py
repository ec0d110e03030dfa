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
    np.testing.assert_allclose(np.abs(fit.null_directions[0]), np.sqrt(0.5), rtol=1e-9)
    np.testing.assert_allclose(np.abs(fit.null_directions @ [1.0, -1.0]), np.sqrt(2.0), rtol=1e-9)
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
