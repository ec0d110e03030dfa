# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The first guess of the noise is forgotten: what a filter knows after some seconds does not depend on it."""

from __future__ import annotations

import numpy as np
import pytest
from core.estimation.toy_problems import parameter_set, prior_of

from pkm_identification.estimation.filters.first_equations import KEPT, FirstEquations, Kept
from pkm_identification.estimation.filters.recursive import RecursiveEstimator
from pkm_identification.estimation.filters.unscented import UnscentedSettings

WIDTH, OUTPUTS, NOISE = 5, 6, 0.01
STILL = UnscentedSettings(adaptation="none")
PRIOR = prior_of(WIDTH, 1, 3.0)


def equations(count: int, seed: int = 0):
    """Columns (count, m, P) and measured (count, m) of a truth half a deviation off the prior."""
    rng = np.random.default_rng(seed)
    columns = rng.normal(size=(count, OUTPUTS, WIDTH)) / PRIOR.std
    truth = PRIOR.mean + 0.5 * PRIOR.std
    return columns, columns @ truth + NOISE * rng.normal(size=(count, OUTPUTS))


def estimator(guess: float, kind: str = "ekf") -> RecursiveEstimator:
    """Its first guess of the noise is a twentieth of the force scale."""
    return RecursiveEstimator(parameter_set(PRIOR), kind, STILL, force_scale=20.0 * guess)


def taken(recursive: RecursiveEstimator, columns, measured) -> RecursiveEstimator:
    for k, (row, force) in enumerate(zip(columns, measured, strict=True)):
        assert recursive.step(0.04 * k, row, force)
    return recursive


def test_noise_of_the_first_equations_is_found():
    """360 values less five unknowns tell a deviation to 4 %, each of the six to 9 %."""
    columns, measured = equations(KEPT)
    first = FirstEquations(PRIOR.mean, np.diag(PRIOR.std**2))
    full = [first.add(Kept(0.0, *row, None, 0)) for row in zip(columns, measured, strict=True)]
    assert full == [False] * (KEPT - 1) + [True]
    found = np.sqrt(np.diag(first.noise(1.0)))
    np.testing.assert_allclose(found, NOISE, rtol=0.35)
    assert np.sqrt(np.mean(found**2)) == pytest.approx(NOISE, rel=0.16)


@pytest.mark.parametrize("kind", ["ukf", "rls"])
@pytest.mark.parametrize("guess", [1.0, 10.0])
def test_covariance_forgets_a_guess_a_thousand_times_too_large(guess, kind):
    columns, measured = equations(100)
    found = taken(estimator(guess, kind), columns, measured).filter.covariance
    known = estimator(guess, kind)
    known.fix_noise(NOISE**2 * np.eye(OUTPUTS))
    expected = taken(known, columns, measured).filter.covariance
    np.testing.assert_allclose(np.sqrt(np.diag(found)), np.sqrt(np.diag(expected)), rtol=0.2)


def test_equations_taken_again_are_a_fit_with_the_noise_they_show():
    columns, measured = equations(KEPT)
    recursive = taken(estimator(1.0), columns, measured)
    weight = np.linalg.inv(recursive.noise)
    scaled = columns * PRIOR.std
    information = np.einsum("kip,ij,kjq->pq", scaled, weight, scaled) + np.eye(WIDTH)
    right = np.einsum("kip,ij,kj->p", scaled, weight, measured - columns @ PRIOR.mean)
    expected = PRIOR.mean + PRIOR.std * np.linalg.solve(information, right)
    np.testing.assert_allclose(recursive.filter.mean, expected, atol=1e-9 * PRIOR.std.max())
    np.testing.assert_allclose(recursive.filter.scaled_covariance, np.linalg.inv(information), rtol=1e-6)
    assert recursive.filter.count == KEPT
    assert len(recursive.trace.time) == 0


def test_an_estimate_that_is_resumed_is_not_lost():
    columns, measured = equations(400)
    before = taken(estimator(1.0), columns[:300], measured[:300])
    resumed = estimator(1.0)
    resumed.resume(before.filter.mean, before.filter.covariance, 300, 12.0)
    taken(resumed, columns[300:], measured[300:])
    whole = taken(estimator(1.0), columns, measured)
    assert resumed.filter.count == 400
    std = np.sqrt(np.diag(whole.filter.covariance))
    # weights of 60 equations' noise (36 numbers from 360) cost some 10 % of their variance: a third of a deviation
    assert np.all(np.abs(resumed.filter.mean - whole.filter.mean) < std)
    np.testing.assert_allclose(np.sqrt(np.diag(resumed.filter.covariance)), std, rtol=0.05)


def test_equations_that_are_not_finite_are_no_reason_to_start_over():
    first = FirstEquations(PRIOR.mean, np.diag(PRIOR.std**2))
    columns, measured = equations(KEPT)
    measured[3] = np.inf
    for row in zip(columns, measured, strict=True):
        first.add(Kept(0.0, *row, None, 0))
    with pytest.raises(np.linalg.LinAlgError):
        first.noise(1.0)
