# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""One problem for every estimator, one kind of result from each."""

from __future__ import annotations

import numpy as np
import pytest
from core.estimation.toy_problems import autoregressive, equations, parameter_set, positive_definite, prior_of

from pkm_identification.errors import PkmError
from pkm_identification.estimation.batch import least_squares
from pkm_identification.estimation.estimators import ESTIMATORS, Tuning
from pkm_identification.estimation.filters.unscented import UnscentedSettings
from pkm_identification.estimation.problem import Problem

WIDTH, OUTPUTS, COUNT = 4, 6, 600
ALL = pytest.mark.parametrize("name", ESTIMATORS)


@pytest.fixture(scope="module")
def posed():
    """A problem with independent normal noise, and its truth."""
    rng, prior = np.random.default_rng(1), prior_of(WIDTH, 2, 4.0)
    truth = prior.mean + rng.normal(size=WIDTH) * prior.std
    columns = rng.normal(size=(COUNT, OUTPUTS, WIDTH)) / prior.std
    spread = np.linalg.cholesky(positive_definite(rng, OUTPUTS, 0.04))
    made = equations(columns, columns @ truth + rng.normal(size=(COUNT, OUTPUTS)) @ spread.T)
    problem = Problem(parameter_set(prior), prior, made, typical_force=20.0, instruments=(made, made))
    return problem, truth


@ALL
def test_every_estimator_finds_the_truth_within_what_it_states(name, posed):
    problem, truth = posed
    fit = ESTIMATORS[name].run(problem, Tuning())
    estimate = fit.estimate(problem)
    assert fit.converged
    assert fit.estimator == estimate.estimator == name
    assert np.abs((estimate.values - truth) / estimate.std).max() < 4
    assert estimate.status == ("identifiable",) * WIDTH
    assert estimate.nis == pytest.approx(OUTPUTS, rel=0.15)
    assert (estimate.nis_dof, estimate.count, estimate.time) == (OUTPUTS, COUNT, COUNT - 1.0)
    plain = ESTIMATORS["ls"].run(problem, Tuning())
    # the robust fit has 95 % of the information, so it differs by about a fifth of a deviation
    assert np.abs((fit.mean - plain.mean) / estimate.std).max() < (1.0 if name == "robust" else 0.1)
    ratio = estimate.std / np.sqrt(np.diag(plain.covariance))
    assert np.all((ratio > 0.8) & (ratio < 1.25))


def test_weights_that_do_not_settle_are_told_in_words(posed, monkeypatch):
    problem, _ = posed
    monkeypatch.setattr(least_squares, "MAX_ITERATIONS", 2)
    fit = ESTIMATORS["ls"].run(problem, Tuning())
    assert not fit.converged
    assert fit.nonconvergence == "weights still changed after 2 iterations"


@ALL
def test_systematic_errors_are_added(name, posed):
    problem, _ = posed
    fit = ESTIMATORS[name].run(problem, Tuning())
    wider = fit.estimate(problem, np.diag(fit.covariance.diagonal() * 3.0))
    np.testing.assert_allclose(wider.std, 2.0 * fit.estimate(problem).std)


def test_part_of_a_problem_is_the_problem_of_the_part(posed):
    problem, _ = posed
    chosen = np.arange(COUNT) % 3 != 0
    part = problem.part(chosen)
    assert len(part.equations) == len(part.instruments[0]) == chosen.sum()
    alone = Problem(problem.parameters, problem.prior, equations(problem.equations.regressor[chosen],
                                                                 problem.equations.measured[chosen]))  # fmt: skip
    first, second = (ESTIMATORS["ls"].run(p, Tuning()) for p in (part, alone))
    np.testing.assert_array_equal(first.mean, second.mean)


@pytest.mark.parametrize("name", ["ls", "ukf", "rls"])
def test_known_noise_is_used_as_it_is(name, posed):
    problem, _ = posed
    noise = 4.0 * np.eye(OUTPUTS)
    known = Problem(problem.parameters, problem.prior, problem.equations, noise=noise)
    fit = ESTIMATORS[name].run(known, Tuning(UnscentedSettings(adaptation="none")))
    np.testing.assert_array_equal(fit.noise, noise)
    rows = (problem.equations.regressor * problem.prior.std).reshape(-1, WIDTH) / 2.0
    values = (problem.equations.measured - problem.equations.regressor @ problem.prior.mean).ravel() / 2.0
    expected = np.linalg.solve(rows.T @ rows + np.eye(WIDTH), rows.T @ values)
    # sigma points 1e-3 apart cost the UKF digits
    np.testing.assert_allclose((fit.mean - problem.prior.mean) / problem.prior.std, expected, atol=1e-7)


def test_forgetting_weighs_the_end(posed):
    """Of a machine that changed in the middle, recursive least squares with a short memory shows the second half."""
    problem, truth = posed
    made = problem.equations
    moved = truth + problem.prior.std
    measured = made.measured.copy()
    measured[COUNT // 2 :] += made.regressor[COUNT // 2 :] @ (moved - truth)
    changed = Problem(problem.parameters, problem.prior, equations(made.regressor, measured), 20.0)
    short = ESTIMATORS["rls"].run(changed, Tuning(UnscentedSettings(forgetting=0.95)))
    std = np.sqrt(np.diag(short.covariance))
    assert np.abs((short.mean - moved) / std).max() < 4
    assert np.all(std > 2.0 * np.sqrt(np.diag(ESTIMATORS["ls"].run(problem, Tuning()).covariance)))


def test_instruments_need_two_sets_of_equations(posed):
    problem, _ = posed
    with pytest.raises(PkmError, match="needs two sets of equations"):
        ESTIMATORS["iv"].run(Problem(problem.parameters, problem.prior, problem.equations), Tuning())


def test_an_estimator_that_widens_its_covariance_does_it_in_every_direction():
    """Noise as slow as the sum of two parameters widens what is known of it, not of their difference."""
    rng, prior = np.random.default_rng(3), prior_of(3, 5, 2.0)
    columns = rng.normal(size=(400, 2, 3))
    columns[..., 0] = autoregressive(rng, 400, 2, 0.9)
    columns[..., 1] = columns[..., 0] + 1e-2 * rng.normal(size=(400, 2))
    measured = columns @ rng.normal(size=3) + autoregressive(rng, 400, 2, 0.9)
    problem = Problem(parameter_set(prior), prior, equations(columns / prior.std, measured), 20.0)
    batch, filtered = (ESTIMATORS[name].run(problem, Tuning()).covariance for name in ("ls", "ukf"))
    root = np.linalg.inv(np.linalg.cholesky(batch))
    np.testing.assert_allclose(np.linalg.eigvalsh(root @ filtered @ root.T), 1.0, atol=0.05)
