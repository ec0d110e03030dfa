# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Constrained least squares: least squares where that is physical, else the nearest physical estimate."""

from __future__ import annotations

import numpy as np
import pytest
from core.estimation.consistency.made_equations import coordinates_of, equations, least_squares_of, truth_of
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from pkm_identification.errors import NotConverged
from pkm_identification.estimation.consistency.constrained_least_squares import (
    constrained_least_squares,
    project,
)
from pkm_identification.estimation.consistency.constraints import inequalities, is_physical, violations

SHOWN = ("identifiable",) * 20


def information_root(rng: np.random.Generator, c, decades: float) -> np.ndarray:
    """A square root of an information matrix whose eigenvalues spread over some decades, with correlations."""
    width = len(c.parameter_prior.std)
    turned = np.linalg.qr(rng.normal(size=(width, width)))[0]
    return 10.0 ** rng.uniform(0.0, decades, (width, 1)) * turned / c.parameter_prior.std


def test_equals_least_squares_when_that_is_physical():
    c, eq = coordinates_of(), equations(400, 0.5, 0)
    fit, problem = least_squares_of(c, eq)
    assert is_physical(inequalities(c.layout), fit.mean)
    again = constrained_least_squares(fit, problem)
    np.testing.assert_array_equal(again.mean, fit.mean)
    np.testing.assert_array_equal(again.covariance, fit.covariance)
    assert again.iterations == fit.iterations


@pytest.mark.parametrize("beyond", [1e-3, 1e-6, 1e-9])
def test_solution_goes_over_into_least_squares(beyond):
    """A target a little outside: the solver runs, and moves it by that little and not by its own tolerance."""
    c, rng = coordinates_of(), np.random.default_rng(1)
    target, root = truth_of(), information_root(rng, c, 2.0)
    k = c.layout.parameters.names.index("viscous_2")
    std = np.linalg.inv(root.T @ root)[k, k] ** 0.5
    target[k] = -beyond * std
    found = project(target, root, c)
    assert found.active
    # the path ends when the half sum of squares is at most 1e-7 above its least value
    square = np.sum((root @ (found.values - target)) ** 2)
    assert beyond**2 * (1 - 1e-6) <= square <= beyond**2 + 2.1e-7


@pytest.mark.slow
@pytest.mark.parametrize("name", ["identifiable", "oh24", "extended", "alike_motor"])
@settings(max_examples=5)
@given(seed=st.integers(0, 10**6), decades=st.floats(0.0, 4.0))
def test_no_physical_point_is_nearer(name, seed, decades):
    """A projection on a convex set: from it, every point of the set lies at more than a right angle to the target."""
    rng = np.random.default_rng(seed)
    c = coordinates_of(name)
    width = len(c.parameter_prior.std)
    root = information_root(rng, c, decades)
    target = c.parameter_prior.mean + 1.5 * c.parameter_prior.std * rng.normal(size=width)
    found = project(target, root, c)
    assert is_physical(inequalities(c.layout), found.values)
    away = root @ (target - found.values)
    for _ in range(20):
        other = c.physical(c.prior.mean + c.prior.std * rng.normal(size=width))
        along = root @ (other - found.values)
        # what the solver's gap leaves: 1e-7 and 1e-9 of the sum of squares
        gap = 2.1e-7 + 2.1e-9 * (away @ away)
        assert away @ along <= np.sqrt(gap) * np.linalg.norm(along) + gap


@pytest.mark.parametrize("seed", range(3))
def test_equals_scipys_least_squares_in_log_cholesky_coordinates(seed):
    c, rng = coordinates_of("oh24"), np.random.default_rng(seed)
    root = information_root(rng, c, 1.0)
    target = c.parameter_prior.mean + c.parameter_prior.std * rng.normal(size=len(c.parameter_prior.std))
    found = project(target, root, c)
    assert found.active
    scale = c.prior.std
    solved = optimize.least_squares(
        lambda z: root @ (c.physical(c.prior.mean + scale * z) - target),
        np.zeros(len(scale)),
        jac=lambda z: root @ c.jacobian(c.prior.mean + scale * z) * scale,
        max_nfev=2000,
        ftol=1e-14,
        xtol=1e-14,
        gtol=1e-14,
    )
    best = np.sum((root @ (found.values - target)) ** 2)
    # bounds are reached at infinity there, so SciPy stays a little above
    assert best <= 2.0 * solved.cost * (1 + 2.1e-9) + 2.1e-7
    assert best == pytest.approx(2.0 * solved.cost, rel=1e-3)


@pytest.mark.slow
def test_poor_and_noisy_logs_give_a_body_all_the_same():
    """24 logs in which the platform hardly turns: plain least squares finds impossible moments in half of them."""
    c, truth = coordinates_of(), truth_of()
    moments = [c.layout.parameters.names.index(name) for name in ("Ixx_p", "Iyy_p", "Izz_p")]
    plain, constrained, impossible = [], [], 0
    for seed in range(24):
        eq = equations(150, 30.0, seed, poor=True)
        fit, problem = least_squares_of(c, eq)
        physical = constrained_least_squares(fit, problem)
        if violations(c.layout, fit.mean, SHOWN):
            impossible += 1
        assert not violations(c.layout, physical.mean, SHOWN)
        assert physical.converged
        # the theorem of projections, in the metric of the equations, noise included
        weight = np.linalg.inv(np.linalg.cholesky(fit.noise)).reshape(6, 6)
        rows = np.concatenate(
            [(weight @ eq.regressor).reshape(-1, len(truth)), np.diag(1 / c.parameter_prior.std)]
        )
        before, after = (np.linalg.norm(rows @ (one.mean - truth)) for one in (fit, physical))
        assert after <= before * (1 + 1e-6)
        plain.append((fit.mean - truth)[moments])
        constrained.append((physical.mean - truth)[moments])
    assert impossible >= 12
    # and what one wants it for: the moments themselves are nearer to the truth
    assert np.mean(np.square(constrained)) < 0.6 * np.mean(np.square(plain))


def test_perfect_data_of_a_machine_without_friction():
    """The truth lies on the bound: least squares falls on either side of it by rounding, the result never does."""
    c, truth = coordinates_of(), truth_of()
    truth[[name.startswith(("viscous", "coulomb")) for name in c.layout.parameters.names]] = 0.0
    eq = equations(300, 0.0, 5, truth=truth)
    fit, problem = least_squares_of(c, eq)
    physical = constrained_least_squares(fit, problem)
    assert is_physical(inequalities(c.layout), physical.mean)
    np.testing.assert_allclose(
        physical.mean / c.parameter_prior.std, truth / c.parameter_prior.std, atol=1e-6
    )


def test_numbers_that_are_not_finite_are_an_error():
    c = coordinates_of()
    with pytest.raises(NotConverged, match="not finite"):
        project(np.full(20, np.nan), np.eye(20), c)
